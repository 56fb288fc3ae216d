import { sql } from 'kysely'
import type { LedgerFilter, Listed, PageAsked } from '../../ports/lists.ts'
import type { LedgerEntry } from '../../ports/records.ts'
import { selectLedger } from '../records.ts'
import { all, type Steps } from '../steps.ts'
import { conditionsOf, equals, oneOf, within } from './conditions.ts'
import { idsIn, readPage } from './page.ts'
import { type IdIndex, idsOf, type Search } from './search.ts'
import type { ListSource } from './source.ts'

/** Ledger entries of a filter, newest first. */
export async function listLedger(
  source: ListSource,
  filter: LedgerFilter,
  page: PageAsked,
): Promise<Listed<LedgerEntry>> {
  const search = await searchLedger(source, filter)
  return readPage(source, search, page, (keys) =>
    source.read(() => readEntries(idsOf(keys), 'desc')),
  )
}

/** Where a filter's entries are. */
export async function searchLedger(source: ListSource, filter: LedgerFilter): Promise<Search> {
  const { accountId, kinds, since, until } = filter
  const index = indexOf(filter)
  const others = conditionsOf(
    index?.name === 'ledger_account' ? undefined : equals('account_id', accountId),
    oneOf('kind', kinds),
    within('created_at', filter),
  )
  const ids =
    kinds?.length === 0 ? { from: 0, to: 0 } : await idsIn(source, 'ledger', { since, until })
  return { table: 'ledger', id: 'id', index, others, ...ids }
}

function indexOf({ accountId, kinds }: LedgerFilter): IdIndex | undefined {
  if (kinds !== undefined && !kinds.includes('charge')) {
    return { name: 'ledger_by_hand', where: sql`kind <> 'charge'` }
  }
  if (accountId === undefined) return undefined
  return { name: 'ledger_account', where: sql`account_id = ${accountId}` }
}

/** The ledger entries with these ids. */
export const readEntries = (
  ids: readonly number[],
  order: 'asc' | 'desc',
): Steps<readonly LedgerEntry[]> =>
  all<LedgerEntry>(selectLedger().where('ledger.id', 'in', ids).orderBy('ledger.id', order))
