import type { Listed } from '../../ports/lists.ts'
import { type Sql, sql } from '../../schema/sql.ts'
import { all, maxOf, type Steps } from '../steps.ts'

/** Indexes that find the rows of a list in order of their ids, or the ids of a time. */
export type ListIndex =
  | 'request_id'
  | 'request_account'
  | 'request_failed'
  | 'request_created_at'
  | 'attempt_failed'
  | 'ledger_account'
  | 'ledger_by_hand'
  | 'ledger_created_at'
  | 'audit_subject'
  | 'token_account'
  | 'token_name'
  | 'account_email'

/** Reads lists, apart from the hot path. */
export interface ListSource {
  /** Rejects with `ListsBusy` when it has too much to do, and with `StoreError`. */
  read<Result>(steps: () => Steps<Result>): Promise<Result>
  /** A table of a FROM clause, with its index for SQLite. */
  from(table: string, index: ListIndex | undefined): Sql
  /** Set: the index orders its rows by blocks of ids, which lack so many bits. */
  blockBits(index: ListIndex): number | undefined
  /** After a quicker step of a search the next one is larger, in milliseconds. */
  readonly quickMs: number
  /** How long a page is searched for, in milliseconds; the running step ends. */
  readonly searchMs: number
  /** The newest request before which none can appear any more; `sinceRow`: the last known one. */
  newestRequest(sinceRow: number | undefined): Promise<number>
}

export const read = <Row>(source: ListSource, query: Sql<Row>): Promise<readonly Row[]> =>
  source.read(() => all(query))

/** The largest id of a table; 0: it is empty. */
export const lastId = (source: ListSource, table: string, id: string): Promise<number> =>
  source.read(() => maxOf(table, id))

/** And the smallest. */
async function firstId(source: ListSource, table: string, id: string): Promise<number> {
  const name = sql.raw(id)
  const [row] = await read(
    source,
    sql<{ id: number | null }>`SELECT min(${name}) AS id FROM ${sql.raw(table)}`,
  )
  return row?.id ?? 0
}

export type Condition = Sql

export function conditionsOf(...all: readonly (Condition | undefined)[]): readonly Condition[] {
  return all.filter((one) => one !== undefined)
}

/** `column = value`; undefined when nothing is asked for. */
export function equals(column: string, value: string | number | undefined): Condition | undefined {
  return value === undefined ? undefined : sql`${sql.raw(column)} = ${value}`
}

/** A half-open span of time. The plus keeps an index on the column out of the plan. */
export function within(
  column: string,
  { since, until }: { readonly since?: number; readonly until?: number },
): Condition | undefined {
  if (since === undefined && until === undefined) return undefined
  const [from, to] = [since ?? Number.MIN_SAFE_INTEGER, until ?? Number.MAX_SAFE_INTEGER]
  const time = sql.raw(`+${column}`)
  return sql`${time} >= ${from} AND ${time} < ${to}`
}

/** Some column holds this text, in any case of the letters A to Z. */
export function contains(
  columns: readonly string[],
  text: string | undefined,
): Condition | undefined {
  if (text === undefined || text === '') return undefined
  const lower = text.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
  const pattern = `%${lower.replace(/[!%_]/g, '!$&')}%`
  const each = columns.map(
    (column) => sql`lower(${sql.raw(column)}) LIKE ${pattern} ESCAPE ${sql.lit('!')}`,
  )
  return sql`(${sql.join(each, sql` OR `)})`
}

/** An index that gives the rows in order of their ids, those that fit `where`. */
export interface IdIndex {
  readonly name: ListIndex
  readonly where: Condition
}

/** An index that gives the rows in order of a name, which no two of them share. */
export interface NameIndex extends IdIndex {
  readonly column: string
}

export interface Search {
  readonly table: string
  /** The column that rows are ordered by. */
  readonly id: string
  /** And by this one, where several rows share an id. */
  readonly place?: string
  /** Absent: the table itself is in order of ids. */
  readonly index?: IdIndex | undefined
  /** Absent: the list has no order of names. */
  readonly names?: NameIndex | undefined
  /** What the index does not answer. */
  readonly others: readonly Condition[]
  /** Ids from `from` to below `to`; outside there is nothing to be found. */
  readonly from: number
  readonly to: number
}

export interface Key {
  readonly id: number
  readonly place?: number
  /** Of requests and attempts on PostgreSQL: it leads to their partition. */
  readonly requestId?: string
}

/** From the lowest id to the highest, or the other way round. */
export type Order = 'asc' | 'desc'

interface Found {
  readonly keys: readonly Key[]
  /** Ids below this one were not looked at (ascending: from this one on). Undefined: all were. */
  readonly lookedTo: number | undefined
}

/** How long a page is searched for (see `ListSource`), and counted. */
export const searchMs = 80
const countMs = 50
const maxTotal = 10_000

const rowsAtFirst = 2_000
/** Some 5 MB of the file, which may have to come from the disk. */
const maxRows = 8_000
/** Rows that an index finds may each be on another page. */
export const maxFoundRows = 2_000
/** Of an index by blocks, which skips most of these ids. */
const maxBlockRows = 131_072

export const endOfIds = Number.MAX_SAFE_INTEGER

interface Part {
  readonly from: number
  readonly to: number
}

interface Step extends Part {
  readonly isLast: boolean
}

/** The first so many ids that fit, in steps, for as long as there is time. */
export async function findFirst(
  source: ListSource,
  search: Search,
  limit: number,
  order: Order,
): Promise<Found> {
  const keys: Key[] = []
  const deadline = performance.now() + source.searchMs
  for await (const step of stepsOf(source, search, order)) {
    keys.push(...(await keysOf(source, search, step, limit - keys.length, order)))
    if (step.isLast) break
    const lookedTo = order === 'asc' ? step.to : step.from
    if (keys.length >= limit || performance.now() >= deadline) return { keys, lookedTo }
  }
  return { keys, lookedTo: undefined }
}

function keysOf(source: ListSource, search: Search, part: Part, limit: number, order: Order) {
  const { id, place } = search
  const columns = place === undefined ? [id] : [id, place]
  const by = columns.map((column) => `${column} ${order}`).join(', ')
  const found = selectOf(source, search, part, columnsOf(search))
  return read(source, sql<Key>`${found} ORDER BY ${sql.raw(by)} LIMIT ${limit}`)
}

export function columnsOf({ table, id, place }: Search): Sql {
  const isInParts = table === 'request' || table === 'attempt'
  const requestId = sql.onPostgres(isInParts ? ', request_id AS "requestId"' : '', '')
  return sql`${sql.raw(place === undefined ? `${id} AS id` : `${id} AS id, ${place} AS place`)}${requestId}`
}

/** How many fit, counted to `maxTotal` and for as long as there is time. */
export async function countAll(
  source: ListSource,
  search: Search,
): Promise<Pick<Listed<unknown>, 'total' | 'totalIsExact'>> {
  let total = 0
  const deadline = performance.now() + countMs
  for await (const step of stepsOf(source, search, 'desc')) {
    const found = sql`${selectOf(source, search, step, sql`1`)} LIMIT ${maxTotal + 1 - total}`
    const [row] = await read(
      source,
      sql<{ count: number }>`SELECT count(*) AS count FROM (${found}) AS found`,
    )
    total += row?.count ?? 0
    if (total > maxTotal) return { total: maxTotal, totalIsExact: false }
    if (step.isLast) break
    if (performance.now() >= deadline) return { total, totalIsExact: false }
  }
  return { total, totalIsExact: true }
}

/** `SELECT` of what fits within a part. */
export function selectOf(
  source: ListSource,
  { table, id, index, others }: Search,
  { from, to }: Part,
  columns: Sql = sql`${sql.raw(id)} AS id`,
): Sql {
  const key = sql.raw(id)
  const conditions = [
    ...(index ? [index.where] : []),
    sql`${key} >= ${from} AND ${key} < ${to}`,
    ...others,
  ]
  const rows = source.from(table, index?.name)
  const where = sql.join(conditions, sql` AND `)
  const blockBits = blockBitsOf(source, index)
  if (blockBits === undefined) return sql`SELECT ${columns} FROM ${rows} WHERE ${where}`
  const bits = sql.lit(blockBits)
  return sql`WITH RECURSIVE block (number) AS (VALUES (${from} >> ${bits}) UNION ALL
    SELECT number + 1 FROM block WHERE number < ${to - 1} >> ${bits})
    SELECT ${columns} FROM block CROSS JOIN ${rows} ON ${key} >> ${bits} = block.number WHERE ${where}`
}

/** See `ListSource`; undefined: all rows are in order of their ids. */
export const blockBitsOf = (source: ListSource, index: IdIndex | undefined): number | undefined =>
  index && source.blockBits(index.name)

/** All of a search, in short steps. */
export async function* stepsOf(
  source: ListSource,
  search: Search,
  order: Order,
): AsyncGenerator<Step> {
  const { index, others, table, id } = search
  const isInOrder = blockBitsOf(source, index) === undefined
  let { from, to } = search
  if (from >= to) return
  // Without conditions no steps are needed: the first rows are enough.
  if (others.length === 0 && isInOrder) return yield { from, to, isLast: true }
  if (countsIds(source, index)) {
    to = Math.min(to, (await lastId(source, table, id)) + 1)
    if (order === 'asc') from = Math.max(from, await firstId(source, table, id))
  }
  const most = index === undefined ? maxRows : maxBlockRows
  let rows = rowsAtFirst
  while (to > from) {
    const startedAt = performance.now()
    const edge = await edgeOf(source, { ...search, from, to }, rows, order)
    const step = order === 'asc' ? { from, to: edge } : { from: edge, to }
    yield { ...step, isLast: edge === (order === 'asc' ? to : from) }
    const wasQuick = performance.now() - startedAt < source.quickMs
    rows = wasQuick ? Math.min(rows * 2, most) : Math.max(rows >> 1, rowsAtFirst)
    if (order === 'asc') from = edge
    else to = edge
  }
}

/** Whether a step is so many ids; else it is `maxFoundRows` of the index. */
export const countsIds = (source: ListSource, index: IdIndex | undefined): boolean =>
  index === undefined || blockBitsOf(source, index) !== undefined

/** Where the first step of a search ends. */
async function edgeOf(source: ListSource, search: Search, rows: number, order: Order) {
  const { index, others, id, from, to } = search
  const isUp = order === 'asc'
  const counted = isUp ? Math.min(from + rows, to) : Math.max(to - rows, from)
  const edge = countsIds(source, index) ? counted : isUp ? to : from
  const part = isUp ? { from, to: edge } : { from: edge, to }
  if (index === undefined || others.length === 0 || part.to - part.from <= maxFoundRows) return edge
  const own = selectOf(source, { ...search, others: [] }, part)
  const by = sql.raw(`${id} ${order}`)
  const [row] = await read(
    source,
    sql<{ id: number }>`${own} ORDER BY ${by} LIMIT 1 OFFSET ${maxFoundRows - 1}`,
  )
  if (row === undefined) return edge
  return isUp ? row.id + 1 : row.id
}

/** The row ids that were found, as a list of a statement. */
export const idsOf = (keys: readonly Key[]): Sql => sql.join(keys.map(({ id }) => id))

/** What is true of the rows of these keys, and makes PostgreSQL look into their partitions alone. */
export function inPartitionsOf(keys: readonly Key[], table: 'request' | 'attempt'): Sql {
  const ids = new Set(keys.flatMap(({ requestId }) => requestId ?? []))
  return ids.size === 0 ? sql`TRUE` : sql`${sql.raw(table)}.request_id IN (${sql.join([...ids])})`
}
