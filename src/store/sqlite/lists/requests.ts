import type { Listed, ListedRequest, PageAsked, RequestFilter } from '../../ports/lists.ts'
import { readRequests } from '../../queries/lists/requests.ts'
import { conditionsOf, equals, within } from './conditions.ts'
import { idsIn, readPage } from './page.ts'
import type { Reader } from './reader.ts'
import type { Condition, IdIndex, Search } from './search.ts'
import { idsOf, readSteps } from './steps.ts'

/** Requests of a filter, newest first. */
export async function listRequests(
  reader: Reader,
  filter: RequestFilter,
  page: PageAsked,
): Promise<Listed<ListedRequest>> {
  const search = await searchRequests(reader, filter)
  return readPage(reader, search, page, (keys) =>
    readSteps(reader, readRequests(idsOf(keys), 'desc')),
  )
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
