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

type Sums = { [Name in (typeof summed)[number]]: number } & {
  readonly tokenId: number
  readonly day: string
  readonly pricedModel: string
  requests: number
  failed: number
  begun: number
  firstByteMs: number
}

const addUsage = `
INSERT INTO usage_day (token_id, day, model, requests, input_tokens, output_tokens,
  reasoning_tokens, cache_read_tokens, cache_write_tokens, cache_write_1h_tokens, amount_nano,
  failed, begun, first_byte_ms)
VALUES ($tokenId, $day, $pricedModel, $requests, $inputTokens, $outputTokens, $reasoningTokens,
  $cacheReadTokens, $cacheWriteTokens, $cacheWrite1hTokens, $amountNano, $failed, $begun, $firstByteMs)
ON CONFLICT (token_id, day, model) DO UPDATE SET
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

/** Adds requests to the daily sums: those of one batch with the same key are one writing. */
export function createDailySums(db: Database) {
  const add = db.prepare<void, [Sums]>(addUsage)
  const open = new Map<string, Sums>()
  return {
    add(request: RequestRow): void {
      const { tokenId, createdAt, priceId, model } = request
      const day = utcDay(createdAt)
      const pricedModel = priceId === null ? '' : (model ?? '')
      const key = `${tokenId} ${day} ${pricedModel}`
      const sums = open.get(key) ?? emptySums({ tokenId, day, pricedModel })
      open.set(key, sums)
      sums.requests++
      if (request.cause !== null) sums.failed++
      if (request.firstByteMs !== null) {
        sums.begun++
        sums.firstByteMs += request.firstByteMs
      }
      for (const name of summed) sums[name] += request[name]
    },
    write(): void {
      for (const sums of open.values()) add.run(sums)
    },
    /** Those of this transaction. */
    all: () => open.values(),
    /** Before a transaction. */
    forget: () => open.clear(),
  }
}

function emptySums(key: Pick<Sums, 'tokenId' | 'day' | 'pricedModel'>): Sums {
  return {
    ...key,
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
