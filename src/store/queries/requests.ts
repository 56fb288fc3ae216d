import type {
  AttemptFilter,
  AttemptRecord,
  ReceiptRows,
  RecordStore,
  StoredAttempt,
  StoredRequest,
  UsageTotals,
} from '../ports/records.ts'
import {
  attemptFields,
  requestFields,
  requestFlags,
  type Stored,
  selected,
  withFlags,
} from '../schema/columns.ts'
import { sql } from '../schema/sql.ts'
import { exportLedger } from './ledger.ts'
import { findPrice } from './prices.ts'
import {
  all,
  type Engine,
  first,
  inItsPartition,
  one,
  type Position,
  readPages,
  type Steps,
} from './steps.ts'

/** Reading what was recorded; how it is written is each engine's own. */
export const createRecordReading = (
  engine: Engine,
): Omit<RecordStore, 'isShared' | 'commit' | 'sweep'> => ({
  async *exportRequests(span) {
    for await (const page of readPages(engine, 'request', selectRequests, span)) {
      yield* page.map((row) => withFlags<StoredRequest>(row, requestFlags))
    }
  },
  exportLedger: (span) => exportLedger(engine, span),
  attempts: (filter) => listAttempts(engine, filter),
  receipt: (requestId) => engine.read(() => findReceipt(requestId)),
  origin: async () => {
    // When the first account was made: accounts are never deleted.
    const oldest = sql<{ at: number }>`SELECT created_at AS at FROM account ORDER BY id LIMIT 1`
    return String((await engine.read(() => first(oldest)))?.at ?? '')
  },
  tokenOrigin: (tokenId) =>
    engine.read(() =>
      first(
        sql<{ accountId: number; createdAt: number }>`
          SELECT account_id AS "accountId", created_at AS "createdAt" FROM token
          WHERE id = ${tokenId}`,
      ),
    ),
  tokenUsage: (tokenId, sinceDay) => engine.read(() => sumUsage(tokenId, sinceDay)),
})

export const requestNames = sql`request.id, account.email AS account, token.name AS token,
  "group".name AS "group", channel.name AS channel,
  (SELECT count(*) FROM attempt
    WHERE attempt.request_row = request.id AND ${inItsPartition('attempt')}) AS "attemptCount"`

export const requestTables = sql`request JOIN account ON account.id = request.account_id
  JOIN token ON token.id = request.token_id JOIN "group" ON "group".id = request.group_id
  LEFT JOIN channel ON channel.id = request.channel_id`

const selectRequests = sql<Stored<StoredRequest>>`
  SELECT ${selected('request', requestFields)}, ${requestNames} FROM ${requestTables}`

function* findReceipt(requestId: string): Steps<ReceiptRows | undefined> {
  const row = yield* first(
    sql<Stored<StoredRequest>>`${selectRequests} WHERE request.request_id = ${requestId}`,
  )
  if (row === undefined) return undefined
  const attempts = yield* all(
    sql<StoredAttempt>`SELECT ${selected('attempt', attemptFields)}, channel.name AS channel
      FROM request JOIN attempt ON attempt.request_row = request.id AND ${inItsPartition('attempt')}
      JOIN channel ON channel.id = attempt.channel_id
      WHERE request.request_id = ${requestId} ORDER BY attempt.position`,
  )
  const entry = yield* first(
    sql<{ id: number; amount_nano: number; balance_after_nano: number }>`
      SELECT id, amount_nano, balance_after_nano FROM ledger WHERE request_id = ${requestId}`,
  )
  return {
    request: withFlags<StoredRequest>(row, requestFlags),
    attempts,
    price: row.priceId === null ? null : ((yield* findPrice(row.priceId)) ?? null),
    ledgerId: entry?.id ?? null,
    ledgerAmountNano: entry?.amount_nano ?? null,
    balanceAfterNano: entry?.balance_after_nano ?? null,
  }
}

const sumUsage = (tokenId: number, sinceDay = ''): Steps<UsageTotals> =>
  one(
    sql<UsageTotals>`SELECT coalesce(sum(requests), 0) AS requests,
      coalesce(sum(input_tokens), 0) AS "inputTokens",
      coalesce(sum(output_tokens), 0) AS "outputTokens",
      coalesce(sum(cache_read_tokens), 0) AS "cacheReadTokens",
      coalesce(sum(cache_write_tokens + cache_write_1h_tokens), 0) AS "cacheWriteTokens",
      coalesce(sum(amount_nano), 0) AS "amountNano"
      FROM usage_day WHERE token_id = ${tokenId} AND day >= ${sinceDay}`,
  )

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
    yield* await engine.read(() => readAttempts(filter, from, last))
    after = last
  }
}

const ofRequest = [
  ...['requestId', 'model', 'clientProtocol', 'upstreamProtocol', 'estimated', 'inputTokens'],
  ...['outputTokens', 'reasoningTokens', 'cacheReadTokens', 'cacheWriteTokens'],
  ...['cacheWrite1hTokens', 'amountNano'],
]

function* readAttempts(
  { channelIds, since, until }: AttemptFilter,
  after: Position,
  last: Position,
): Steps<AttemptRecord[]> {
  const rows = yield* all(
    sql<FoundAttempt>`SELECT ${selected('attempt', attemptFields)}, attempt.position,
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
  return rows.map(toAttempt)
}

type FoundAttempt = Omit<AttemptRecord, 'isLast' | 'request'> &
  Stored<AttemptRecord['request']> & { readonly lastPosition: number | null }

function toAttempt(row: FoundAttempt): AttemptRecord {
  const { channelId, startedAt, status, cause, firstByteMs, durationMs, ...others } = row
  const { upstreamRequestId, usageRaw, keyMark = null, ...found } = others
  const { position, lastPosition, channel, ...request } = found
  return {
    ...{ channelId, channel, position, isLast: position === lastPosition, startedAt, status },
    ...{ cause, firstByteMs, durationMs, upstreamRequestId, usageRaw, keyMark },
    request: { ...request, estimated: request.estimated === 1 },
  }
}
