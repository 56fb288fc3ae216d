import type { Database, SQLQueryBindings } from 'bun:sqlite'
import { SqliteQueryCompiler } from 'kysely'
import {
  createCompile,
  type Engine,
  type Outcome,
  type Statement,
  type Steps,
} from '../queries/steps.ts'
import { createPatience, explained } from './file.ts'
import type { Watch } from './watch.ts'

/**
 * Runs steps on SQLite, to their end at once: nothing can come between two statements, and no promise
 * can leave a transaction open.
 */
export function createEngine(db: Database, path: string, watch?: Pick<Watch, 'require'>): Engine {
  const patience = createPatience(db)
  const access = async <Result>(work: () => Result): Promise<Result> => {
    watch?.require()
    return explained(path, work)
  }
  const transaction = db.transaction(<Result>(steps: () => Steps<Result>) => follow(db, steps()))
  return {
    read: (steps) => access(() => follow(db, steps())),
    snapshot: <Result>(steps: () => Steps<Result>) =>
      access(() => transaction.deferred(steps) as Result),
    async write<Result>(steps: () => Steps<Result>) {
      watch?.require()
      return patience(() => transaction.immediate(steps) as Result)
    },
  }
}

function follow<Result>(db: Database, steps: Steps<Result>): Result {
  let step = steps.next()
  while (!step.done) step = steps.next(perform(db, step.value))
  return step.value
}

function perform(db: Database, asked: Statement): Outcome {
  const { sql, parameters } = compile(asked)
  const values = parameters as SQLQueryBindings[]
  if (asked.wants === 'changes') return { rows: [], changes: db.run(sql, values).changes }
  if (asked.values)
    return { rows: db.query<object, SQLQueryBindings[]>(sql).all(...values), changes: 0 }
  // These are made anew for each query: their memory should not wait for a collection.
  using statement = db.prepare<object, SQLQueryBindings[]>(sql)
  return { rows: statement.all(...values), changes: 0 }
}

/** A statement in SQLite's words. */
export const compile = createCompile(new SqliteQueryCompiler())
