import { sql } from 'kysely'
import type { Listed, ListedRequest, PageAsked, RequestFilter } from '../../ports/lists.ts'
import { flagsOf, type RequestResult, selectRequests } from '../records.ts'
import { all, type Steps } from '../steps.ts'
import { type Condition, conditionsOf, equals, within } from './conditions.ts'
import { idsIn, readPage } from './page.ts'
import { type IdIndex, idsOf, type Search } from './search.ts'
import type { ListSource } from './source.ts'

/** Requests of a filter, newest first. */
export async function listRequests(
  source: ListSource,
  filter: RequestFilter,
  page: PageAsked,
): Promise<Listed<ListedRequest>> {
  const search = await searchRequests(source, filter)
  return readPage(source, search, page, (keys) =>
    source.read(() => readRequests(idsOf(keys), 'desc')),
  )
}

/** Where a filter's requests are. */
export async function searchRequests(source: ListSource, filter: RequestFilter): Promise<Search> {
  const { accountId, tokenId, cause, since, until } = filter
  const isFailed = cause !== undefined || filter.outcome === 'failed'
  const found = indexOf(filter, isFailed)
  const others = conditionsOf(
    equals('cause', cause),
    found.covers === 'account' ? undefined : equals('account_id', accountId),
    found.covers === 'token' ? undefined : equals('token_id', tokenId),
    equals('model', filter.model),
    equals('status', filter.status),
    equals('client_protocol', filter.clientProtocol),
    idsNamed('group_id', '"group"', filter.group),
    idsNamed('channel_id', 'channel', filter.channel),
    filter.outcome === 'succeeded' ? sql`cause IS NULL` : undefined,
    isFailed && found.index?.name !== 'request_failed' ? sql`cause IS NOT NULL` : undefined,
    within('created_at', filter),
  )
  const ids = await idsIn(source, 'request', { since, until })
  return { table: 'request', id: 'id', index: found.index, others, ...ids }
}

/** The index that leads to the fewest rows. */
function indexOf(
  { requestId, accountId, tokenId }: RequestFilter,
  isFailed: boolean,
): { readonly index?: IdIndex; readonly covers?: 'account' | 'token' } {
  if (requestId !== undefined) {
    return { index: { name: 'request_id', where: sql`request_id = ${requestId}` } }
  }
  if (isFailed) return { index: { name: 'request_failed', where: sql`cause IS NOT NULL` } }
  if (accountId !== undefined) return { index: ofAccount(sql`${accountId}`), covers: 'account' }
  if (tokenId === undefined) return {}
  return { index: ofAccount(sql`(SELECT account_id FROM token WHERE id = ${tokenId})`) }
}

/** The index that has the requests of each account. */
export const ofAccount = (id: Condition): IdIndex => ({
  name: 'request_account',
  where: sql`account_id = ${id}`,
})

/** Of a name that several had, one after the other, all are meant. */
function idsNamed(column: string, table: string, name: string | undefined) {
  if (name === undefined) return undefined
  return sql`${sql.raw(column)} IN (SELECT id FROM ${sql.raw(table)} WHERE name = ${name})`
}

/** Built once: an export asks it for every few rows. */
const listed = selectRequests().select((eb) =>
  eb
    .selectFrom('ledger')
    .select('ledger.amount_nano')
    .whereRef('ledger.request_id', '=', 'request.request_id')
    .$asScalar()
    .as('ledgerAmountNano'),
)

type Found = RequestResult & { readonly ledgerAmountNano: number | null }

/** The requests with these row ids. */
export function* readRequests(
  ids: readonly number[],
  order: 'asc' | 'desc',
): Steps<readonly ListedRequest[]> {
  const rows = yield* all<Found>(listed.where('request.id', 'in', ids).orderBy('request.id', order))
  return rows.map(toListed)
}

/** An upstream's own report may be long: it is in the receipt. */
function toListed({ usageRaw: _, ...row }: Found): ListedRequest {
  return Object.assign(row, flagsOf(row))
}
