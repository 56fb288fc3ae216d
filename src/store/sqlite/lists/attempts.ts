import { sql } from 'kysely'
import type { Listed, ListedAttempt, ListedAttemptFilter, PageAsked } from '../../ports/lists.ts'
import type { Queries } from '../queries.ts'
import { conditionsOf, equals, within } from './conditions.ts'
import { idsIn, readPage, requestMs } from './page.ts'
import type { Reader } from './reader.ts'
import { type Key, runBuilt, type Search } from './search.ts'

/** Attempts of a filter, newest first. */
export async function listAttempts(
  reader: Reader,
  queries: Queries,
  filter: ListedAttemptFilter,
  page: PageAsked,
): Promise<Listed<ListedAttempt>> {
  const { channel, cause, outcome, since } = filter
  const isFailed = cause !== undefined || outcome === 'failed'
  const others = conditionsOf(
    equals('cause', cause),
    outcome === 'succeeded' ? { sql: 'cause IS NULL', values: [] } : undefined,
    channel === undefined
      ? undefined
      : { sql: 'channel_id IN (SELECT id FROM channel WHERE name = ?)', values: [channel] },
    within('started_at', filter),
  )
  const where = { sql: 'cause IS NOT NULL', values: [] }
  const search: Search = {
    ...{ table: 'attempt', id: 'request_row', place: 'position', others },
    index: isFailed ? { name: 'attempt_failed', where } : undefined,
    // A request that began before may have attempts since.
    ...(await idsIn(reader, 'request', { since: since && since - requestMs })),
  }
  return readPage(reader, search, page, (keys) => readAttempts(reader, queries, keys))
}

function readAttempts(reader: Reader, { build }: Queries, keys: readonly Key[]) {
  const pairs = sql.join(keys.map(({ id, place }) => sql`(${id}, ${place})`))
  return runBuilt<ListedAttempt>(
    reader,
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
      .where(sql<boolean>`(attempt.request_row, attempt.position) IN (VALUES ${pairs})`)
      .orderBy('attempt.request_row', 'desc')
      .orderBy('attempt.position', 'desc'),
  )
}
