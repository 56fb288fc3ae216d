import type { Writes } from '../ports/admin.ts'
import type { Steps } from './steps.ts'
import { writeAccount } from './write-accounts.ts'
import { writeChannel, writeGroup, writePrice } from './write-catalog.ts'
import { removeAll } from './write-remove.ts'
import { writeToken } from './write-tokens.ts'

/**
 * Applies a set of changes; throws `WriteRefused` at the first that can't be. Call it in a
 * transaction. Things are written in the order in which they name each other.
 */
export function* applyWrites(writes: Writes, now: number): Steps<void> {
  const leaving = new Set(writes.remove?.tokenIds)
  for (const channel of writes.channels ?? []) yield* writeChannel(channel, now)
  for (const group of writes.groups ?? []) yield* writeGroup(group, now)
  for (const price of writes.prices ?? []) yield* writePrice(price, now)
  for (const account of writes.accounts ?? []) yield* writeAccount(account, now)
  for (const token of writes.tokens ?? []) yield* writeToken(token, { now, leaving })
  yield* removeAll({ ...writes.remove, tokenIds: [...leaving] }, now)
}
