import type { Database } from 'bun:sqlite'
import { dayMs } from '../../../lib/clock.ts'
import {
  type DayColumn,
  dayColumns,
  type Extent,
  type OddDay,
  type Page,
} from '../../ports/verification.ts'
import { type Found, toOddDay } from './day-sums.ts'
import { idSteps, inPages, pause } from './paging.ts'
import { oddTotals } from './totals.ts'

// Sums are taken as floating point, which is exact up to 2^53 and never overflows, whatever
// somebody has written into a row. The database's own sums are compared with them as numbers.
const counts: Partial<Record<DayColumn, string>> = {
  requests: '1',
  failed: 'request.cause IS NOT NULL',
  begun: 'request.first_byte_ms IS NOT NULL',
}
const sums = dayColumns.map((column) => `total(${counts[column] ?? `request.${column}`})`)

const createTable = `
CREATE TEMP TABLE summed_day (token_id INTEGER, day TEXT, model TEXT, ${dayColumns.join(', ')},
  PRIMARY KEY (token_id, day, model)) WITHOUT ROWID`

const addRequests = `
INSERT INTO temp.summed_day
SELECT token_id, strftime('%Y-%m-%d', created_at / 86400000 * 86400, 'unixepoch'),
  iif(price_id IS NULL, '', ifnull(model, '')) AS model, ${sums.join(', ')}
FROM request WHERE id > $after AND id <= $to AND created_at >= $from
GROUP BY token_id, created_at / 86400000, 3
ON CONFLICT DO UPDATE SET ${dayColumns.map((c) => `${c} = ${c} + excluded.${c}`).join(', ')}`

const columnsOf = (table: string, prefix: string) =>
  dayColumns.map((column) => `${table}.${column} AS ${prefix}_${column}`).join(', ')
/** What a former version did not count is NULL: there is nothing to compare. */
const isOther = dayColumns
  .map((c) => `ifnull(stored.${c}, summed.${c}) IS NOT summed.${c}`)
  .join(' OR ')
const inRange = (table: string) =>
  `${table}.token_id > $after AND ${table}.token_id <= $to AND ${table}.day >= $day`

const selectOdd = `
SELECT stored.token_id AS tokenId, stored.day, stored.model,
  ${columnsOf('stored', 'stored')}, ${columnsOf('summed', 'summed')}
FROM main.usage_day AS stored LEFT JOIN temp.summed_day AS summed
  USING (token_id, day, model)
WHERE ${inRange('stored')} AND (${isOther})
UNION ALL
SELECT summed.token_id, summed.day, summed.model,
  ${columnsOf('stored', 'stored')}, ${columnsOf('summed', 'summed')}
FROM temp.summed_day AS summed LEFT JOIN main.usage_day AS stored
  USING (token_id, day, model)
WHERE ${inRange('summed')} AND stored.token_id IS NULL`

const requestStep = 20_000
const tokenStep = 2_000

/**
 * Adds up all requests into a table of this connection's own, on disk where it is large; then
 * compares the daily sums with it, some tokens at a time, each time after adding the requests that
 * have come in meanwhile: both sides of a comparison are of one snapshot. Last, the totals of all
 * tokens.
 */
export async function* readOddDays(db: Database, extent: Extent): AsyncGenerator<Page<OddDay>> {
  const { since, firstRequest, lastRequest } = extent
  const from = since === undefined ? Number.MIN_SAFE_INTEGER : startOfDay(since)
  const day = since === undefined ? '' : new Date(from).toISOString().slice(0, 10)
  const first = since === undefined ? firstRequest : firstSince(db, from, firstRequest)
  db.run(createTable)
  try {
    using add = db.prepare<void, [{ after: number; to: number; from: number }]>(addRequests)
    let added = first - 1
    for (const { after, to } of idSteps(first, lastRequest, requestStep)) {
      add.run({ after, to, from })
      added = to
      yield { rows: [], looked: to - after }
      await pause()
    }
    const catchUp = () => {
      const to = maxOf(db, 'request.id')
      add.run({ after: added, to, from })
      added = Math.max(added, to)
    }
    yield* compare(db, day, catchUp)
  } finally {
    db.run('DROP TABLE temp.summed_day')
  }
}

async function* compare(
  db: Database,
  day: string,
  catchUp: () => void,
): AsyncGenerator<Page<OddDay>> {
  using odd = db.prepare<Found, [{ after: number; to: number; day: string }]>(selectOdd)
  const lastToken = Math.max(maxOf(db, 'usage_day.token_id'), maxOf(db, 'request.token_id'))
  for (let after = 0; after < lastToken; after += tokenStep) {
    db.run('BEGIN')
    try {
      catchUp()
      for (const { rows } of inPages(odd.iterate({ after, to: after + tokenStep, day }))) {
        yield { rows: rows.map(toOddDay), looked: 0 }
      }
    } finally {
      db.run('COMMIT')
    }
    await pause()
  }
  db.run('BEGIN')
  try {
    catchUp()
    yield* oddTotals(db, day)
  } finally {
    db.run('COMMIT')
  }
}

function maxOf(db: Database, column: string): number {
  const [table = ''] = column.split('.')
  const query = db.query<{ last: number | null }, []>(`SELECT max(${column}) AS last FROM ${table}`)
  return query.get()?.last ?? 0
}

/** The first request of an extent that begins at the beginning of its UTC day. */
function firstSince(db: Database, from: number, known: number): number {
  const text = 'SELECT min(id) AS id FROM request WHERE created_at >= ?'
  return db.query<{ id: number | null }, [number]>(text).get(from)?.id ?? known
}

const startOfDay = (ms: number) => Math.floor(ms / dayMs) * dayMs
