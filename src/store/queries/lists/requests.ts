import type {
  ListedAttempt,
  ListedAttemptFilter,
  ListedRequest,
  ListStore,
  NewRequests,
  RequestFilter,
} from '../../ports/lists.ts'
import {
  attemptFields,
  requestFields,
  requestFlags,
  type Stored,
  selected,
  withFlags,
} from '../../schema/columns.ts'
import { sql } from '../../schema/sql.ts'
import { requestNames, requestTables } from '../requests.ts'
import { all, inItsPartition, type Steps } from '../steps.ts'
import { idsIn, readAll, requestMs } from './reading.ts'
import {
  type Condition,
  conditionsOf,
  equals,
  type IdIndex,
  idsOf,
  inPartitionsOf,
  type Key,
  type ListSource,
  type Search,
  within,
} from './search.ts'

export async function searchRequests(filter: RequestFilter, source: ListSource): Promise<Search> {
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

const ofAccount = (id: Condition): IdIndex => ({
  name: 'request_account',
  where: sql`account_id = ${id}`,
})

/** Of a name that several had, one after the other, all are meant. */
function idsNamed(column: string, table: string, name: string | undefined) {
  if (name === undefined) return undefined
  return sql`${sql.raw(column)} IN (SELECT id FROM ${sql.raw(table)} WHERE name = ${name})`
}

/** What may be long is in the receipt, and in the diagnosis. */
const listedFields = Object.keys(requestFields).filter(
  (field) => field !== 'usageRaw' && field !== 'stateJson',
)

const selectListed = sql`SELECT ${selected('request', listedFields)}, ${requestNames},
  (SELECT amount_nano FROM ledger WHERE ledger.request_id = request.request_id)
    AS "ledgerAmountNano"
  FROM ${requestTables}`

export function* readRequests(keys: readonly Key[], order = 'desc'): Steps<ListedRequest[]> {
  const rows = yield* all(
    sql<Stored<ListedRequest>>`${selectListed} WHERE request.id IN (${idsOf(keys)})
      AND ${inPartitionsOf(keys, 'request')} ORDER BY request.id ${sql.raw(order)}`,
  )
  return rows.map((row) => withFlags<ListedRequest>(row, requestFlags))
}

export async function searchAttempts(
  filter: ListedAttemptFilter,
  source: ListSource,
): Promise<Search> {
  const { channel, cause, outcome, since } = filter
  const isFailed = cause !== undefined || outcome === 'failed'
  const others = conditionsOf(
    equals('cause', cause),
    outcome === 'succeeded' ? sql`cause IS NULL` : undefined,
    idsNamed('channel_id', 'channel', channel),
    within('started_at', filter),
  )
  return {
    ...{ table: 'attempt', id: 'request_row', place: 'position', others },
    index: isFailed ? { name: 'attempt_failed', where: sql`cause IS NOT NULL` } : undefined,
    // A request that began before may have attempts since.
    ...(await idsIn(source, 'request', { since: since && since - requestMs })),
  }
}

const listedAttempt = Object.keys(attemptFields).filter((field) => field !== 'usageRaw')

export function readAttempts(keys: readonly Key[]): Steps<readonly ListedAttempt[]> {
  // PostgreSQL can't infer the types in a list of rows.
  const pairs = keys.map(({ id, place }) => sql`(cast(${id} as bigint), cast(${place} as bigint))`)
  return all(
    sql<ListedAttempt>`SELECT ${selected('attempt', listedAttempt)}, attempt.position,
        request.request_id AS "requestId", channel.name AS channel, request.model,
        account.email AS account, request.account_id AS "accountId"
      FROM attempt JOIN request ON request.id = attempt.request_row AND ${inItsPartition('attempt')}
      JOIN account ON account.id = request.account_id
      JOIN channel ON channel.id = attempt.channel_id
      WHERE (attempt.request_row, attempt.position) IN (VALUES ${sql.join(pairs)})
        AND ${inPartitionsOf(keys, 'attempt')} AND ${inPartitionsOf(keys, 'request')}
      ORDER BY attempt.request_row DESC, attempt.position DESC`,
  )
}

/** Requests that ended after that of a row, oldest first. */
export async function readNewRequests(
  source: ListSource,
  ...[sinceRow, accountId, limit]: Parameters<ListStore['newRequests']>
): Promise<NewRequests> {
  const newest = await source.newestRequest(sinceRow)
  if (sinceRow === undefined || newest <= sinceRow) {
    return { rows: [], lastRow: sinceRow ?? newest }
  }
  const search: Search = {
    ...{ table: 'request', id: 'id', others: [] },
    index: accountId === undefined ? undefined : ofAccount(sql`${accountId}`),
    ...{ from: sinceRow + 1, to: newest + 1 },
  }
  const rows: ListedRequest[] = []
  const readRows = (keys: readonly Key[]) => readRequests(keys, 'asc')
  for await (const row of readAll(source, search, readRows, { pageSize: limit })) {
    rows.push(row)
    if (rows.length === limit) break
  }
  // A full answer ends with its last row; of another one, all was looked at.
  return { rows, lastRow: rows.length === limit ? (rows.at(-1)?.id ?? newest) : newest }
}
