import type { Database, SQLQueryBindings } from 'bun:sqlite'
import { yieldProcessor } from '../../lib/scheduling.ts'
import { type ListIndex, type ListSource, lastId, searchMs } from '../queries/lists/search.ts'
import type { Engine, Outcome, Statement, Steps } from '../queries/steps.ts'
import { compile, type Sql, sql } from '../schema/sql.ts'
import type { Access } from './file.ts'

/** Runs steps on SQLite, to their end at once: nothing can come between two statements. */
export function createEngine(db: Database, access: Access): Engine {
  const transaction = db.transaction(<Result>(steps: () => Steps<Result>) => follow(db, steps()))
  return {
    read: (steps) => access(() => follow(db, steps())),
    snapshot: <Result>(steps: () => Steps<Result>) =>
      access(() => transaction.deferred(steps) as Result),
    write: <Result>(steps: () => Steps<Result>) =>
      access(() => transaction.immediate(steps) as Result),
  }
}

function follow<Result>(db: Database, steps: Steps<Result>): Result {
  let step = steps.next()
  while (!step.done) step = steps.next(perform(db, step.value))
  return step.value
}

function perform(db: Database, asked: Statement): Outcome {
  const { sql, parameters } = compile(asked.query, 'sqlite')
  const values = parameters as SQLQueryBindings[]
  if (asked.wants === 'changes') return { rows: [], changes: db.run(sql, values).changes }
  // These are made anew for each query: their memory should not wait for a collection.
  using statement = db.prepare<object, SQLQueryBindings[]>(sql)
  return { rows: statement.all(...values), changes: 0 }
}

/** Where SQLite calls an index otherwise. */
const names: { readonly [index in ListIndex]?: string } = {
  request_id: 'sqlite_autoindex_request_1',
}

/** Lists of a SQLite database; statements name their index. */
export function createSource(engine: Pick<Engine, 'read'>): ListSource {
  const source: ListSource = {
    async read(steps) {
      const result = await engine.read(steps)
      yieldProcessor()
      return result
    },
    from: (table, index): Sql =>
      sql.raw(index === undefined ? table : `${table} INDEXED BY ${names[index] ?? index}`),
    // The requests of each account lie block by block: see the schema.
    blockBits: (index) => (index === 'request_account' ? 10 : undefined),
    // A statement blocks the event loop.
    quickMs: 2,
    searchMs,
    // There is one writer: what is stored later has a larger number.
    newestRequest: () => lastId(source, 'request', 'id'),
  }
  return source
}
