import type { Database } from 'bun:sqlite'
import { utcDay } from '../../lib/clock.ts'
import type { RequestRow } from '../ports/records.ts'

const summed = [
  'inputTokens',
  'outputTokens',
  'reasoningTokens',
  'cacheReadTokens',
  'cacheWriteTokens',
  'cacheWrite1hTokens',
  'amountNano',
] as const

const counted = [...summed, 'requests', 'failed', 'begun', 'firstByteMs'] as const

/** Of all tokens. */
type Totals = { [Name in (typeof counted)[number]]: number } & {
  readonly day: string
  readonly pricedModel: string
}
type Sums = Totals & { readonly tokenId: number }

const addTo = (table: string, key: string, keyValues: string) => `
INSERT INTO ${table} (${key}, requests, input_tokens, output_tokens,
  reasoning_tokens, cache_read_tokens, cache_write_tokens, cache_write_1h_tokens, amount_nano,
  failed, begun, first_byte_ms)
VALUES (${keyValues}, $requests, $inputTokens, $outputTokens, $reasoningTokens,
  $cacheReadTokens, $cacheWriteTokens, $cacheWrite1hTokens, $amountNano, $failed, $begun, $firstByteMs)
ON CONFLICT (${key}) DO UPDATE SET
  requests = requests + excluded.requests,
  input_tokens = input_tokens + excluded.input_tokens,
  output_tokens = output_tokens + excluded.output_tokens,
  reasoning_tokens = reasoning_tokens + excluded.reasoning_tokens,
  cache_read_tokens = cache_read_tokens + excluded.cache_read_tokens,
  cache_write_tokens = cache_write_tokens + excluded.cache_write_tokens,
  cache_write_1h_tokens = cache_write_1h_tokens + excluded.cache_write_1h_tokens,
  amount_nano = amount_nano + excluded.amount_nano,
  failed = failed + excluded.failed,
  begun = begun + excluded.begun,
  first_byte_ms = first_byte_ms + excluded.first_byte_ms`

const addUsage = addTo('usage_day', 'token_id, day, model', '$tokenId, $day, $pricedModel')
const addTotals = addTo('usage_total', 'day, model', '$day, $pricedModel')

type SumKey = Pick<RequestRow, 'tokenId' | 'createdAt' | 'priceId' | 'model'>

/** Adds requests to the daily sums: those of one batch with the same key are one writing. */
export function createDailySums(db: Database) {
  const add = db.prepare<void, [Sums]>(addUsage)
  const addTotal = db.prepare<void, [Totals]>(addTotals)
  const open = new Map<string, Sums>()

  function sumsOf({ tokenId, createdAt, priceId, model }: SumKey): Sums {
    const day = utcDay(createdAt)
    const pricedModel = priceId === null ? '' : (model ?? '')
    const key = `${tokenId} ${day} ${pricedModel}`
    const sums = open.get(key) ?? { tokenId, ...emptyTotals(day, pricedModel) }
    open.set(key, sums)
    return sums
  }

  return {
    add(request: RequestRow): void {
      const sums = sumsOf(request)
      sums.requests++
      if (request.cause !== null) sums.failed++
      if (request.firstByteMs !== null) {
        sums.begun++
        sums.firstByteMs += request.firstByteMs
      }
      for (const name of summed) sums[name] += request[name]
    },
    /** One that was interrupted, used nothing, and is replaced. */
    takeOut(request: SumKey & Pick<RequestRow, 'cause'>): void {
      const sums = sumsOf(request)
      sums.requests--
      if (request.cause !== null) sums.failed--
    },
    write(): void {
      for (const sums of open.values()) add.run(sums)
      for (const totals of totalsOf(open.values())) addTotal.run(totals)
    },
    /** Those of this transaction. */
    all: () => open.values(),
    /** Before a transaction. */
    forget: () => open.clear(),
  }
}

/** The sums of all tokens, for each day and model: of a batch mostly a few. */
function totalsOf(all: Iterable<Sums>): Iterable<Totals> {
  const totals = new Map<string, Totals>()
  for (const sums of all) {
    const { day, pricedModel } = sums
    const key = `${day} ${pricedModel}`
    const total = totals.get(key) ?? emptyTotals(day, pricedModel)
    totals.set(key, total)
    for (const name of counted) total[name] += sums[name]
  }
  return totals.values()
}

function emptyTotals(day: string, pricedModel: string): Totals {
  return {
    day,
    pricedModel,
    requests: 0,
    failed: 0,
    begun: 0,
    firstByteMs: 0,
    inputTokens: 0,
    outputTokens: 0,
    reasoningTokens: 0,
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
    cacheWrite1hTokens: 0,
    amountNano: 0,
  }
}
