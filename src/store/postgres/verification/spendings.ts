import { sql } from 'kysely'
import type { OddSpending, Page } from '../../ports/verification.ts'
import { all } from '../../queries/steps.ts'
import { inPages } from '../../queries/verification/paging.ts'
import type { Reading } from '../../queries/verification/verification.ts'

// Sums as floating point never overflow, whatever somebody has written into a row.
const spentOf = sql.raw(`
  SELECT coalesce(sum(nano), 0) AS total,
    coalesce(sum(nano) FILTER (WHERE left(day, 7) = left(kept.day, 7)), 0) AS month,
    coalesce(sum(nano) FILTER (WHERE day = kept.day), 0) AS of_day
  FROM (SELECT day, amount_nano::double precision AS nano FROM usage_day
    WHERE usage_day.token_id = kept.token_id) AS days`)

const selectOdd = sql<OddSpending>`
SELECT * FROM (
  SELECT kept.token_id AS "tokenId", kept.day,
    ARRAY[kept.total_nano, kept.month_nano, kept.day_nano, kept.reserved_nano]::double precision[] AS stored,
    ARRAY[spent.total, spent.month, spent.of_day, coalesce(held.nano, 0)] AS summed
  FROM token_spending AS kept CROSS JOIN LATERAL (${spentOf}) AS spent
  LEFT JOIN (
    SELECT token_id, sum(amount_nano::double precision) AS nano FROM reservation GROUP BY token_id
  ) AS held ON held.token_id = kept.token_id
) AS sums WHERE stored <> summed ORDER BY "tokenId"`

/** What is kept of tokens with a budget, and is not the sum of their days and reservations. */
export async function* readOddSpendings({ read }: Reading): AsyncGenerator<Page<OddSpending>> {
  yield* inPages(await read(() => all(selectOdd)))
}
