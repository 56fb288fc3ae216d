import { Database, SQLiteError } from 'bun:sqlite'
import { accessSync, closeSync, constants, existsSync, openSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { StoreError } from '../ports/store-error.ts'

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
    // What is removed of it can be given back, some pages at a time.
    db.run('PRAGMA auto_vacuum = INCREMENTAL')
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

/**
 * Takes a database for one serving process: true, or false while another has it. The claim is a lock
 * on a file beside the database, which the system releases when the process ends, however it ends.
 * Commands work beside it: they need no claim.
 */
export function createClaim(path: string) {
  let holder: Database | undefined
  return {
    claim(): boolean {
      if (path === ':memory:' || holder) return true
      const db = new Database(`${path}.serving`, { create: true })
      try {
        db.run('PRAGMA locking_mode = EXCLUSIVE')
        db.run('BEGIN EXCLUSIVE')
        holder = db
        return true
      } catch (error) {
        db.close()
        if (error instanceof SQLiteError && error.code?.startsWith('SQLITE_BUSY')) return false
        throw error
      }
    },
    release(): void {
      holder?.close()
      holder = undefined
    },
  }
}

/** Whether some process serves from a database at this moment. */
export function isServed(path: string): boolean {
  if (path === ':memory:' || !existsSync(`${path}.serving`)) return false
  const claim = createClaim(path)
  try {
    return !claim.claim()
  } finally {
    claim.release()
  }
}

/** How soon a transaction is tried again while another process is writing. */
const retryMs = 5

/**
 * Does `work` as soon as no other process is writing, for as long as the database's busy timeout.
 * SQLite itself would wait with the whole process standing still, open streams included.
 */
export function createPatience(db: Database) {
  const setTimeoutTo = (ms: number) => db.prepare(`PRAGMA busy_timeout = ${ms}`)
  const { timeout } = db.query<{ timeout: number }, []>('PRAGMA busy_timeout').get() ?? {}
  const patienceMs = timeout ?? 0
  const [impatient, patient] = [setTimeoutTo(0), setTimeoutTo(patienceMs)]
  // SQLite obeys these when it compiles them, and compiles them anew for each run but the first.
  for (const statement of [impatient, patient]) statement.run()
  return async <Result>(work: () => Result): Promise<Result> => {
    const deadline = performance.now() + patienceMs
    while (true) {
      impatient.run()
      try {
        return work()
      } catch (error) {
        const isBusy = error instanceof SQLiteError && error.code?.startsWith('SQLITE_BUSY')
        if (!isBusy || performance.now() >= deadline) throw explainFailure(error, db.filename)
      } finally {
        patient.run()
      }
      await Bun.sleep(retryMs)
    }
  }
}

/** Code (or its beginning) → what to tell, as the rest of a sentence that begins with the path. */
const explanations: readonly (readonly [string, string])[] = [
  ['SQLITE_BUSY', 'is locked by another process: end it or wait for it, then try again'],
  ['SQLITE_FULL', 'can not grow because the disk is full: make room, then try again'],
  ['SQLITE_READONLY', 'can not be written: make the file and its directory writable for this user'],
  ['SQLITE_NOTADB', 'is not a SQLite database: give the path of another file, or of a new one'],
  ['SQLITE_CORRUPT', 'is damaged: restore a backup'],
  ['SQLITE_CANTOPEN', 'can not be opened: check that its directory exists and is writable'],
  ['SQLITE_PERM', 'can not be opened: make the file and its directory writable for this user'],
  ['SQLITE_IOERR', 'can not be read or written: check the disk and its file system'],
]

/** A SQLite error in words a person can act on; anything else comes back as it is. */
export function explainFailure(error: unknown, path: string): unknown {
  // By its code: what comes from another thread is no SQLiteError any more.
  if (!(error instanceof Error) || !('code' in error)) return error
  const code = String(error.code)
  const known = explanations.find(([prefix]) => code.startsWith(prefix))
  if (known === undefined) return error
  return new StoreError(`The database ${path} ${known[1]} (${code}: ${error.message}).`, {
    cause: error,
  })
}

/** Runs `work`; a SQLite error comes out explained. */
export function explained<Result>(path: string, work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    throw explainFailure(error, path)
  }
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK)
    return true
  } catch {
    return false
  }
}

/** Throws `StoreError` when a database can't live at `path`: SQLite's own words say little. */
export function checkPlace(path: string): void {
  const directory = dirname(resolve(path))
  if (!existsSync(directory)) {
    throw new StoreError(
      `The database ${path} can not be opened: the directory ${directory} does not exist. ` +
        'Create it, or give another path.',
    )
  }
  if (existsSync(path) && !statSync(path).isFile()) {
    throw new StoreError(
      `The database ${path} can not be opened: it is not a file. Give the path of a file.`,
    )
  }
  // SQLite makes its journal beside the file, so the directory must be writable too.
  for (const place of existsSync(path) ? [path, directory] : [directory]) {
    if (isWritable(place)) continue
    throw new StoreError(
      `The database ${path} can not be opened: ${place} is not writable for this user. ` +
        'Change its owner or its permissions, or give another path.',
    )
  }
}
