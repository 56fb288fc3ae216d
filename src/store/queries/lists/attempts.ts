import { sql } from 'kysely'
import type { ListedAttempt } from '../../ports/lists.ts'
import { build } from '../build.ts'
import { all, type Steps } from '../steps.ts'

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
