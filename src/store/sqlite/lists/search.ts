import type { Listed } from '../../ports/lists.ts'
import type { SqlValue } from '../thread.ts'
import type { Reader } from './reader.ts'

/** A part of a WHERE clause with the values of its parameters. */
export interface Condition {
  readonly sql: string
  readonly values: readonly SqlValue[]
}

/** An index that gives the rows in order of their ids, those that fit `where`. */
export interface IdIndex {
  readonly name: string
  readonly where: Condition
  /** Set: it does so within blocks of ids, whose number is the id without so many bits. */
  readonly blockBits?: number
}

/** Where to look for what. */
export interface Search {
  readonly table: string
  /** The column that rows are ordered by. */
  readonly id: string
  /** And by this one, where several rows share an id. */
  readonly place?: string
  /** Absent: the table itself is in order of ids. */
  readonly index?: IdIndex | undefined
  /** What the index does not answer. */
  readonly others: readonly Condition[]
  /** Ids from `from` to below `to`; outside there is nothing to be found. */
  readonly from: number
  readonly to: number
}

export interface Key {
  readonly id: number
  readonly place?: number
}

export interface Found {
  /** Newest first. */
  readonly keys: readonly Key[]
  /** All ids from here on were looked at. */
  readonly lookedDownTo: number
}

/** How long is searched for a page, and counted; the step under way is ended. */
const searchMs = 80
const countMs = 50
export const maxTotal = 10_000

const rowsAtFirst = 2_000
/** Some 5 MB of the file, which may have to come from the disk. */
const maxRows = 8_000
/** Of an index by blocks: most of these ids are not looked at, unless they all fit. */
const maxBlockRows = 131_072
/** A step that took less is followed by a larger one. */
const quickMs = 10

export const endOfIds = Number.MAX_SAFE_INTEGER

/** One part of a search: ids from `from` to below `to`. */
interface Part {
  readonly from: number
  readonly to: number
}

/** The highest so many ids that fit, in steps, for as long as there is time. */
export async function findNewest(reader: Reader, search: Search, limit: number): Promise<Found> {
  const keys: Key[] = []
  const deadline = performance.now() + searchMs
  for await (const part of stepsDown(reader, search)) {
    keys.push(...(await keysOf(reader, search, part, limit - keys.length)))
    const isDone = keys.length >= limit || part.from <= search.from
    if (isDone || performance.now() >= deadline) return { keys, lookedDownTo: part.from }
  }
  return { keys, lookedDownTo: search.from }
}

function keysOf(reader: Reader, search: Search, part: Part, limit: number) {
  const { id, place } = search
  const columns = place === undefined ? `${id} AS id` : `${id} AS id, ${place} AS place`
  const { sql, values } = selectOf(search, part, columns)
  const order = place === undefined ? `${id} DESC` : `${id} DESC, ${place} DESC`
  return reader.all<Key>(`${sql} ORDER BY ${order} LIMIT ?`, [...values, limit])
}

/** How many fit, counted to `maxTotal` and for as long as there is time. */
export async function countAll(
  reader: Reader,
  search: Search,
): Promise<Pick<Listed<unknown>, 'total' | 'totalIsExact'>> {
  let total = 0
  const deadline = performance.now() + countMs
  for await (const part of stepsDown(reader, search)) {
    const { sql, values } = selectOf(search, part, '1')
    const text = `SELECT count(*) AS count FROM (${sql} LIMIT ?)`
    const [row] = await reader.all<{ count: number }>(text, [...values, maxTotal + 1 - total])
    total += row?.count ?? 0
    if (total > maxTotal) return { total: maxTotal, totalIsExact: false }
    if (part.from <= search.from) break
    if (performance.now() >= deadline) return { total, totalIsExact: false }
  }
  return { total, totalIsExact: true }
}

/** `SELECT` of what fits within a part. */
export function selectOf(
  { table, id, index, others }: Search,
  { from, to }: Part,
  columns: string,
) {
  const conditions = [
    ...(index ? [index.where] : []),
    { sql: `${id} >= ? AND ${id} < ?`, values: [from, to] },
    ...others,
  ]
  const hint = index ? ` INDEXED BY ${index.name}` : ''
  const where = conditions.map(({ sql }) => sql).join(' AND ')
  const values = conditions.flatMap((one) => one.values)
  const bits = index?.blockBits
  if (bits === undefined) {
    return { sql: `SELECT ${columns} FROM ${table}${hint} WHERE ${where}`, values }
  }
  return {
    sql:
      `WITH RECURSIVE block (number) AS (VALUES (? >> ${bits}) UNION ALL SELECT number + 1 ` +
      `FROM block WHERE number < ? >> ${bits}) SELECT ${columns} FROM block ` +
      `CROSS JOIN ${table}${hint} ON ${id} >> ${bits} = block.number WHERE ${where}`,
    values: [from, to - 1, ...values],
  }
}

/** From the end to the beginning: so many rows at a time that none takes long. */
async function* stepsDown(reader: Reader, search: Search): AsyncGenerator<Part> {
  const { index } = search
  const isInOrder = index === undefined || index.blockBits === undefined
  let { from, to } = search
  if (from >= to) return
  // Who takes all rows needs no steps: the first ones that it meets are enough.
  if (search.others.length === 0 && isInOrder) return yield { from, to }
  if (countsIds(index)) to = Math.min(to, (await lastId(reader, search)) + 1)
  let rows = rowsAtFirst
  while (to > from) {
    from = await stepFrom(reader, search, to, rows)
    const startedAt = performance.now()
    yield { from, to }
    const wasQuick = performance.now() - startedAt < quickMs
    rows = wasQuick ? rows * 2 : Math.max(rows >> 1, rowsAtFirst)
    rows = Math.min(rows, isInOrder ? maxRows : maxBlockRows)
    to = from
    from = search.from
  }
}

/** Whether a step is so many ids; it is so many of its own rows where an index has them in order. */
export const countsIds = (index: IdIndex | undefined): boolean =>
  index === undefined || index.blockBits !== undefined

/** Where a step begins that ends below `to`. */
async function stepFrom(reader: Reader, search: Search, to: number, rows: number) {
  if (countsIds(search.index)) return Math.max(to - rows, search.from)
  const { sql, values } = selectOf(
    { ...search, others: [] },
    { from: search.from, to },
    `${search.id} AS id`,
  )
  const text = `${sql} ORDER BY ${search.id} DESC LIMIT 1 OFFSET ?`
  const [row] = await reader.all<{ id: number }>(text, [...values, rows - 1])
  return row?.id ?? search.from
}

/** The largest id of the table. */
export async function lastId(
  reader: Reader,
  { table, id }: Pick<Search, 'table' | 'id'>,
): Promise<number> {
  const [row] = await reader.all<{ id: number | null }>(`SELECT max(${id}) AS id FROM ${table}`, [])
  return row?.id ?? 0
}
