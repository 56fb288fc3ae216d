import { Database, SQLiteError } from 'bun:sqlite'
import { closeSync, openSync } from 'node:fs'
import { checkPlace } from './failures.ts'

export interface FileOptions {
  /** Path of the database file; it is created when missing. `:memory:`: gone when closed. */
  readonly path: string
  /** `normal` (default) survives a killed process, `full` also a power cut, at some 3 ms a commit. */
  readonly synchronous?: 'normal' | 'full'
  /** How long to wait for another process that is writing; default 5,000. */
  readonly busyTimeoutMs?: number
}

/** Switching to WAL does not wait for other processes by itself, as all else does. */
function enterWal(db: Database, busyTimeoutMs: number): void {
  const deadline = performance.now() + busyTimeoutMs
  while (true) {
    try {
      db.run('PRAGMA journal_mode = WAL')
      return
    } catch (error) {
      const isBusy = error instanceof SQLiteError && error.code?.startsWith('SQLITE_BUSY')
      if (!isBusy || performance.now() > deadline) throw error
      Bun.sleepSync(5)
    }
  }
}

/** Opens a database file as this program works with it, making it when it is missing; no tables. */
export function openFile(options: FileOptions): Database {
  const { path, synchronous = 'normal', busyTimeoutMs = 5000 } = options
  if (path !== ':memory:') {
    checkPlace(path)
    // It holds hashes of passwords and sealed keys: for its owner's eyes only.
    closeSync(openSync(path, 'a', 0o600))
  }
  const db = new Database(path, { strict: true, create: true })
  try {
    db.run(`PRAGMA busy_timeout = ${busyTimeoutMs}`)
    // Of a new database: each page that a commit touches is summed and written whole, a settlement
    // touches a dozen, and most take a hundred bytes.
    db.run('PRAGMA page_size = 2048')
    enterWal(db, busyTimeoutMs)
    db.run(`PRAGMA synchronous = ${synchronous}`)
    db.run('PRAGMA foreign_keys = ON')
    // Moving the journal into the database holds up all requests, so another thread does it, long
    // before there are so many pages.
    db.run('PRAGMA wal_autocheckpoint = 16000')
    return db
  } catch (error) {
    db.close()
    throw error
  }
}
