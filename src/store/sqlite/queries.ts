import type { Database, SQLQueryBindings } from 'bun:sqlite'
import {
  type Compilable,
  DummyDriver,
  Kysely,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'
import { explained } from './failures.ts'
import type { Tables } from './tables.ts'

/**
 * Runs what the query builder built, synchronously: nothing can come between two statements of a
 * transaction, and no promise of the builder's own can leave one open.
 */
export interface Queries {
  /** The builder. It only builds: its own `execute` does nothing. */
  readonly build: Kysely<Tables>
  all<Row>(query: Compilable<Row>): Row[]
  first<Row>(query: Compilable<Row>): Row | undefined
  /** Returns how many rows were changed. */
  run(query: Compilable<unknown>): number
}

/** `path` is for errors, which come out explained. */
export function createQueries(db: Database, path: string): Queries {
  const build = new Kysely<Tables>({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (kysely) => new SqliteIntrospector(kysely),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
  })

  function all<Row>(query: Compilable<Row>): Row[] {
    const { sql, parameters } = query.compile()
    return explained(path, () => {
      const statement = db.prepare<Row, SQLQueryBindings[]>(sql)
      try {
        return statement.all(...(parameters as SQLQueryBindings[]))
      } finally {
        // These are made anew for each query: their memory should not wait for a collection.
        statement.finalize()
      }
    })
  }

  return {
    build,
    all,
    first: (query) => all(query)[0],
    run(query) {
      const { sql, parameters } = query.compile()
      return db.run(sql, parameters as SQLQueryBindings[]).changes
    },
  }
}
