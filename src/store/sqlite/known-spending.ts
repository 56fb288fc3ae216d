import type { Database } from 'bun:sqlite'
import type { Spent } from '../ports/records.ts'
import { createSpending } from './spending.ts'

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
