import type { PriceRow } from '../ports/catalog.ts'
import type {
  LedgerEntry,
  ReceiptRows,
  RecordStore,
  Span,
  StoredRequest,
  UsageTotals,
} from '../ports/records.ts'
import { build } from './build.ts'
import { readPrice } from './catalog.ts'
import type { Engine } from './engine.ts'
import { type Position, pageSize, readPages } from './pages.ts'
import { attemptColumns, requestColumns } from './request-columns.ts'
import { all, first, type Steps } from './steps.ts'

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
export const toRequest = (row: RequestResult): StoredRequest => ({ ...row, ...flagsOf(row) })

type Flag = 'stream' | 'estimated' | 'clamped' | 'longContextPricing'

/** What of a row is yes or no. */
export const flagsOf = (row: Pick<RequestResult, Flag>): Pick<StoredRequest, Flag> => ({
  stream: row.stream === 1,
  estimated: row.estimated === 1,
  clamped: row.clamped === 1,
  longContextPricing: row.longContextPricing === 1,
})

/** Ledger entries with the name of their account. */
export const selectLedger = () =>
  build
    .selectFrom('ledger')
    .innerJoin('account', 'account.id', 'ledger.account_id')
    .select([
      'ledger.id as id',
      'ledger.created_at as createdAt',
      'account.email as account',
      'ledger.kind as kind',
      'ledger.amount_nano as amountNano',
      'ledger.request_id as requestId',
      'ledger.reason as reason',
      'ledger.balance_after_nano as balanceAfterNano',
    ])

/** Requests by time of arrival; those that come in meanwhile are at the end. */
export async function* exportRequests(engine: Engine, span: Span): AsyncGenerator<StoredRequest> {
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

/** Ledger entries in the order in which they were made. */
async function* exportLedger(engine: Engine, span: Span): AsyncGenerator<LedgerEntry> {
  const { since = Number.MIN_SAFE_INTEGER, until = Number.MAX_SAFE_INTEGER } = span
  const readPage = (after: Position) =>
    all(
      selectLedger()
        .where(({ eb, refTuple, tuple }) =>
          eb(refTuple('ledger.created_at', 'ledger.id'), '>', tuple(after.createdAt, after.id)),
        )
        .where('ledger.created_at', '<', until)
        .orderBy('ledger.created_at')
        .orderBy('ledger.id')
        .limit(pageSize),
    )
  for await (const page of readPages(engine, since, readPage)) yield* page
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
