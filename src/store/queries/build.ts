import { DummyDriver, Kysely, SqliteAdapter, SqliteIntrospector } from 'kysely'
import type { Tables } from './tables.ts'

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
