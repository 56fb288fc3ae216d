import type { Compilable, RawBuilder, RootOperationNode } from 'kysely'

/** A statement that a step asks for; `wants` says what of its outcome is used. */
export interface Statement {
  /** For a query compiler of Kysely's: see `createCompile`. */
  readonly node: RootOperationNode
  readonly wants: 'rows' | 'changes'
  /** Of one that is built once (`fixed`): its values, by their names. */
  readonly values?: Readonly<Record<string, unknown>>
}

/** A statement that was built once, with its values. */
export interface Fixed<Row> extends Required<Omit<Statement, 'wants'>> {
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
export type Query<Row> =
  | (Compilable<Row> & { toOperationNode(): RootOperationNode })
  | RawBuilder<Row>

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
