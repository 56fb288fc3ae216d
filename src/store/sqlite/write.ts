import type { Writes } from '../ports/admin.ts'
import type { Queries } from './queries.ts'
import { writeAccount, writeToken } from './write-accounts.ts'
import { writeChannel, writeGroup, writePrice } from './write-catalog.ts'
import { removeAll } from './write-remove.ts'

/**
 * Applies a set of changes; throws `WriteRefused` at the first that can't be. Call it in a
 * transaction. Things are written in the order in which they name each other.
 */
export function applyWrites(queries: Queries, writes: Writes, now: number): void {
  const leaving = new Set(writes.remove?.tokenIds)
  for (const channel of writes.channels ?? []) writeChannel(queries, channel, now)
  for (const group of writes.groups ?? []) writeGroup(queries, group, now)
  for (const price of writes.prices ?? []) writePrice(queries, price, now)
  for (const account of writes.accounts ?? []) writeAccount(queries, account, now)
  for (const token of writes.tokens ?? []) writeToken(queries, token, { now, leaving })
  removeAll(queries, { ...writes.remove, tokenIds: [...leaving] }, now)
}
