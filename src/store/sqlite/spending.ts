import type { Database } from 'bun:sqlite'
import type { Spent } from '../ports/records.ts'

const spentText = `
SELECT ifnull(sum(amount_nano), 0) AS totalNano,
  ifnull(sum(amount_nano) FILTER (WHERE day = $day), 0) AS dayNano,
  ifnull(sum(amount_nano) FILTER (WHERE day >= substr($day, 1, 7)), 0) AS monthNano
FROM usage_day WHERE token_id = $tokenId AND day <= $day`

/** The UTC day of a time, `2026-11-21`; the day of the last call is remembered. */
export function createDayName(): (timeMs: number) => string {
  let number = Number.NaN
  let name = ''
  return (timeMs) => {
    const day = Math.floor(timeMs / 86_400_000)
    if (day !== number) {
      number = day
      name = new Date(timeMs).toISOString().slice(0, 10)
    }
    return name
  }
}

/** What a token was charged up to a UTC day, by the daily sums that `verify` holds to the ledger. */
export function createSpending(db: Database): (tokenId: number, day: string) => Spent {
  const statement = db.prepare<Omit<Spent, 'day'>, [{ tokenId: number; day: string }]>(spentText)
  return (tokenId, day) => {
    const sums = statement.get({ tokenId, day })
    return { totalNano: 0, dayNano: 0, monthNano: 0, ...sums, day }
  }
}
