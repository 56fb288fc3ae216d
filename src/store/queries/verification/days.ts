import { dayMs } from '../../../lib/clock.ts'
import {
  type DayColumn,
  type DaySums,
  dayColumns,
  type Extent,
  type OddDay,
  type Page,
} from '../../ports/verification.ts'
import { type Sql, sql } from '../../schema/sql.ts'
import { all, idSteps, inPages, maxOf, one, pageSize, pause, run, type Steps } from '../steps.ts'
import type { Reading, VerificationParts } from './verification.ts'

export interface DayWords {
  /** Makes the temporary table `summed_day` of `dayColumns`, by `token_id`, `day` and `model`. */
  readonly createTable: Sql
  /** The UTC day, `2026-11-21`, of a time in milliseconds that is the beginning of one. */
  readonly dayOf: (ms: Sql) => Sql
}

const eachColumn = (text: (column: DayColumn) => string, between = ', ') =>
  sql.raw(dayColumns.map(text).join(between))

const names = eachColumn((column) => column)

const isSet = (column: string) => `CASE WHEN ${column} IS NULL THEN 0 ELSE 1 END`
const counts: { readonly [column in DayColumn]?: string } = {
  requests: '1',
  failed: isSet('request.cause'),
  begun: isSet('request.first_byte_ms'),
}
// Sums as floating point are exact up to 2^53, and never overflow, whatever a row holds.
const sums = eachColumn(
  (c) => `coalesce(sum(CAST(${counts[c] ?? `request.${c}`} AS double precision)), 0)`,
)
const added = eachColumn((c) => `${c} = summed_day.${c} + excluded.${c}`)
const dayNumber = sql.raw(`request.created_at / ${dayMs}`)
const modelName = sql`CASE WHEN price_id IS NULL THEN '' ELSE coalesce(model, '') END`

const addRequests = ({ dayOf }: DayWords, after: number, to: number, from: number) => sql`
INSERT INTO summed_day (token_id, day, model, ${names})
SELECT token_id, ${dayOf(sql`${dayNumber} * ${sql.lit(dayMs)}`)}, ${modelName}, ${sums}
FROM request WHERE id > ${after} AND id <= ${to} AND created_at >= ${from}
GROUP BY token_id, ${dayNumber}, 3
ON CONFLICT (token_id, day, model) DO UPDATE SET ${added}`

const columnsOf = (table: string) => eachColumn((c) => `${table}.${c} AS ${table}_${c}`)
const bothSides = sql`${columnsOf('stored')}, ${columnsOf('summed')}`
/** NULL: a former version did not count it. */
const isOther = eachColumn(
  (c) => `coalesce(stored.${c}, summed.${c}) IS DISTINCT FROM summed.${c}`,
  ' OR ',
)

interface Range {
  readonly after: number
  readonly to: number
  readonly day: string
  readonly last: Found | undefined
}

const inRange = (table: string, { after, to, day, last }: Range) => {
  const [name, token] = [sql.raw(table), sql.ref(`${table}.token_id`)]
  const rest =
    last &&
    sql` AND (${token}, ${name}.day, ${name}.model) > (${last.tokenId}, ${last.day}, ${last.model})`
  return sql`${token} > ${after} AND ${token} <= ${to} AND ${name}.day >= ${day}${rest ?? sql``}`
}

const selectOdd = (range: Range) => sql<Found>`
SELECT * FROM (
  SELECT stored.token_id AS "tokenId", stored.day, stored.model, ${bothSides}
  FROM usage_day AS stored LEFT JOIN summed_day AS summed USING (token_id, day, model)
  WHERE ${inRange('stored', range)} AND (${isOther})
  UNION ALL
  SELECT summed.token_id, summed.day, summed.model, ${bothSides}
  FROM summed_day AS summed LEFT JOIN usage_day AS stored USING (token_id, day, model)
  WHERE ${inRange('summed', range)} AND stored.token_id IS NULL
) AS odd ORDER BY "tokenId", day, model LIMIT ${sql.lit(pageSize)}`

const requestStep = 20_000
const tokenStep = 2_000

/** Adds up all requests into a temporary table, and compares the daily sums and totals with it. */
export async function* readOddDays(
  { session: open, words }: VerificationParts,
  extent: Extent,
): AsyncGenerator<Page<OddDay>> {
  const { since, firstRequest, lastRequest } = extent
  const from = since === undefined ? Number.MIN_SAFE_INTEGER : startOfDay(since)
  const day = since === undefined ? '' : new Date(from).toISOString().slice(0, 10)
  await using session = await open()
  const start = since === undefined ? firstRequest : await firstSince(session, from, firstRequest)
  await session.read(() => run(words.createTable))
  try {
    let last = start - 1
    for (const { after, to } of idSteps(start, lastRequest, requestStep)) {
      await session.read(() => run(addRequests(words, after, to, from)))
      last = to
      yield { rows: [], looked: to - after }
      await pause()
    }
    const compareAll = function* <Row>(steps: () => Steps<Row>): Steps<Row> {
      const to = yield* maxOf('request', 'id')
      if (to > last) yield* run(addRequests(words, last, to, from))
      last = Math.max(last, to)
      return yield* steps()
    }
    yield* compare(session, day, compareAll)
  } finally {
    await session.read(() => run(sql`DROP TABLE summed_day`))
  }
}

type Compare = <Row>(steps: () => Steps<Row>) => Steps<Row>

async function* compare(
  { read, snapshot }: Reading,
  day: string,
  upToNow: Compare,
): AsyncGenerator<Page<OddDay>> {
  const [days, requests] = [
    await read(() => maxOf('usage_day', 'token_id')),
    await read(() => maxOf('summed_day', 'token_id')),
  ]
  for (let after = 0; after < Math.max(days, requests); after += tokenStep) {
    let last: Found | undefined
    do {
      const range = { after, to: after + tokenStep, day, last }
      const found = await snapshot(() => upToNow(() => all(selectOdd(range))))
      if (found.length > 0) yield { rows: found.map(toOddDay), looked: 0 }
      last = found.length < pageSize ? undefined : found.at(-1)
      await pause()
    } while (last !== undefined)
  }
  const totals = await snapshot(() => upToNow(() => readOddTotals(day)))
  for (const { rows } of inPages(totals)) yield { rows: rows.map(toOddDay), looked: 0 }
}

async function firstSince({ read }: Reading, from: number, known: number): Promise<number> {
  const { id } = await read(() =>
    one(
      sql<{ id: number | null }>`
        SELECT min(id) AS id FROM (SELECT id FROM request WHERE created_at >= ${from}
          ORDER BY created_at LIMIT ${sql.lit(Number.MAX_SAFE_INTEGER)}) AS later`,
    ),
  )
  return id ?? known
}

const startOfDay = (ms: number) => Math.floor(ms / dayMs) * dayMs

type Prefixed<Prefix extends string> = {
  readonly [column in DayColumn as `${Prefix}_${column}`]: number | null
}
/** A row that differs, with the columns of both sides; all NULL: that side has none. */
type Found = Pick<OddDay, 'tokenId' | 'day' | 'model'> & Prefixed<'stored'> & Prefixed<'summed'>

/** Both sides of a row; an unknown sum is shown as that of the other side. */
function toOddDay(found: Found): OddDay {
  const { tokenId, day, model } = found
  return { tokenId, day, model, stored: sumsOf(found, 'stored'), summed: sumsOf(found, 'summed') }
}

function sumsOf(found: Found, prefix: 'stored' | 'summed'): DaySums | null {
  if (found[`${prefix}_requests`] === null) return null
  const pairs = dayColumns.map((column) => {
    const sum = found[`${prefix}_${column}`] ?? found[`summed_${column}`] ?? 0
    return [column, sum] as const
  })
  return Object.fromEntries(pairs) as DaySums
}

/** A sum is unknown where a former version left out one of its rows. */
const sumsIn = (table: string, day: string) => sql`(
  SELECT day, model, ${eachColumn(
    (c) => `CASE WHEN count(${c}) = count(*) THEN sum(CAST(${c} AS double precision)) END AS ${c}`,
  )}
  FROM ${sql.raw(table)} WHERE day >= ${day} GROUP BY day, model)`

/** An unknown side (NULL) is no difference. */
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

const selectOddTotals = (day: string) => sql<Found>`
SELECT NULL AS "tokenId", day, model, ${eachColumn((c) => `stored.${c} AS stored_${c}`)},
  ${eachColumn(summed)}
FROM (SELECT * FROM usage_total WHERE day >= ${day}) AS stored
FULL JOIN ${sumsIn('usage_day', day)} AS daily USING (day, model)
LEFT JOIN ${sumsIn('summed_day', day)} AS requested USING (day, model)
WHERE (stored.requests IS NULL AND requested.requests IS NOT NULL)
  OR ${sql.raw(hasNone)}
  OR ${eachColumn(isOdd, ' OR ')}`

/** Call it in the snapshot in which the last requests were added to `summed_day`. */
const readOddTotals = (day: string): Steps<readonly Found[]> => all(selectOddTotals(day))
