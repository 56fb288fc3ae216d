import type { Database } from 'bun:sqlite'
import { utcDay } from '../../lib/clock.ts'
import type { RequestRow, Spent } from '../ports/records.ts'

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

/** Tokens that are remembered at once. */
const maxKnown = 10_000

/** What one token was charged for requests of one UTC day. */
interface Charge {
  readonly tokenId: number
  readonly day: string
  readonly amountNano: number
}

/**
 * What tokens have spent, remembered from batch to batch: the daily sums of a token are read once and
 * not at each commit, for a token that is old has thousands. Only for use inside of a transaction
 * that holds the write lock.
 */
export function createKnownSpending(db: Database) {
  const spending = createSpending(db)
  const dataVersion = db.prepare<{ data_version: number }, []>('PRAGMA data_version')
  const known = new Map<number, Spent>()
  let seenVersion: number | undefined
  return {
    /** Adds what this transaction has written to the daily sums. */
    add(charges: Iterable<Charge>): void {
      if (known.size === 0) return
      const version = dataVersion.get()?.data_version
      // Another process may have written them, too.
      if (version !== seenVersion || known.size > maxKnown) known.clear()
      seenVersion = version
      for (const charge of charges) {
        const spent = known.get(charge.tokenId)
        if (spent) known.set(charge.tokenId, sumOf(spent, charge))
      }
    },
    /** After `add`: all that was spent, with this transaction. */
    get(tokenId: number, day: string): Spent {
      const spent = known.get(tokenId)
      if (spent?.day === day) return spent
      const found = spending(tokenId, day)
      known.set(tokenId, found)
      return found
    },
    /** After a transaction that was taken back. */
    forget: () => known.clear(),
  }
}

function sumOf(spent: Spent, { day, amountNano }: Charge): Spent {
  const { totalNano, dayNano, monthNano } = spent
  const isSameMonth = day.slice(0, 7) === spent.day.slice(0, 7)
  return {
    totalNano: totalNano + amountNano,
    dayNano: day === spent.day ? dayNano + amountNano : dayNano,
    monthNano: isSameMonth ? monthNano + amountNano : monthNano,
    day: spent.day,
  }
}

const spentText = `
SELECT ifnull(sum(amount_nano), 0) AS totalNano,
  ifnull(sum(amount_nano) FILTER (WHERE day = $day), 0) AS dayNano,
  ifnull(sum(amount_nano) FILTER (WHERE substr(day, 1, 7) = substr($day, 1, 7)), 0) AS monthNano
FROM usage_day WHERE token_id = $tokenId`

/**
 * What a token was charged in all, on a UTC day and in that day's month, by the daily sums that
 * `verify` holds to the ledger. A clock that was set back takes nothing out of the whole.
 */
export function createSpending(db: Database): (tokenId: number, day: string) => Spent {
  const statement = db.prepare<Omit<Spent, 'day'>, [{ tokenId: number; day: string }]>(spentText)
  return (tokenId, day) => {
    const sums = statement.get({ tokenId, day })
    return { totalNano: 0, dayNano: 0, monthNano: 0, ...sums, day }
  }
}
