import type { LedgerFilter, Listed, PageAsked } from '../../ports/lists.ts'
import type { LedgerEntry } from '../../ports/records.ts'
import { readEntries } from '../../queries/lists/ledger.ts'
import { conditionsOf, equals, oneOf, within } from './conditions.ts'
import { idsIn, readPage } from './page.ts'
import type { Reader } from './reader.ts'
import type { IdIndex, Search } from './search.ts'
import { idsOf, readSteps } from './steps.ts'

/** Ledger entries of a filter, newest first. */
export async function listLedger(
  reader: Reader,
  filter: LedgerFilter,
  page: PageAsked,
): Promise<Listed<LedgerEntry>> {
  const search = await searchLedger(reader, filter)
  return readPage(reader, search, page, (keys) =>
    readSteps(reader, readEntries(idsOf(keys), 'desc')),
  )
}

/** Where a filter's entries are. */
export async function searchLedger(reader: Reader, filter: LedgerFilter): Promise<Search> {
  const { accountId, kinds, since, until } = filter
  const index = indexOf(filter)
  const others = conditionsOf(
    index?.name === 'ledger_account' ? undefined : equals('account_id', accountId),
    oneOf('kind', kinds),
    within('created_at', filter),
  )
  const ids =
    kinds?.length === 0 ? { from: 0, to: 0 } : await idsIn(reader, 'ledger', { since, until })
  return { table: 'ledger', id: 'id', index, others, ...ids }
}

function indexOf({ accountId, kinds }: LedgerFilter): IdIndex | undefined {
  if (kinds !== undefined && !kinds.includes('charge')) {
    return { name: 'ledger_by_hand', where: { sql: "kind <> 'charge'", values: [] } }
  }
  if (accountId === undefined) return undefined
  return { name: 'ledger_account', where: { sql: 'account_id = ?', values: [accountId] } }
}
