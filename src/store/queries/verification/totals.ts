import { sql } from 'kysely'
import { type DayColumn, dayColumns } from '../../ports/verification.ts'
import { all, type Steps } from '../steps.ts'
import type { Found } from './day-sums.ts'

const eachColumn = (text: (column: DayColumn) => string, between = ', ') =>
  sql.raw(dayColumns.map(text).join(between))

/** What one row of a day does not know, for a former version did not count it, is not known of all. */
const sumsIn = (table: string, day: string) => sql`(
  SELECT day, model, ${eachColumn(
    (c) => `CASE WHEN count(${c}) = count(*) THEN sum(CAST(${c} AS double precision)) END AS ${c}`,
  )}
  FROM ${sql.raw(table)} WHERE day >= ${day} GROUP BY day, model)`

/** What is not known on one side (NULL) is no difference. */
const isOdd = (column: DayColumn) =>
  `(stored.${column} <> coalesce(daily.${column}, requested.${column})
    AND stored.${column} <> coalesce(requested.${column}, daily.${column}))`

const hasNone = '(daily.requests IS NULL AND requested.requests IS NULL)'

/** The figure that a column should have, which is the stored one unless that is odd. */
const summed = (column: DayColumn) => `CASE
  WHEN ${hasNone} THEN NULL
  WHEN stored.requests IS NULL OR ${isOdd(column)}
  THEN coalesce(daily.${column}, requested.${column})
  ELSE stored.${column} END AS summed_${column}`

const selectOdd = (day: string) => sql<Found>`
SELECT NULL AS "tokenId", day, model, ${eachColumn((c) => `stored.${c} AS stored_${c}`)},
  ${eachColumn(summed)}
FROM (SELECT * FROM usage_total WHERE day >= ${day}) AS stored
FULL JOIN ${sumsIn('usage_day', day)} AS daily USING (day, model)
LEFT JOIN ${sumsIn('summed_day', day)} AS requested USING (day, model)
WHERE (stored.requests IS NULL AND requested.requests IS NOT NULL)
  OR ${sql.raw(hasNone)}
  OR ${eachColumn(isOdd, ' OR ')}`

/**
 * Totals of all tokens that are neither the sums of each token's days nor those of the requests in
 * `summed_day`: where a token's day or a request is wrong, that is told of them, and once. Must run
 * in the snapshot in which the last requests were added there. The table is small; the days of all
 * tokens are read in one statement, a million of them in about two seconds.
 */
export const readOddTotals = (day: string): Steps<readonly Found[]> => all(selectOdd(day))
