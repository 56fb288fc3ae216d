import type { AttemptFilter, AttemptRecord, AttemptStore } from '../ports/records.ts'
import { attemptFields, type Stored, selected } from '../schema/columns.ts'
import { sql } from '../schema/sql.ts'
import { all, type Engine, inItsPartition, type Position, readPages, type Steps } from './steps.ts'

export const createAttemptStore = (engine: Engine): AttemptStore => ({
  list: (filter) => listAttempts(engine, filter),
})

const selectPositions = sql<Position>`SELECT created_at AS "createdAt", id FROM request`

/** Attempts of channels in a span, found by the times of their requests, which have an index. */
async function* listAttempts(engine: Engine, filter: AttemptFilter): AsyncGenerator<AttemptRecord> {
  if (filter.channelIds.length === 0) return
  const since = (filter.since ?? -(2 ** 52)) - filter.requestAgeMs
  let after: Position = { createdAt: since, id: 0 }
  for await (const requests of readPages(engine, 'request', selectPositions, {
    ...filter,
    since,
  })) {
    const last = requests.at(-1)
    if (last === undefined) return
    const from = after
    yield* await engine.read(() => readPage(filter, from, last))
    after = last
  }
}

const ofRequest = [
  ...['requestId', 'model', 'clientProtocol', 'upstreamProtocol', 'estimated', 'inputTokens'],
  ...['outputTokens', 'reasoningTokens', 'cacheReadTokens', 'cacheWriteTokens'],
  ...['cacheWrite1hTokens', 'amountNano'],
]

function* readPage(
  { channelIds, since, until }: AttemptFilter,
  after: Position,
  last: Position,
): Steps<AttemptRecord[]> {
  const rows = yield* all(
    sql<Found>`SELECT ${selected('attempt', attemptFields)}, attempt.position,
        channel.name AS channel, ${selected('request', ofRequest)},
        (SELECT max(position) FROM attempt AS later
          WHERE later.request_row = request.id AND ${inItsPartition('later')}) AS "lastPosition"
      FROM request JOIN attempt ON attempt.request_row = request.id AND ${inItsPartition('attempt')}
      JOIN channel ON channel.id = attempt.channel_id
      WHERE (request.created_at, request.id) > (${after.createdAt}, ${after.id})
        AND (request.created_at, request.id) <= (${last.createdAt}, ${last.id})
        AND attempt.channel_id IN (${sql.join(channelIds)})
        AND attempt.started_at >= ${since ?? Number.MIN_SAFE_INTEGER}
        AND attempt.started_at < ${until ?? Number.MAX_SAFE_INTEGER}
      ORDER BY request.created_at, request.id, attempt.position`,
  )
  return rows.map(toRecord)
}

type Found = Omit<AttemptRecord, 'isLast' | 'request'> &
  Stored<AttemptRecord['request']> & { readonly lastPosition: number | null }

function toRecord(row: Found): AttemptRecord {
  const { channelId, startedAt, status, cause, firstByteMs, durationMs, ...others } = row
  const { upstreamRequestId, usageRaw, position, lastPosition, channel, ...request } = others
  return {
    ...{ channelId, channel, position, isLast: position === lastPosition, startedAt, status },
    ...{ cause, firstByteMs, durationMs, upstreamRequestId, usageRaw },
    request: { ...request, estimated: request.estimated === 1 },
  }
}
