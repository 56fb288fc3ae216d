import type { Span } from '../ports/records.ts'
import type { Page } from '../ports/verification.ts'
import { type Sql, sql } from '../schema/sql.ts'

export interface Statement {
  readonly query: Sql
  readonly wants: 'rows' | 'changes'
}

export interface Outcome {
  readonly rows: readonly unknown[]
  readonly changes: number
}

/** Yields statements and gets their outcomes. Keeps no other state: an engine may restart it. */
export type Steps<Result> = Generator<Statement, Result, Outcome>

export function* all<Row>(query: Sql<Row>): Steps<readonly Row[]> {
  const { rows } = yield { query, wants: 'rows' }
  return rows as readonly Row[]
}

/** The rows of a statement for many values, 500 at a time: parameters are limited. */
export function* inParts<Value, Row>(
  values: readonly Value[],
  select: (part: Sql) => Sql<Row>,
): Steps<Row[]> {
  const found: Row[] = []
  for (let from = 0; from < values.length; from += 500) {
    found.push(...(yield* all(select(sql.join(values.slice(from, from + 500))))))
  }
  return found
}

export function* first<Row>(query: Sql<Row>): Steps<Row | undefined> {
  return (yield* all(query))[0]
}

/** The row of a statement that always gives one. */
export function* one<Row>(query: Sql<Row>): Steps<Row> {
  const row = yield* first(query)
  if (row === undefined) throw new Error('A statement gave no row.')
  return row
}

/** Adds a row, given by its columns, to a table whose rows have ids; gives its id. */
export function* insert(table: string, row: object): Steps<number> {
  const names = sql.join(Object.keys(row).map((name) => sql.ref(name)))
  const values = sql.join(Object.values(row))
  const { id } = yield* one(
    sql<{ id: number }>`INSERT INTO ${sql.ref(table)} (${names}) VALUES (${values}) RETURNING id`,
  )
  return id
}

/** Sets columns of the row with this id; those that are undefined stay. */
export function update(table: string, id: number, columns: object): Steps<number> {
  const set = Object.entries(columns).flatMap(([name, value]) =>
    value === undefined ? [] : sql`${sql.ref(name)} = ${value}`,
  )
  return run(sql`UPDATE ${sql.ref(table)} SET ${sql.join(set)} WHERE id = ${id}`)
}

/** The largest number in a column; 0: the table is empty. */
export function* maxOf(table: string, column: string): Steps<number> {
  const text = sql<{ last: number | null }>`SELECT max(${sql.ref(column)}) AS last
    FROM ${sql.ref(table)}`
  return (yield* one(text)).last ?? 0
}

/** Runs a statement that changes rows; gives how many were changed. */
export function* run(query: Sql): Steps<number> {
  const { changes } = yield { query, wants: 'changes' }
  return changes
}

/** A database that runs steps. Errors are explained, and roll a `write` back. */
export interface Engine {
  /** Reads; each statement sees what is committed when it runs. */
  read<Result>(steps: () => Steps<Result>): Promise<Result>
  snapshot<Result>(steps: () => Steps<Result>): Promise<Result>
  /** One serializable transaction; may call `steps` several times. */
  write<Result>(steps: () => Steps<Result>): Promise<Result>
}

/** Part of the join of an attempt and its request: PostgreSQL looks into one partition. */
export const inItsPartition = (attempt: string): Sql =>
  sql.onPostgres(`${attempt}.request_id = request.request_id`)

/** Rows in memory at once. */
export const pageSize = 1000

/** The last row of a page: the next one begins after it. */
export interface Position {
  readonly createdAt: number
  readonly id: number
}

/** Rows in order of their time, page by page. `select` is a query up to its WHERE clause. */
export async function* readPages<Row extends Position>(
  { read }: Engine,
  table: 'request' | 'ledger',
  select: Sql<Row>,
  { since = Number.MIN_SAFE_INTEGER, until = Number.MAX_SAFE_INTEGER }: Span,
): AsyncGenerator<readonly Row[]> {
  const [time, id] = [sql.ref(`${table}.created_at`), sql.ref(`${table}.id`)]
  let after: Position = { createdAt: since, id: 0 }
  while (true) {
    const from = after
    const page = await read(() =>
      all(sql<Row>`${select} WHERE (${time}, ${id}) > (${from.createdAt}, ${from.id})
        AND ${time} < ${until} ORDER BY ${time}, ${id} LIMIT ${pageSize}`),
    )
    yield page
    const last = page.at(-1)
    if (last === undefined || page.length < pageSize) return
    after = last
    await pause()
  }
}

/** Lets signals and timers run between two pages. */
export const pause = () => new Promise<void>((resolve) => setImmediate(resolve))

/** A span of row ids in steps, each an own short statement: from beyond `after` up to `to`. */
export function* idSteps(first: number, last: number, step: number) {
  for (let after = first - 1; after < last; after += step) {
    yield { after, to: Math.min(after + step, last) }
  }
}

/** Rows of one statement in pages. */
export function* inPages<Row>(rows: Iterable<Row>): Generator<Page<Row>> {
  let page: Row[] = []
  for (const row of rows) {
    page.push(row)
    if (page.length < pageSize) continue
    yield { rows: page, looked: 0 }
    page = []
  }
  if (page.length > 0) yield { rows: page, looked: 0 }
}
