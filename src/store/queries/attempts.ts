import type { AttemptFilter, AttemptRecord, AttemptStore } from '../ports/records.ts'
import { attemptColumns } from './requests.ts'
import { all, build, type Engine, type Position, pageSize, readPages, type Steps } from './steps.ts'

/** What was tried upstream. */
export const createAttemptStore = (engine: Engine): AttemptStore => ({
  list: (filter) => listAttempts(engine, filter),
})

/**
 * Attempts of channels in a span of time. They are found by the times of their requests, which have
 * an index; attempts have none.
 */
async function* listAttempts(engine: Engine, filter: AttemptFilter): AsyncGenerator<AttemptRecord> {
  if (filter.channelIds.length === 0) return
  const since = (filter.since ?? -(2 ** 52)) - filter.requestAgeMs
  let after: Position = { createdAt: since, id: 0 }
  for await (const requests of readPages(engine, since, (from) => findRequests(filter, from))) {
    const last = requests.at(-1)
    if (last === undefined) return
    const from = after
    yield* await engine.read(() => readPage(filter, from, last))
    after = last
  }
}

const findRequests = ({ until }: AttemptFilter, after: Position): Steps<readonly Position[]> =>
  all(
    build
      .selectFrom('request')
      .select(['created_at as createdAt', 'id'])
      .where(({ eb, refTuple, tuple }) =>
        eb(refTuple('created_at', 'id'), '>', tuple(after.createdAt, after.id)),
      )
      .where('created_at', '<', until ?? Number.MAX_SAFE_INTEGER)
      .orderBy('created_at')
      .orderBy('id')
      .limit(pageSize),
  )

function* readPage(
  { channelIds, since, until }: AttemptFilter,
  after: Position,
  last: Position,
): Steps<AttemptRecord[]> {
  const rows = yield* all(
    build
      .selectFrom('request')
      .innerJoin('attempt', 'attempt.request_row', 'request.id')
      .innerJoin('channel', 'channel.id', 'attempt.channel_id')
      .select(attemptColumns)
      .select((eb) => [
        'attempt.position as position',
        'channel.name as channel',
        'request.request_id as requestId',
        'request.model as model',
        'request.client_protocol as clientProtocol',
        'request.upstream_protocol as upstreamProtocol',
        'request.estimated as estimated',
        'request.input_tokens as inputTokens',
        'request.output_tokens as outputTokens',
        'request.reasoning_tokens as reasoningTokens',
        'request.cache_read_tokens as cacheReadTokens',
        'request.cache_write_tokens as cacheWriteTokens',
        'request.cache_write_1h_tokens as cacheWrite1hTokens',
        'request.amount_nano as amountNano',
        eb
          .selectFrom('attempt as later')
          .select((count) => count.fn.max('later.position').as('position'))
          .whereRef('later.request_row', '=', 'request.id')
          .$asScalar()
          .as('lastPosition'),
      ])
      .where(({ eb, refTuple, tuple }) =>
        eb(refTuple('request.created_at', 'request.id'), '>', tuple(after.createdAt, after.id)),
      )
      .where(({ eb, refTuple, tuple }) =>
        eb(refTuple('request.created_at', 'request.id'), '<=', tuple(last.createdAt, last.id)),
      )
      .where('attempt.channel_id', 'in', channelIds)
      .where('attempt.started_at', '>=', since ?? Number.MIN_SAFE_INTEGER)
      .where('attempt.started_at', '<', until ?? Number.MAX_SAFE_INTEGER)
      .orderBy('request.created_at')
      .orderBy('request.id')
      .orderBy('attempt.position'),
  )
  return rows.map(toRecord)
}

type Found = Omit<AttemptRecord, 'isLast' | 'request'> &
  Omit<AttemptRecord['request'], 'estimated'> & {
    readonly estimated: number
    readonly lastPosition: number | null
  }

function toRecord(row: Found): AttemptRecord {
  const { channelId, startedAt, status, cause, firstByteMs, durationMs, ...others } = row
  const { upstreamRequestId, usageRaw, position, lastPosition, channel, ...request } = others
  return {
    ...{ channelId, channel, position, isLast: position === lastPosition, startedAt, status },
    ...{ cause, firstByteMs, durationMs, upstreamRequestId, usageRaw },
    request: { ...request, estimated: request.estimated === 1 },
  }
}
