import { BadCursor, type Listed, type PageAsked } from '../../ports/lists.ts'
import type { Reader } from './reader.ts'
import { countAll, endOfIds, findNewest, type Key, type Search } from './search.ts'

const maxSize = 1_000

/**
 * Finds a page's rows, reads them by their keys and counts what there is. A list whose page is filled
 * at once is read by three short statements.
 */
export async function readPage<Row>(
  reader: Reader,
  search: Search,
  page: PageAsked,
  readRows: (keys: readonly Key[]) => Promise<readonly Row[]>,
): Promise<Listed<Row>> {
  const size = Math.min(Math.max(Math.trunc(page.size), 1), maxSize)
  const found = await findNewest(reader, after(search, page), size + 1)
  const keys = found.keys.slice(0, size)
  const isFull = found.keys.length > size
  const isCutShort = !isFull && found.lookedDownTo > search.from
  return {
    rows: keys.length === 0 ? [] : await readRows(keys),
    ...(await countFor(reader, search, page, { found: keys.length, isFull, isCutShort })),
    next: isFull ? cursorOf(keys.at(-1)) : isCutShort ? String(found.lookedDownTo) : null,
    searchedBackTo: isCutShort ? await timeOf(reader, search, found.lookedDownTo) : null,
  }
}

interface Outcome {
  readonly found: number
  readonly isFull: boolean
  readonly isCutShort: boolean
}

/** What was looked through for the rows of a page is not looked through again to count them. */
function countFor(
  reader: Reader,
  search: Search,
  { cursor, isCounted }: PageAsked,
  { found, isFull, isCutShort }: Outcome,
) {
  if (cursor === undefined && !isFull) return { total: found, totalIsExact: !isCutShort }
  return isCounted === false ? { total: 0, totalIsExact: false } : countAll(reader, search)
}

/** A cursor is the key of the last row that was shown: the next one is below. */
function cursorOf(key: Key | undefined): string | null {
  if (key === undefined) return null
  return key.place === undefined ? String(key.id) : `${key.id}.${key.place}`
}

const cursors = /^(\d{1,15})(?:\.(\d{1,9}))?$/

/** What of a search is behind a cursor. */
function after(search: Search, { cursor }: PageAsked): Search {
  if (cursor === undefined) return search
  const [, id, place] = cursors.exec(cursor) ?? []
  const isKnown = place === undefined || search.place !== undefined
  if (id === undefined || !isKnown) throw new BadCursor(`"${cursor}" is no cursor of this list.`)
  if (place === undefined) return { ...search, to: Math.min(search.to, Number(id)) }
  const rest = {
    sql: `(${search.id} < ? OR ${search.place} < ?)`,
    values: [Number(id), Number(place)],
  }
  return {
    ...search,
    to: Math.min(search.to, Number(id) + 1),
    others: [...search.others, rest],
  }
}

/** When the row with this id, or the one that follows, was made. */
async function timeOf(reader: Reader, { table, id }: Search, at: number): Promise<number | null> {
  const [timeTable, timeId] = table === 'attempt' ? ['request', 'id'] : [table, id]
  const [row] = await reader.all<{ time: number }>(
    `SELECT created_at AS time FROM ${timeTable} WHERE ${timeId} >= ? ORDER BY ${timeId} LIMIT 1`,
    [at],
  )
  return row?.time ?? null
}

/** Tables with a time and an index on it, in whose order rows are made but for a little. */
type TimedTable = 'request' | 'ledger'

/** Longer than requests last: of two that begin so far apart the later one ends later, too. */
export const requestMs = 3_600_000

/**
 * Most rows that are looked at. Rows are numbered when they end: of so many that begin one after the
 * other, one has the lowest number of all that begin later, too.
 */
const rowsAtOnce = { first: 20_000, last: 200_000 }

/** Ids beyond which nothing lies in a span of time. */
export async function idsIn(
  reader: Reader,
  table: TimedTable,
  { since, until }: { readonly since?: number | undefined; readonly until?: number | undefined },
): Promise<{ readonly from: number; readonly to: number }> {
  const find = async (what: string, sql: string, values: readonly number[]) => {
    const [row] = await reader.all<{ id: number | null }>(
      `SELECT ${what}(id) AS id FROM (SELECT id FROM ${table} INDEXED BY ${table}_created_at
        WHERE ${sql} LIMIT ?)`,
      values,
    )
    return row?.id ?? undefined
  }
  const findFirst = (time: number) =>
    find(
      'min',
      `created_at >= ? AND created_at <= ${requestMs} +
        (SELECT min(created_at) FROM ${table} WHERE created_at >= ?) ORDER BY created_at`,
      [time, time, rowsAtOnce.first],
    )
  const findLast = (time: number) =>
    find(
      'max',
      `created_at < ? AND created_at >= -${requestMs} +
        (SELECT max(created_at) FROM ${table} WHERE created_at < ?) ORDER BY created_at DESC`,
      [time, time, rowsAtOnce.last],
    )
  const nothing = { from: 0, to: 0 }
  const from = since === undefined ? 0 : await findFirst(since)
  const last = until === undefined ? endOfIds - 1 : await findLast(until)
  return from === undefined || last === undefined ? nothing : { from, to: last + 1 }
}
