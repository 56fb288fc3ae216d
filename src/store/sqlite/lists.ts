import { type RawBuilder, sql } from 'kysely'
import { giveTurn } from '../../lib/give-way.ts'
import { type ListIndex, type ListSource, lastId, searchMs } from '../queries/lists/search.ts'
import type { Engine } from '../queries/steps.ts'

/** Where SQLite calls an index otherwise. */
const names: { readonly [index in ListIndex]?: string } = {
  request_id: 'sqlite_autoindex_request_1',
}

/**
 * Lists of a SQLite database. It chooses by what it guesses of the rows, so it is told each index. Each
 * statement holds the process: the console reads in one of its own.
 */
export function createSource(engine: Pick<Engine, 'read'>): ListSource {
  const source: ListSource = {
    async read(steps) {
      const result = await engine.read(steps)
      giveTurn()
      return result
    },
    from: (table, index): RawBuilder<unknown> =>
      sql.raw(index === undefined ? table : `${table} INDEXED BY ${names[index] ?? index}`),
    // The requests of each account lie block by block: see the schema.
    blockBits: (index) => (index === 'request_account' ? 10 : undefined),
    // Whoever else the process works for waits for the end of a statement.
    quickMs: 2,
    searchMs,
    // There is one writer: what is stored later has a larger number.
    newestRequest: () => lastId(source, 'request', 'id'),
  }
  return source
}
