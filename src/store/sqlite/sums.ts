import type { Database } from 'bun:sqlite'
import { utcDay } from '../../lib/clock.ts'
import type { RequestRow, Spent } from '../ports/records.ts'
import { columnOf, insertText } from '../schema/columns.ts'

const summed = [
  ...(['inputTokens', 'outputTokens', 'reasoningTokens', 'cacheReadTokens'] as const),
  ...(['cacheWriteTokens', 'cacheWrite1hTokens', 'amountNano'] as const),
] as const

const counted = [...summed, 'requests', 'failed', 'begun', 'firstByteMs'] as const

type Totals = { [Name in (typeof counted)[number]]: number } & {
  readonly day: string
  readonly model: string
}
type Sums = Totals & { readonly tokenId: number }

function addTo(table: string, key: readonly string[]): string {
  const added = counted.map(columnOf).map((name) => `${name} = ${name} + excluded.${name}`)
  return `${insertText(table, [...key, ...counted])}
    ON CONFLICT (${key.map(columnOf).join(', ')}) DO UPDATE SET ${added.join(', ')}`
}

type SumKey = Pick<RequestRow, 'tokenId' | 'createdAt' | 'priceId' | 'model'>

/** Adds requests to the daily sums: those of one batch with the same key are one writing. */
export function createDailySums(db: Database) {
  const add = db.prepare<void, [Sums]>(addTo('usage_day', ['tokenId', 'day', 'model']))
  const addTotal = db.prepare<void, [Totals]>(addTo('usage_total', ['day', 'model']))
  const open = new Map<string, Sums>()

  function sumsOf({ tokenId, createdAt, priceId, model: asked }: SumKey): Sums {
    const day = utcDay(createdAt)
    const model = priceId === null ? '' : (asked ?? '')
    const key = `${tokenId} ${day} ${model}`
    const sums = open.get(key) ?? { tokenId, ...emptyTotals(day, model) }
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
    all: () => open.values(),
    forget: () => open.clear(),
  }
}

/** The sums of all tokens, for each day and model: of a batch mostly a few. */
function totalsOf(all: Iterable<Sums>): Iterable<Totals> {
  const totals = new Map<string, Totals>()
  for (const sums of all) {
    const { day, model } = sums
    const key = `${day} ${model}`
    const total = totals.get(key) ?? emptyTotals(day, model)
    totals.set(key, total)
    for (const name of counted) total[name] += sums[name]
  }
  return totals.values()
}

const zeros = Object.fromEntries(counted.map((name) => [name, 0])) as Omit<Totals, 'day' | 'model'>
const emptyTotals = (day: string, model: string): Totals => ({ ...zeros, day, model })

const maxKnown = 10_000

/** What one token was charged for requests of one UTC day. */
type Charge = Pick<Sums, 'tokenId' | 'day' | 'amountNano'>

/** What tokens have spent, cached between batches. For transactions that hold the write lock. */
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

/** What a token was charged in all, on a UTC day and in its month, by the daily sums. */
export function createSpending(db: Database): (tokenId: number, day: string) => Spent {
  const statement = db.prepare<Omit<Spent, 'day'>, [{ tokenId: number; day: string }]>(spentText)
  return (tokenId, day) => {
    const sums = statement.get({ tokenId, day })
    return { totalNano: 0, dayNano: 0, monthNano: 0, ...sums, day }
  }
}
