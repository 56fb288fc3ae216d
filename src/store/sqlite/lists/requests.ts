import type { Listed, ListedRequest, PageAsked, RequestFilter } from '../../ports/lists.ts'
import type { Queries } from '../queries.ts'
import { type RequestResult, selectRequests, toRequest } from '../records.ts'
import { conditionsOf, equals, within } from './conditions.ts'
import { idsIn, readPage } from './page.ts'
import type { Reader } from './reader.ts'
import { type Condition, type IdIndex, type Key, runBuilt, type Search } from './search.ts'

/** Requests of a filter, newest first. */
export async function listRequests(
  reader: Reader,
  queries: Queries,
  filter: RequestFilter,
  page: PageAsked,
): Promise<Listed<ListedRequest>> {
  const search = await searchRequests(reader, filter)
  return readPage(reader, search, page, (keys) => readRequests(reader, queries, keys, 'desc'))
}

/** Where a filter's requests are. */
export async function searchRequests(reader: Reader, filter: RequestFilter): Promise<Search> {
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
    filter.outcome === 'succeeded' ? { sql: 'cause IS NULL', values: [] } : undefined,
    isFailed && found.index?.name !== 'request_failed'
      ? { sql: 'cause IS NOT NULL', values: [] }
      : undefined,
    within('created_at', filter),
  )
  const ids = await idsIn(reader, 'request', { since, until })
  return { table: 'request', id: 'id', index: found.index, others, ...ids }
}

/** The index that leads to the fewest rows. */
function indexOf(
  { requestId, accountId, tokenId }: RequestFilter,
  isFailed: boolean,
): { readonly index?: IdIndex; readonly covers?: 'account' | 'token' } {
  const by = (name: string, sql: string, ...values: Condition['values']) => ({
    name,
    where: { sql, values },
  })
  if (requestId !== undefined) {
    return { index: by('sqlite_autoindex_request_1', 'request_id = ?', requestId) }
  }
  if (isFailed) return { index: by('request_failed', 'cause IS NOT NULL') }
  if (accountId !== undefined) {
    return { index: ofAccount({ sql: '?', values: [accountId] }), covers: 'account' }
  }
  if (tokenId === undefined) return {}
  const owner = '(SELECT account_id FROM token WHERE id = ?)'
  return { index: ofAccount({ sql: owner, values: [tokenId] }) }
}

/** The index that has the requests of each account, block by block. */
export const ofAccount = ({ sql, values }: Condition): IdIndex => ({
  name: 'request_account',
  where: { sql: `account_id = ${sql}`, values },
  blockBits: 10,
})

/** Of a name that several had, one after the other, all are meant. */
function idsNamed(column: string, table: string, name: string | undefined) {
  if (name === undefined) return undefined
  return { sql: `${column} IN (SELECT id FROM ${table} WHERE name = ?)`, values: [name] }
}

const selectListed = (queries: Queries) =>
  selectRequests(queries).select((eb) =>
    eb
      .selectFrom('ledger')
      .select('ledger.amount_nano')
      .whereRef('ledger.request_id', '=', 'request.request_id')
      .$asScalar()
      .as('ledgerAmountNano'),
  )

type Found = RequestResult & { readonly ledgerAmountNano: number | null }

/** The requests with these row ids. */
export async function readRequests(
  reader: Reader,
  queries: Queries,
  keys: readonly Key[],
  order: 'asc' | 'desc',
): Promise<readonly ListedRequest[]> {
  const ids = keys.map(({ id }) => id)
  const query = selectListed(queries).where('request.id', 'in', ids).orderBy('request.id', order)
  return (await runBuilt<Found>(reader, query)).map(toListed)
}

/** An upstream's own report may be long: it is in the receipt. */
function toListed({ ledgerAmountNano, ...row }: Found): ListedRequest {
  const { usageRaw: _, ...request } = toRequest(row)
  return { ...request, ledgerAmountNano }
}
