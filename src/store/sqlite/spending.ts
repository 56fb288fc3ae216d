import type { Database } from 'bun:sqlite'
import type { Spent } from '../ports/records.ts'

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
