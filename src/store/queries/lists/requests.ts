import { sql } from 'kysely'
import type {
  ListedAttempt,
  ListedAttemptFilter,
  ListedRequest,
  NewRequests,
  RequestFilter,
} from '../../ports/lists.ts'
import { flagsOf, type RequestResult, selectRequests } from '../requests.ts'
import { all, build, type Steps } from '../steps.ts'
import { readAll } from './exports.ts'
import { idsIn, requestMs } from './page.ts'
import {
  type Condition,
  conditionsOf,
  equals,
  type IdIndex,
  idsOf,
  type Key,
  type ListSource,
  type Search,
  within,
} from './search.ts'

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
const ofAccount = (id: Condition): IdIndex => ({
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

/** Where a filter's attempts are. */
export async function searchAttempts(
  source: ListSource,
  filter: ListedAttemptFilter,
): Promise<Search> {
  const { channel, cause, outcome, since } = filter
  const isFailed = cause !== undefined || outcome === 'failed'
  const others = conditionsOf(
    equals('cause', cause),
    outcome === 'succeeded' ? sql`cause IS NULL` : undefined,
    channel === undefined
      ? undefined
      : sql`channel_id IN (SELECT id FROM channel WHERE name = ${channel})`,
    within('started_at', filter),
  )
  return {
    ...{ table: 'attempt', id: 'request_row', place: 'position', others },
    index: isFailed ? { name: 'attempt_failed', where: sql`cause IS NOT NULL` } : undefined,
    // A request that began before may have attempts since.
    ...(await idsIn(source, 'request', { since: since && since - requestMs })),
  }
}

/** Which attempt of which request. */
interface AttemptKey {
  readonly id: number
  readonly place?: number
}

/** These attempts, newest first. */
export function readAttempts(keys: readonly AttemptKey[]): Steps<readonly ListedAttempt[]> {
  // Their types are named: PostgreSQL can't tell them in a list of rows.
  const pairs = keys.map(({ id, place }) => sql`(cast(${id} as bigint), cast(${place} as bigint))`)
  return all<ListedAttempt>(
    build
      .selectFrom('attempt')
      .innerJoin('request', 'request.id', 'attempt.request_row')
      .innerJoin('account', 'account.id', 'request.account_id')
      .innerJoin('channel', 'channel.id', 'attempt.channel_id')
      .select([
        'request.request_id as requestId',
        'attempt.position as position',
        'attempt.channel_id as channelId',
        'channel.name as channel',
        'request.model as model',
        'account.email as account',
        'request.account_id as accountId',
        'attempt.started_at as startedAt',
        'attempt.status as status',
        'attempt.cause as cause',
        'attempt.first_byte_ms as firstByteMs',
        'attempt.duration_ms as durationMs',
        'attempt.upstream_request_id as upstreamRequestId',
      ])
      .where(sql<boolean>`(attempt.request_row, attempt.position) in (values ${sql.join(pairs)})`)
      .orderBy('attempt.request_row', 'desc')
      .orderBy('attempt.position', 'desc'),
  )
}

interface Asked {
  readonly source: ListSource
  readonly sinceRow: number | undefined
  readonly accountId: number | undefined
  readonly limit: number
}

/** Requests that ended after that of a row, oldest first. */
export async function readNewRequests(asked: Asked): Promise<NewRequests> {
  const { source, sinceRow, accountId, limit } = asked
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
  const readRows = (keys: readonly Key[]) => readRequests(idsOf(keys), 'asc')
  for await (const row of readAll({ source, search, readRows, pageSize: limit })) {
    rows.push(row)
    if (rows.length === limit) break
  }
  // A full answer ends with its last row; of another one, all was looked at.
  return { rows, lastRow: rows.length === limit ? (rows.at(-1)?.id ?? newest) : newest }
}
