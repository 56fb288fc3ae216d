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
  findNewest,
  type Key,
  type ListSource,
  lastId,
  read,
  type Search,
  selectOf,
} from './search.ts'

const maxSize = 1_000

/** Finds a page's rows, reads them by their keys and counts what there is. */
export async function readPage<Row>(
  source: ListSource,
  search: Search,
  page: PageAsked,
  readRows: (keys: readonly Key[]) => Steps<readonly Row[]>,
): Promise<Listed<Row>> {
  const size = Math.min(Math.max(Math.trunc(page.size), 1), maxSize)
  const found = await findNewest(source, after(search, page), size + 1)
  const keys = found.keys.slice(0, size)
  const isFull = found.keys.length > size
  const isCutShort = !isFull && found.lookedDownTo > search.from
  const rows = keys.length === 0 ? [] : await source.read(() => readRows(keys))
  return {
    rows,
    // What was searched for the rows of a page is not searched again to count them.
    ...(page.cursor === undefined && !isFull
      ? { total: keys.length, totalIsExact: !isCutShort }
      : page.isCounted === false
        ? { total: 0, totalIsExact: false }
        : await countAll(source, search)),
    next: isFull ? cursorOf(keys.at(-1)) : isCutShort ? String(found.lookedDownTo) : null,
    searchedBackTo: isCutShort ? await timeOf(source, search, found.lookedDownTo) : null,
  }
}

/** A cursor is the key of the last row that was shown: the next one is below. */
function cursorOf(key: Key | undefined): string | null {
  if (key === undefined) return null
  return key.place === undefined ? String(key.id) : `${key.id}.${key.place}`
}

const cursors = /^(\d{1,15})(?:\.(\d{1,9}))?$/

function after(search: Search, { cursor }: PageAsked): Search {
  if (cursor === undefined) return search
  const [, id, place] = cursors.exec(cursor) ?? []
  const isKnown = place === undefined || search.place !== undefined
  if (id === undefined || !isKnown) throw new BadCursor(`"${cursor}" is no cursor of this list.`)
  if (place === undefined) return { ...search, to: Math.min(search.to, Number(id)) }
  const names = { id: sql.raw(search.id), place: sql.raw(search.place ?? search.id) }
  const rest = sql`(${names.id} < ${Number(id)} OR ${names.place} < ${Number(place)})`
  return {
    ...search,
    to: Math.min(search.to, Number(id) + 1),
    others: [...search.others, rest],
  }
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
    if (from < end) await rest(process.cpuUsage(before))
  }
}

const rest = ({ user, system }: NodeJS.CpuUsage) =>
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
