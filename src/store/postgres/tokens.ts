import { type Clock, utcDay } from '../../lib/clock.ts'
import type { TokenRecord } from '../ports/tokens.ts'
import { type FoundToken, foundTokenColumns, toTokenRecord } from '../queries/tokens.ts'
import type { Connections } from './connections.ts'
import type { Patience } from './engine.ts'

/**
 * With what was spent, where there is a budget: in all, on a day, and in its month. Mostly a commit has
 * the sums ready.
 */
const findByHash = `SELECT ${foundTokenColumns}, coalesce(kept.total_nano, spent.total) AS "spentTotal",
  coalesce(kept.day_nano, spent.day) AS "spentDay",
  coalesce(kept.month_nano, spent.month) AS "spentMonth"
FROM token JOIN account ON account.id = token.account_id
LEFT JOIN token_spending AS kept ON kept.token_id = token.id AND kept.day = $2
CROSS JOIN LATERAL (
  SELECT coalesce(sum(amount_nano), 0) AS total,
    coalesce(sum(amount_nano) FILTER (WHERE day = $2), 0) AS day,
    coalesce(sum(amount_nano) FILTER (WHERE left(day, 7) = left($2, 7)), 0) AS month
  FROM usage_day WHERE token_id = token.id AND kept.token_id IS NULL
    AND coalesce(budget_total_nano, budget_day_nano, budget_month_nano) IS NOT NULL
) AS spent
WHERE token.key_hash = $1 ORDER BY token.id DESC LIMIT 1`

interface Found extends FoundToken {
  readonly spentTotal: number
  readonly spentDay: number
  readonly spentMonth: number
}

/** The hot path's reading: one prepared statement. Of several rows of a key, the newest counts. */
export function createTokenLookup(connections: Connections, patiently: Patience, clock: Clock) {
  return async (keyHash: string): Promise<TokenRecord | undefined> => {
    const today = utcDay(clock())
    const statement = { text: findByHash, values: [keyHash, today], name: 'find_token' }
    const { rows } = await patiently(() => connections.query(statement))
    const found = rows[0] as unknown as Found | undefined
    if (found === undefined) return undefined
    const { spentTotal: totalNano, spentDay: dayNano, spentMonth: monthNano, ...row } = found
    return toTokenRecord(row, () => ({ totalNano, dayNano, monthNano, day: today }))
  }
}
