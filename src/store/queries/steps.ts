import {
  type Compilable,
  type CompiledQuery,
  createQueryId,
  DummyDriver,
  Kysely,
  type QueryCompiler,
  type RawBuilder,
  type RootOperationNode,
  SqliteAdapter,
  SqliteIntrospector,
  sql,
} from 'kysely'
import type { Span } from '../ports/records.ts'
import type { Page } from '../ports/verification.ts'
import type { Tables } from './tables.ts'

/** A statement that a step asks for; `wants` says what of its outcome is used. */
export interface Statement {
  /** For a query compiler of Kysely's: see `createCompile`. */
  readonly node: RootOperationNode
  readonly wants: 'rows' | 'changes'
  /** Of one that is built once (`fixed`): its values, by their names. */
  readonly values?: Readonly<Record<string, unknown>>
}

/** A statement that was built once, with its values. */
interface Fixed<Row> extends Required<Omit<Statement, 'wants'>> {
  /** Never there: what TypeScript knows its rows by. */
  readonly row?: Row
}

/** What came of a statement: its rows where these are wanted, else how many rows it changed. */
export interface Outcome {
  readonly rows: readonly unknown[]
  readonly changes: number
}

/**
 * Work on a database, whichever it is: yields one statement after the other and is given what came of
 * each. SQLite runs it to its end at once, PostgreSQL awaits each statement. Steps hold no state that
 * outlives them and do nothing but yield: an engine may begin them anew. One piece of work takes in
 * another by `yield*`.
 */
export type Steps<Result> = Generator<Statement, Result, Outcome>

/** What the query builder built, or a `sql` text. */
type Query<Row> = (Compilable<Row> & { toOperationNode(): RootOperationNode }) | RawBuilder<Row>

/** All rows. */
export function* all<Row>(query: Query<Row> | Fixed<Row>): Steps<readonly Row[]> {
  const { rows } = yield { ...partsOf(query), wants: 'rows' }
  return rows as readonly Row[]
}

/** The first row. */
export function* first<Row>(query: Query<Row> | Fixed<Row>): Steps<Row | undefined> {
  return (yield* all(query))[0]
}

/** The row of a statement that always gives one. */
export function* one<Row>(query: Query<Row>): Steps<Row> {
  const row = yield* first(query)
  if (row === undefined) throw new Error('A statement gave no row.')
  return row
}

/** Adds a row, given by its columns, to a table whose rows have ids; gives its id. */
export function* insert(table: string, row: object): Steps<number> {
  const names = sql.join(Object.keys(row).map((name) => sql.ref(name)))
  const values = sql.join(Object.values(row))
  const { id } = yield* one(
    sql<{ id: number }>`INSERT INTO ${sql.table(table)} (${names}) VALUES (${values}) RETURNING id`,
  )
  return id
}

/** Sets columns of the row with this id; those that are undefined stay. */
export function update(table: string, id: number, columns: object): Steps<number> {
  const set = Object.entries(columns).flatMap(([name, value]) =>
    value === undefined ? [] : sql`${sql.ref(name)} = ${value}`,
  )
  return run(sql`UPDATE ${sql.table(table)} SET ${sql.join(set)} WHERE id = ${id}`)
}

/** The largest number in a column; 0: the table is empty. */
export function* maxOf(table: string, column: string): Steps<number> {
  const text = sql<{ last: number | null }>`SELECT max(${sql.ref(column)}) AS last
    FROM ${sql.table(table)}`
  return (yield* one(text)).last ?? 0
}

/** Runs a statement that changes rows; gives how many were changed. */
export function* run(query: Query<unknown>): Steps<number> {
  const { changes } = yield { ...partsOf(query), wants: 'changes' }
  return changes
}

const partsOf = (query: Query<unknown> | Fixed<unknown>): Omit<Statement, 'wants'> =>
  'node' in query ? query : { node: query.toOperationNode() as RootOperationNode }

/** A database that steps are run on. Errors come out explained, and take a `write` back. */
export interface Engine {
  /** Reads; each statement sees what is there when it is run. */
  read<Result>(steps: () => Steps<Result>): Promise<Result>
  /** Reads, in several statements, one and the same state. */
  snapshot<Result>(steps: () => Steps<Result>): Promise<Result>
  /** One transaction, as if nobody else wrote meanwhile; it may call `steps` several times. */
  write<Result>(steps: () => Steps<Result>): Promise<Result>
}

/**
 * Builds statements for no database in particular: what it builds is a tree, and the engine that runs
 * it puts it into the words of its own database. It can neither compile nor execute.
 */
export const build = new Kysely<Tables>({
  dialect: {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (kysely) => new SqliteIntrospector(kysely),
    createQueryCompiler: () => ({
      compileQuery() {
        throw new Error('A statement is compiled by the engine that runs it.')
      },
    }),
  },
})

/** Stands in a statement for a value that is given when it is asked. */
class Given {
  readonly name: string

  constructor(name: string) {
    this.name = name
  }
}

const misused = () => {
  throw new Error(
    'A value of a fixed statement is named where it stands; there is no list of them.',
  )
}

/** Something else than a value's name that is asked for would be built without it. */
const places: ProxyHandler<object> = {
  get: (_, name) => (typeof name === 'string' ? new Given(name) : misused()),
  has: misused,
  ownKeys: misused,
}

/**
 * A statement of which only values change, for what is asked again and again: it is built once, and
 * put into a database's words once, which else take longer than the asking. `build` is called with
 * what stands for the values: it may put each where a value may be, and look at none.
 */
export function fixed<Values extends Readonly<Record<string, unknown>>, Row>(
  build: (values: Values) => Query<Row>,
): (values: Values) => Fixed<Row> {
  const node = build(new Proxy({}, places) as Values).toOperationNode() as RootOperationNode
  return (values) => ({ node, values })
}

/** A statement in the words of one database. */
type Words = Pick<CompiledQuery, 'sql' | 'parameters'>

/** Puts statements into the words of a database; those that are built once are put there once. */
export function createCompile(compiler: QueryCompiler) {
  const known = new WeakMap<RootOperationNode, CompiledQuery>()

  function wordsOf(node: RootOperationNode): CompiledQuery {
    const before = known.get(node)
    if (before) return before
    const words = compiler.compileQuery(node, createQueryId())
    known.set(node, words)
    return words
  }

  return ({ node, values }: Pick<Statement, 'node' | 'values'>): Words => {
    if (values === undefined) return compiler.compileQuery(node, createQueryId())
    const { sql, parameters } = wordsOf(node)
    return {
      sql,
      parameters: parameters.map((one) => (one instanceof Given ? values[one.name] : one)),
    }
  }
}

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
  select: RawBuilder<Row>,
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

/** Lets signals and timers of the process have their turn between two pages. */
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
