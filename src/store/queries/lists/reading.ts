import { yieldProcessor } from '../../../lib/scheduling.ts'
import { createPauses } from '../../../lib/slices.ts'
import { BadCursor, type Listed, type PageAsked } from '../../ports/lists.ts'
import { type Sql, sql } from '../../schema/sql.ts'
import type { Steps } from '../steps.ts'
import {
  blockBitsOf,
  columnsOf,
  countAll,
  countsIds,
  endOfIds,
  findFirst,
  type Key,
  type ListSource,
  lastId,
  type Order,
  read,
  type Search,
  selectOf,
} from './search.ts'

const maxSize = 1_000

/** Finds a page's rows, reads them by their keys (newest first) and counts what there is. */
export async function readPage<Row>(
  source: ListSource,
  search: Search,
  page: PageAsked,
  readRows: (keys: readonly Key[]) => Steps<readonly Row[]>,
): Promise<Listed<Row>> {
  const size = sizeOf(page)
  const order = page.isAscending ? 'asc' : 'desc'
  const { keys: found, lookedTo } = await findFirst(source, rest(search, page), size + 1, order)
  const keys = found.slice(0, size)
  const isFull = found.length > size
  const cutAt = isFull ? undefined : lookedTo
  const rows = keys.length === 0 ? [] : await source.read(() => readRows(keys))
  return {
    rows: order === 'asc' ? rows.toReversed() : rows,
    ...(await totalOf(
      source,
      search,
      page,
      !isFull && { found: keys.length, isAll: cutAt === undefined },
    )),
    next: isFull ? cursorOf(keys.at(-1)) : cutAt === undefined ? null : cursorAt(cutAt, order),
    searchedBackTo: cutAt === undefined ? null : await timeOf(source, search, cutAt),
  }
}

export const sizeOf = ({ size }: PageAsked): number =>
  Math.min(Math.max(Math.trunc(size), 1), maxSize)

/** What a page that is not full has found. */
interface Rest {
  readonly found: number
  readonly isAll: boolean
}

/** How many rows there are. What was searched for the rows of a page is not searched again to count them. */
export async function totalOf(
  source: ListSource,
  search: Search,
  { cursor, isCounted }: PageAsked,
  rest: Rest | false,
): Promise<Pick<Listed<unknown>, 'total' | 'totalIsExact'>> {
  if (cursor === undefined && rest) return { total: rest.found, totalIsExact: rest.isAll }
  if (isCounted === false) return { total: 0, totalIsExact: false }
  return countAll(source, search)
}

/** A cursor is the key of the last row that was shown: the next one is behind it. */
function cursorOf(key: Key | undefined): string | null {
  if (key === undefined) return null
  return key.place === undefined ? String(key.id) : `${key.id}.${key.place}`
}

/** The cursor of what was not looked at. */
const cursorAt = (id: number, order: Order) => String(order === 'asc' ? id - 1 : id)

const cursors = /^(\d{1,15})(?:\.(\d{1,9}))?$/

/** What is left of a search behind a cursor. */
function rest(search: Search, { cursor, isAscending = false }: PageAsked): Search {
  if (cursor === undefined) return search
  const [, word, placeWord] = cursors.exec(cursor) ?? []
  const isKnown = placeWord === undefined || search.place !== undefined
  if (word === undefined || !isKnown) throw new BadCursor(`"${cursor}" is no cursor of this list.`)
  const [id, place] = [Number(word), placeWord === undefined ? undefined : Number(placeWord)]
  const own = place === undefined ? 0 : 1 // Other rows of the same id may be left.
  const bounds = isAscending
    ? { from: Math.max(search.from, id + 1 - own) }
    : { to: Math.min(search.to, id + own) }
  if (place === undefined) return { ...search, ...bounds }
  const names = { id: sql.raw(search.id), place: sql.raw(search.place ?? search.id) }
  const behind = isAscending
    ? sql`(${names.id} > ${id} OR ${names.place} > ${place})`
    : sql`(${names.id} < ${id} OR ${names.place} < ${place})`
  return { ...search, ...bounds, others: [...search.others, behind] }
}

/** When the first row from `at` on began. */
export async function timeOf(
  source: ListSource,
  { table, id }: Search,
  at: number,
): Promise<number | null> {
  const names = table === 'attempt' ? { table: 'request', id: 'id' } : { table, id }
  const key = sql.raw(names.id)
  const [row] = await read(
    source,
    sql<{ time: number }>`SELECT created_at AS time FROM ${sql.raw(names.table)}
      WHERE ${key} >= ${at} ORDER BY ${key} LIMIT 1`,
  )
  return row?.time ?? null
}

/** Tables with an index on their time, and ids in nearly the same order. */
type TimedTable = 'request' | 'ledger'

/** Longer than requests last: of two that begin so far apart, the later one ends later. */
export const requestMs = 3_600_000

/** Rows that are searched for the lowest or highest id of a time: rows are numbered when they end. */
const rowsAtOnce = { first: 20_000, last: 200_000 }

/** Bounds of the ids in a span of time. */
export async function idsIn(
  source: ListSource,
  table: TimedTable,
  { since, until }: { readonly since?: number | undefined; readonly until?: number | undefined },
): Promise<{ readonly from: number; readonly to: number }> {
  const find = async (what: 'min' | 'max', near: Sql) => {
    const rows = sql`SELECT id FROM ${source.from(table, `${table}_created_at`)} WHERE ${near}`
    const [row] = await read(
      source,
      sql<{ id: number | null }>`SELECT ${sql.raw(what)}(id) AS id FROM (${rows}) AS near`,
    )
    return row?.id ?? undefined
  }
  const ofTable = sql.raw(table)
  const hour = sql.lit(requestMs)
  const findFirst = (time: number) =>
    find(
      'min',
      sql`created_at >= ${time} AND created_at <= ${hour} +
        (SELECT created_at FROM ${ofTable} WHERE created_at >= ${time} ORDER BY created_at LIMIT 1)
        ORDER BY created_at LIMIT ${rowsAtOnce.first}`,
    )
  const findLast = (time: number) =>
    find(
      'max',
      sql`created_at < ${time} AND created_at >= -${hour} +
        (SELECT created_at FROM ${ofTable} WHERE created_at < ${time} ORDER BY created_at DESC LIMIT 1)
        ORDER BY created_at DESC LIMIT ${rowsAtOnce.last}`,
    )
  const nothing = { from: 0, to: 0 }
  const from = since === undefined ? 0 : await findFirst(since)
  const last = until === undefined ? endOfIds - 1 : await findLast(until)
  return from === undefined || last === undefined ? nothing : { from, to: last + 1 }
}

/** Rows that are in memory at once: a millisecond or two of work. */
const usualSize = 100
/** After each page it rests for so many times the CPU time that it took, up to this. */
const restsPerWork = 2
const mostRestMs = 5
/** Ids that are looked at by one statement: two milliseconds or three. */
const rowsPerStep = 4_000
/** Of an index by blocks: its rows are put in order anew for each page. */
const rowsPerBlockStep = 8_192

/** All rows of a search, oldest first, a page at a time. Rejects with the signal's reason. */
export async function* readAll<Row>(
  source: ListSource,
  search: Search,
  readRows: (keys: readonly Key[]) => Steps<readonly Row[]>,
  { pageSize = usualSize, signal }: { pageSize?: number; signal?: AbortSignal | undefined },
): AsyncGenerator<Row> {
  const pause = createPauses()
  const end = Math.min(search.to, (await lastId(source, search.table, search.id)) + 1)
  let from = search.from
  while (from < end) {
    signal?.throwIfAborted()
    const before = process.cpuUsage()
    const to = Math.min(end, await stepTo(source, search, from))
    const found = selectOf(source, search, { from, to }, columnsOf(search))
    const order = sql.raw(search.id)
    const keys = await read(source, sql<Key>`${found} ORDER BY ${order} LIMIT ${pageSize}`)
    if (keys.length > 0) {
      for (const row of await source.read(() => readRows(keys))) {
        yield row
        yieldProcessor()
        await pause()
      }
    }
    const last = keys.at(-1)
    from = last !== undefined && keys.length === pageSize ? last.id + 1 : to
    if (from < end) await breathe(process.cpuUsage(before))
  }
}

const breathe = ({ user, system }: NodeJS.CpuUsage) =>
  Bun.sleep(Math.min(((user + system) / 1000) * restsPerWork, mostRestMs))

/** Where a step ends that begins at `from`. */
async function stepTo(source: ListSource, search: Search, from: number): Promise<number> {
  const { index, others, id, to } = search
  if (blockBitsOf(source, index) !== undefined) return from + rowsPerBlockStep
  if (others.length === 0) return to
  if (countsIds(source, index)) return from + rowsPerStep
  const found = selectOf(source, { ...search, others: [] }, { from, to })
  const [row] = await read(
    source,
    sql<{ id: number }>`${found} ORDER BY ${sql.raw(id)} LIMIT 1 OFFSET ${rowsPerStep}`,
  )
  return row?.id ?? to
}
