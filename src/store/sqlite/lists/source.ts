import { type RawBuilder, sql } from 'kysely'
import { type ListIndex, type ListSource, lastId } from '../../queries/lists/search.ts'
import type { Steps } from '../../queries/steps.ts'
import { compile } from '../engine.ts'
import type { SqlValue } from '../thread.ts'
import type { Reader } from './reader.ts'

/** Where SQLite calls an index otherwise. */
const names: { readonly [index in ListIndex]?: string } = {
  request_id: 'sqlite_autoindex_request_1',
}

/** Lists of a SQLite database. It chooses by what it guesses of the rows, so it is told each index. */
export function createSource(reader: Reader): ListSource {
  const source: ListSource = {
    read: (steps) => readSteps(reader, steps()),
    from: (table, index): RawBuilder<unknown> =>
      sql.raw(index === undefined ? table : `${table} INDEXED BY ${names[index] ?? index}`),
    // The requests of each account lie block by block: see the migration.
    blockBits: (index) => (index === 'request_account' ? 10 : undefined),
    // Where each statement holds the process that reads, others wait for its end.
    quickMs: 2,
    // There is one writer: what is stored later has a larger number.
    newestRequest: () => lastId(source, 'request', 'id'),
  }
  return source
}

async function readSteps<Result>(reader: Reader, steps: Steps<Result>): Promise<Result> {
  let step = steps.next()
  while (!step.done) {
    const { sql, parameters } = compile(step.value)
    const rows = await reader.all(sql, parameters as readonly SqlValue[])
    step = steps.next({ rows, changes: 0 })
  }
  return step.value
}
