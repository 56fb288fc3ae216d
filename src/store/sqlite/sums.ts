import type { Database } from 'bun:sqlite'
import type { Spent } from '../ports/records.ts'
import {
  countedSums,
  createDaySums,
  type DaySumsOfToken,
  type DayTotals,
} from '../queries/day-sums.ts'
import { columnOf, insertText } from '../schema/columns.ts'

function addTo(table: string, key: readonly string[]): string {
  const added = countedSums.map(columnOf).map((name) => `${name} = ${name} + excluded.${name}`)
  return `${insertText(table, [...key, ...countedSums])}
    ON CONFLICT (${key.map(columnOf).join(', ')}) DO UPDATE SET ${added.join(', ')}`
}

/** Adds requests to the daily sums: those of one batch with the same key are one writing. */
export function createDailySums(db: Database) {
  const add = db.prepare<void, [DaySumsOfToken]>(addTo('usage_day', ['tokenId', 'day', 'model']))
  const addTotal = db.prepare<void, [DayTotals]>(addTo('usage_total', ['day', 'model']))
  const sums = createDaySums()
  return {
    ...sums,
    write(): void {
      for (const one of sums.all()) add.run(one)
      for (const totals of sums.totals()) addTotal.run(totals)
    },
  }
}

const maxKnown = 10_000

/** What one token was charged for requests of one UTC day. */
type Charge = Pick<DaySumsOfToken, 'tokenId' | 'day' | 'amountNano'>

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
