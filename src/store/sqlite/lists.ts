import type { Database, SQLQueryBindings } from 'bun:sqlite'
import { type RawBuilder, sql } from 'kysely'
import type { Clock } from '../../lib/clock.ts'
import { giveTurn } from '../../lib/give-way.ts'
import { type ListStore, ListsBusy } from '../ports/lists.ts'
import { type ListIndex, type ListSource, lastId, searchMs } from '../queries/lists/search.ts'
import { createLists } from '../queries/lists/store.ts'
import type { Steps } from '../queries/steps.ts'
import { compile } from './engine.ts'
import { explained } from './file.ts'
import { type DatabaseThread, openDatabaseThread, type SqlValue } from './thread.ts'

/** Lists, charts and exports, read away from the thread that answers requests. */
export const createListStore = ({
  reader,
  clock,
}: {
  readonly reader: Reader
  readonly clock: Clock
}): ListStore => createLists({ source: createSource(reader), clock })

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
    searchMs,
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

/** So many statements may wait for the ones before them: some seconds of work at most. */
const maxWaiting = 64
const idleMs = 60_000

/** Runs statements that only read, away from the thread that answers requests. */
export interface Reader {
  /** Rejects with `ListsBusy` when too many wait, and with `StoreError`. */
  all<Row>(sql: string, parameters: readonly SqlValue[]): Promise<readonly Row[]>
  /** Closes the connection after the statement that it works on; then nothing is read any more. */
  close(): Promise<void>
}

/**
 * Reads a database file on a thread that is opened at its first use and closed when it had nothing
 * to do for a minute. A database in memory has but one connection, so it is read through that one.
 */
export function createReader(db: Database, idleForMs = idleMs): Reader {
  const { filename } = db
  return filename === ':memory:' ? createDirectReader(db) : createThreadReader(filename, idleForMs)
}

/** Reads on this thread. */
export function createDirectReader(db: Database): Reader {
  return {
    all: async <Row>(sql: string, parameters: readonly SqlValue[]) =>
      explained(db.filename, () => {
        using statement = db.prepare<Row, SQLQueryBindings[]>(sql)
        const rows = statement.all(...parameters)
        giveTurn()
        return rows
      }),
    close: async () => {},
  }
}

/** For a file; `idleForMs`: how long the thread stays when it has nothing to do. */
export function createThreadReader(path: string, idleForMs: number): Reader {
  let thread: Promise<DatabaseThread> | undefined
  let idle: ReturnType<typeof setTimeout> | undefined
  let closing: Promise<void> | undefined
  let waiting = 0
  let isClosed = false

  async function end(): Promise<void> {
    clearTimeout(idle)
    const opened = thread
    thread = undefined
    await (await opened?.catch(() => undefined))?.close()
  }

  function open(): Promise<DatabaseThread> {
    thread ??= openReading(path).catch((error: unknown) => {
      thread = undefined
      throw error
    })
    return thread
  }

  return {
    async all<Row>(sql: string, parameters: readonly SqlValue[]) {
      if (isClosed) throw new Error('The store is closed.')
      if (waiting >= maxWaiting) {
        throw new ListsBusy(
          `${waiting} lists are waiting to be read from the database. Try again in some seconds.`,
        )
      }
      waiting++
      clearTimeout(idle)
      try {
        return await (await open()).all<Row>(sql, ...parameters)
      } finally {
        waiting--
        if (waiting === 0 && !isClosed) {
          idle = setTimeout(() => {
            closing = end()
          }, idleForMs)
          idle.unref()
        }
      }
    },
    async close() {
      isClosed = true
      await closing
      await end()
    },
  }
}

async function openReading(path: string): Promise<DatabaseThread> {
  const thread = await openDatabaseThread(path, path, true)
  await thread.run({ sql: 'PRAGMA query_only = ON' }, { sql: 'PRAGMA cache_size = -16000' })
  return thread
}
