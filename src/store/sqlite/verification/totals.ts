import type { Database } from 'bun:sqlite'
import { type DayColumn, dayColumns, type OddDay, type Page } from '../../ports/verification.ts'
import { type Found, toOddDay } from './day-sums.ts'
import { inPages } from './paging.ts'

/** What one row of a day does not know, for a former version did not count it, is not known of all. */
const sumsIn = (table: string) => `(
  SELECT day, model,
    ${dayColumns.map((c) => `iif(count(${c}) = count(*), total(${c}), NULL) AS ${c}`).join(', ')}
  FROM ${table} WHERE day >= $day GROUP BY day, model)`

/** What is not known on one side (NULL) is no difference. */
const isOdd = (column: DayColumn) =>
  `(stored.${column} <> ifnull(daily.${column}, requested.${column})
    AND stored.${column} <> ifnull(requested.${column}, daily.${column}))`

const hasNone = 'daily.requests IS NULL AND requested.requests IS NULL'

/** The figure that a column should have, which is the stored one unless that is odd. */
const summed = (column: DayColumn) => `CASE
  WHEN ${hasNone} THEN NULL
  WHEN stored.requests IS NULL OR ${isOdd(column)}
  THEN ifnull(daily.${column}, requested.${column})
  ELSE stored.${column} END AS summed_${column}`

const selectOdd = `
SELECT NULL AS tokenId, day, model,
  ${dayColumns.map((column) => `stored.${column} AS stored_${column}`).join(', ')},
  ${dayColumns.map(summed).join(', ')}
FROM (SELECT * FROM main.usage_total WHERE day >= $day) AS stored
FULL JOIN ${sumsIn('main.usage_day')} AS daily USING (day, model)
LEFT JOIN ${sumsIn('temp.summed_day')} AS requested USING (day, model)
WHERE (stored.requests IS NULL AND requested.requests IS NOT NULL)
  OR (${hasNone})
  OR ${dayColumns.map(isOdd).join(' OR ')}`

/**
 * Totals of all tokens that are neither the sums of each token's days nor those of the requests in
 * `temp.summed_day`: where a token's day or a request is wrong, that is told of them, and once.
 * Must run in the transaction that has added the last requests there. The table is small; the days
 * of all tokens are read in one statement, a million of them in about two seconds.
 */
export function* oddTotals(db: Database, day: string): Generator<Page<OddDay>> {
  using odd = db.prepare<Found, [{ day: string }]>(selectOdd)
  for (const { rows } of inPages(odd.iterate({ day }))) {
    yield { rows: rows.map(toOddDay), looked: 0 }
  }
}
