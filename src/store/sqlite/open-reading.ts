import { Database } from 'bun:sqlite'
import type { Clock } from '../../lib/clock.ts'
import type { ReadingStore } from '../ports/store.ts'
import { createAdminStore, createEdits } from '../queries/admin.ts'
import { createRecordReading } from '../queries/requests.ts'
import { createEngine } from './engine.ts'
import { explained } from './failures.ts'
import { createDirectReader } from './lists/reader.ts'
import { createListStore } from './lists/store.ts'

/** How long to wait for another process that holds the whole file; nearly nobody does. */
const busyTimeoutMs = 5_000

/**
 * Opens a database file that is there, for a process that does nothing else than read from it: each
 * statement holds it. Throws `StoreError`.
 */
export function openSqliteReading({ path }: { path: string }, clock: Clock): ReadingStore {
  const db = explained(path, () => openToRead(path))
  const engine = createEngine(db, path)
  return {
    lists: createListStore({ reader: createDirectReader(db), clock }),
    records: createRecordReading(engine),
    admin: createAdminStore({ engine, clock }),
    edits: createEdits({ engine, clock }),
    async close() {
      db.close()
    },
  }
}

function openToRead(path: string): Database {
  // Who reads beside a writer takes part in the index of its log, so it may not be read-only.
  const db = new Database(path, { readwrite: true, strict: true })
  try {
    db.run(`PRAGMA busy_timeout = ${busyTimeoutMs}`)
    db.run('PRAGMA query_only = ON')
    db.run('PRAGMA cache_size = -16000')
    return db
  } catch (error) {
    db.close()
    throw error
  }
}
