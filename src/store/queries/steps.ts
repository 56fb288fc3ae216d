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
} from 'kysely'
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

/** Runs a statement that changes rows; gives how many were changed. */
export function* run(query: Query<unknown>): Steps<number> {
  const { changes } = yield { ...partsOf(query), wants: 'changes' }
  return changes
}

const partsOf = (query: Query<unknown> | Fixed<unknown>): Omit<Statement, 'wants'> =>
  'node' in query ? query : { node: query.toOperationNode() as RootOperationNode }

/**
 * A database that steps are run on. Its errors come out explained; what the steps themselves throw
 * comes out as it is, and takes back what a `write` has done.
 */
export interface Engine {
  /** Reads; each statement sees what is there when it is run. */
  read<Result>(steps: () => Steps<Result>): Promise<Result>
  /** Reads, in several statements, one and the same state. */
  snapshot<Result>(steps: () => Steps<Result>): Promise<Result>
  /**
   * One transaction, as if nobody else wrote meanwhile: all of the steps or nothing. It waits for
   * others who write, and may call `steps` several times.
   */
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

/** Rows that an export holds in memory at once. */
export const pageSize = 1000

/** The last row of a page: the next one begins after it. */
export interface Position {
  readonly createdAt: number
  readonly id: number
}

/** Reads rows page by page, and lets other work of the process run between two pages. */
export async function* readPages<Row extends Position>(
  { read }: Engine,
  since: number,
  readPage: (after: Position) => Steps<readonly Row[]>,
): AsyncGenerator<readonly Row[]> {
  let after: Position = { createdAt: since, id: 0 }
  while (true) {
    const page = await read(() => readPage(after))
    yield page
    const last = page.at(-1)
    if (last === undefined || page.length < pageSize) return
    after = last
    await new Promise((resolve) => setImmediate(resolve))
  }
}
