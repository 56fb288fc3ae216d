import type { PriceRow } from '../ports/catalog.ts'
import type {
  ReceiptRows,
  RecordStore,
  Span,
  StoredRequest,
  UsageTotals,
} from '../ports/records.ts'
import { exportLedger } from './ledger.ts'
import { readPrice } from './prices.ts'
import {
  all,
  build,
  type Engine,
  first,
  type Position,
  pageSize,
  readPages,
  type Steps,
} from './steps.ts'

/** Reading what was recorded; how it is written is each engine's own. */
export const createRecordReading = (
  engine: Engine,
): Omit<RecordStore, 'isShared' | 'commit' | 'sweep'> => ({
  exportRequests: (span) => exportRequests(engine, span),
  exportLedger: (span) => exportLedger(engine, span),
  receipt: (requestId) => engine.read(() => findReceipt(requestId)),
  origin: () => engine.read(findOrigin),
  tokenOrigin: (tokenId) =>
    engine.read(() =>
      first(
        build
          .selectFrom('token')
          .select(['account_id as accountId', 'created_at as createdAt'])
          .where('id', '=', tokenId),
      ),
    ),
  tokenUsage: (tokenId, sinceDay) => engine.read(() => sumUsage(tokenId, sinceDay)),
})

/** When its first account was made: accounts are never removed. */
function* findOrigin(): Steps<string> {
  const oldest = yield* first(
    build.selectFrom('account').select('created_at').orderBy('id').limit(1),
  )
  return oldest === undefined ? '' : String(oldest.created_at)
}

/** Requests with the names that their ids stand for. */
export const selectRequests = () =>
  build
    .selectFrom('request')
    .innerJoin('account', 'account.id', 'request.account_id')
    .innerJoin('token', 'token.id', 'request.token_id')
    .innerJoin('group', 'group.id', 'request.group_id')
    .leftJoin('channel', 'channel.id', 'request.channel_id')
    .select(requestColumns)
    .select((eb) => [
      'request.id as id',
      'account.email as account',
      'token.name as token',
      'group.name as group',
      'channel.name as channel',
      eb
        .selectFrom('attempt')
        .select((count) => count.fn.countAll<number>().as('count'))
        .whereRef('attempt.request_row', '=', 'request.id')
        .$asScalar()
        .$notNull()
        .as('attemptCount'),
    ])

type RequestQuery = ReturnType<typeof selectRequests>

export type RequestResult =
  ReturnType<RequestQuery['execute']> extends Promise<(infer Row)[]> ? Row : never

/** A row of `selectRequests` as the ports know it. */
const toRequest = (row: RequestResult): StoredRequest => ({ ...row, ...flagsOf(row) })

type Flag = 'stream' | 'estimated' | 'clamped' | 'longContextPricing'

/** What of a row is yes or no. */
export const flagsOf = (row: Pick<RequestResult, Flag>): Pick<StoredRequest, Flag> => ({
  stream: row.stream === 1,
  estimated: row.estimated === 1,
  clamped: row.clamped === 1,
  longContextPricing: row.longContextPricing === 1,
})

/** Requests by time of arrival; those that come in meanwhile are at the end. */
async function* exportRequests(engine: Engine, span: Span): AsyncGenerator<StoredRequest> {
  const { since = Number.MIN_SAFE_INTEGER, until = Number.MAX_SAFE_INTEGER } = span
  const readPage = (after: Position) =>
    all(
      selectRequests()
        .where(({ eb, refTuple, tuple }) =>
          eb(refTuple('request.created_at', 'request.id'), '>', tuple(after.createdAt, after.id)),
        )
        .where('request.created_at', '<', until)
        .orderBy('request.created_at')
        .orderBy('request.id')
        .limit(pageSize),
    )
  for await (const page of readPages(engine, since, readPage)) yield* page.map(toRequest)
}

function* findPrice(id: number | null): Steps<PriceRow | null> {
  if (id === null) return null
  const row = yield* first(build.selectFrom('model_price').selectAll().where('id', '=', id))
  return row === undefined ? null : readPrice(row)
}

/** A request with its attempts, price and ledger entry. */
function* findReceipt(requestId: string): Steps<ReceiptRows | undefined> {
  const row = yield* first(selectRequests().where('request.request_id', '=', requestId))
  if (row === undefined) return undefined
  const attempts = yield* all(
    build
      .selectFrom('attempt')
      .innerJoin('channel', 'channel.id', 'attempt.channel_id')
      .select(attemptColumns)
      .select('channel.name as channel')
      .where('attempt.request_row', '=', row.id)
      .orderBy('attempt.position'),
  )
  const entry = yield* first(
    build
      .selectFrom('ledger')
      .select(['id', 'amount_nano', 'balance_after_nano'])
      .where('request_id', '=', requestId),
  )
  return {
    request: toRequest(row),
    attempts,
    price: yield* findPrice(row.priceId),
    ledgerId: entry?.id ?? null,
    ledgerAmountNano: entry?.amount_nano ?? null,
    balanceAfterNano: entry?.balance_after_nano ?? null,
  }
}

/** Totals of a token from its daily sums. */
function* sumUsage(tokenId: number, sinceDay: string | undefined): Steps<UsageTotals> {
  const sums = yield* first(
    build
      .selectFrom('usage_day')
      .select(({ fn }) => [
        fn.sum<number | null>('requests').as('requests'),
        fn.sum<number | null>('input_tokens').as('input'),
        fn.sum<number | null>('output_tokens').as('output'),
        fn.sum<number | null>('cache_read_tokens').as('cacheRead'),
        fn.sum<number | null>('cache_write_tokens').as('cacheWrite'),
        fn.sum<number | null>('cache_write_1h_tokens').as('cacheWrite1h'),
        fn.sum<number | null>('amount_nano').as('amount'),
      ])
      .where('token_id', '=', tokenId)
      .where('day', '>=', sinceDay ?? ''),
  )
  return {
    requests: sums?.requests ?? 0,
    inputTokens: sums?.input ?? 0,
    outputTokens: sums?.output ?? 0,
    cacheReadTokens: sums?.cacheRead ?? 0,
    cacheWriteTokens: (sums?.cacheWrite ?? 0) + (sums?.cacheWrite1h ?? 0),
    amountNano: sums?.amount ?? 0,
  }
}

/** Columns of `request` with their names in code: what is written and what is read. */
export const requestColumns = [
  'request.request_id as requestId',
  'request.created_at as createdAt',
  'request.account_id as accountId',
  'request.token_id as tokenId',
  'request.group_id as groupId',
  'request.model as model',
  'request.upstream_model as upstreamModel',
  'request.channel_id as channelId',
  'request.client_protocol as clientProtocol',
  'request.upstream_protocol as upstreamProtocol',
  'request.operation as operation',
  'request.stream as stream',
  'request.status as status',
  'request.cause as cause',
  'request.cause_text as causeText',
  'request.ending as ending',
  'request.input_tokens as inputTokens',
  'request.output_tokens as outputTokens',
  'request.reasoning_tokens as reasoningTokens',
  'request.cache_read_tokens as cacheReadTokens',
  'request.cache_write_tokens as cacheWriteTokens',
  'request.cache_write_1h_tokens as cacheWrite1hTokens',
  'request.calls as calls',
  'request.estimated as estimated',
  'request.clamped as clamped',
  'request.usage_raw as usageRaw',
  'request.extras as extrasJson',
  'request.price_id as priceId',
  'request.tier_above as tierAbove',
  'request.long_context_pricing as longContextPricing',
  'request.multiplier_millionths as multiplierMillionths',
  'request.amount_nano as amountNano',
  'request.first_byte_ms as firstByteMs',
  'request.duration_ms as durationMs',
] as const

/** The same for `attempt`. */
export const attemptColumns = [
  'attempt.channel_id as channelId',
  'attempt.started_at as startedAt',
  'attempt.status as status',
  'attempt.cause as cause',
  'attempt.first_byte_ms as firstByteMs',
  'attempt.duration_ms as durationMs',
  'attempt.upstream_request_id as upstreamRequestId',
  'attempt.usage_raw as usageRaw',
] as const

/** The same for `reservation`. */
export const reservationColumns = [
  'reservation.request_id as requestId',
  'reservation.created_at as createdAt',
  'reservation.account_id as accountId',
  'reservation.token_id as tokenId',
  'reservation.group_id as groupId',
  'reservation.model as model',
  'reservation.client_protocol as clientProtocol',
  'reservation.operation as operation',
  'reservation.stream as stream',
  'reservation.price_id as priceId',
  'reservation.multiplier_millionths as multiplierMillionths',
  'reservation.amount_nano as amountNano',
] as const
