import type { PriceRow } from '../ports/catalog.ts'
import type {
  LedgerEntry,
  ReceiptRows,
  Span,
  StoredRequest,
  UsageTotals,
} from '../ports/records.ts'
import { readPrice } from './catalog.ts'
import type { Queries } from './queries.ts'
import { attemptColumns, requestColumns } from './request-columns.ts'

/** Rows that an export holds in memory at once. */
const pageSize = 1000

/** Requests with the names that their ids stand for. */
export const selectRequests = ({ build }: Queries) =>
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
export function toRequest(row: RequestResult): StoredRequest {
  return {
    ...row,
    stream: row.stream === 1,
    estimated: row.estimated === 1,
    clamped: row.clamped === 1,
    longContextPricing: row.longContextPricing === 1,
  }
}

/** Ledger entries with the name of their account. */
export const selectLedger = ({ build }: Queries) =>
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

/** The last row of a page: the next one begins after it. */
interface Position {
  readonly createdAt: number
  readonly id: number
}

/** Reads page by page, and lets other work of the process run between two pages. */
async function* pages<Row extends Position>(
  readPage: (after: Position) => Row[],
  span: Span,
): AsyncGenerator<Row> {
  let after: Position = { createdAt: span.since ?? Number.MIN_SAFE_INTEGER, id: 0 }
  while (true) {
    const page = readPage(after)
    yield* page
    const last = page.at(-1)
    if (last === undefined || page.length < pageSize) return
    after = last
    await new Promise((resolve) => setImmediate(resolve))
  }
}

/** Requests by time of arrival; those that come in meanwhile are at the end. */
export function exportRequests(queries: Queries, span: Span): AsyncIterable<StoredRequest> {
  const until = span.until ?? Number.MAX_SAFE_INTEGER
  return pages(
    (after) =>
      queries
        .all(
          selectRequests(queries)
            .where(({ eb, refTuple, tuple }) =>
              eb(
                refTuple('request.created_at', 'request.id'),
                '>',
                tuple(after.createdAt, after.id),
              ),
            )
            .where('request.created_at', '<', until)
            .orderBy('request.created_at')
            .orderBy('request.id')
            .limit(pageSize),
        )
        .map(toRequest),
    span,
  )
}

/** Ledger entries in the order in which they were made. */
export function exportLedger(queries: Queries, span: Span): AsyncIterable<LedgerEntry> {
  const until = span.until ?? Number.MAX_SAFE_INTEGER
  return pages(
    (after) =>
      queries.all(
        selectLedger(queries)
          .where(({ eb, refTuple, tuple }) =>
            eb(refTuple('ledger.created_at', 'ledger.id'), '>', tuple(after.createdAt, after.id)),
          )
          .where('ledger.created_at', '<', until)
          .orderBy('ledger.created_at')
          .orderBy('ledger.id')
          .limit(pageSize),
      ),
    span,
  )
}

function findPrice({ build, first }: Queries, id: number | null): PriceRow | null {
  if (id === null) return null
  const row = first(build.selectFrom('model_price').selectAll().where('id', '=', id))
  return row === undefined ? null : readPrice(row)
}

/** A request with its attempts, price and ledger entry. */
export function findReceipt(queries: Queries, requestId: string): ReceiptRows | undefined {
  const { build, all, first } = queries
  const row = first(selectRequests(queries).where('request.request_id', '=', requestId))
  if (row === undefined) return undefined
  const attempts = all(
    build
      .selectFrom('attempt')
      .innerJoin('channel', 'channel.id', 'attempt.channel_id')
      .select(attemptColumns)
      .select('channel.name as channel')
      .where('attempt.request_row', '=', row.id)
      .orderBy('attempt.position'),
  )
  const entry = first(
    build
      .selectFrom('ledger')
      .select(['id', 'amount_nano', 'balance_after_nano'])
      .where('request_id', '=', requestId),
  )
  return {
    request: toRequest(row),
    attempts,
    price: findPrice(queries, row.priceId),
    ledgerId: entry?.id ?? null,
    ledgerAmountNano: entry?.amount_nano ?? null,
    balanceAfterNano: entry?.balance_after_nano ?? null,
  }
}

/** Totals of a token from its daily sums. */
export function sumUsage(
  { build, first }: Queries,
  tokenId: number,
  sinceDay: string | undefined,
): UsageTotals {
  const sums = first(
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
