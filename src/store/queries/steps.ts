import type { Compilable, RawBuilder, RootOperationNode } from 'kysely'

/** A statement that a step asks for; `wants` says what of its outcome is used. */
export interface Statement {
  /** For a query compiler of Kysely's: `compiler.compileQuery(node, createQueryId())`. */
  readonly node: RootOperationNode
  readonly wants: 'rows' | 'changes'
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
export function* all<Row>(query: Query<Row>): Steps<readonly Row[]> {
  const { rows } = yield { node: nodeOf(query), wants: 'rows' }
  return rows as readonly Row[]
}

/** The first row. */
export function* first<Row>(query: Query<Row>): Steps<Row | undefined> {
  return (yield* all(query))[0]
}

/** Runs a statement that changes rows; gives how many were changed. */
export function* run(query: Query<unknown>): Steps<number> {
  const { changes } = yield { node: nodeOf(query), wants: 'changes' }
  return changes
}

const nodeOf = (query: Query<unknown>) => query.toOperationNode() as RootOperationNode
