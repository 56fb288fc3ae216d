import { sql } from 'kysely'
import type { Listed, ListedAttempt, ListedAttemptFilter, PageAsked } from '../../ports/lists.ts'
import { build } from '../build.ts'
import { all, type Steps } from '../steps.ts'
import { conditionsOf, equals, within } from './conditions.ts'
import { idsIn, readPage, requestMs } from './page.ts'
import type { Search } from './search.ts'
import type { ListSource } from './source.ts'

/** Attempts of a filter, newest first. */
export async function listAttempts(
  source: ListSource,
  filter: ListedAttemptFilter,
  page: PageAsked,
): Promise<Listed<ListedAttempt>> {
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
  const search: Search = {
    ...{ table: 'attempt', id: 'request_row', place: 'position', others },
    index: isFailed ? { name: 'attempt_failed', where: sql`cause IS NOT NULL` } : undefined,
    // A request that began before may have attempts since.
    ...(await idsIn(source, 'request', { since: since && since - requestMs })),
  }
  return readPage(source, search, page, (keys) => source.read(() => readAttempts(keys)))
}

/** Which attempt of which request. */
export interface AttemptKey {
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
