import { Database, SQLiteError } from 'bun:sqlite'
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  openSync,
  readdirSync,
  readSync,
  statSync,
} from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { codeOf, messageOf } from '../../lib/failure.ts'
import { StoreError } from '../ports/store-error.ts'
import { checkVersion, newestVersion } from '../schema/versions.ts'

export interface FileOptions {
  /** Path of the database file; it is created when missing. `:memory:`: gone when closed. */
  readonly path: string
  /** `normal` (default) survives a killed process, `full` also a power cut, at some 3 ms a commit. */
  readonly synchronous?: 'normal' | 'full'
  /** How long to wait for another process that is writing; default 5,000. */
  readonly busyTimeoutMs?: number
}

const isBusy = (error: unknown): boolean =>
  error instanceof SQLiteError && error.code?.startsWith('SQLITE_BUSY') === true

/** Prepares a database that was just opened; closes it where that fails. */
export function prepared(db: Database, work: () => void): Database {
  try {
    work()
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

/** Unlike other statements, switching to WAL ignores the busy timeout. */
function enterWal(db: Database, busyTimeoutMs: number): void {
  const deadline = performance.now() + busyTimeoutMs
  while (true) {
    try {
      db.run('PRAGMA journal_mode = WAL')
      return
    } catch (error) {
      if (!isBusy(error) || performance.now() > deadline) throw error
      Bun.sleepSync(5)
    }
  }
}

/** Opens a database file as this program works with it, making it when it is missing; no tables. */
export function openFile(options: FileOptions): Database {
  const { path, synchronous = 'normal', busyTimeoutMs = 5000 } = options
  if (path !== ':memory:') {
    checkPlace(path)
    // It holds hashes of passwords and sealed keys.
    closeSync(openSync(path, 'a', 0o600))
  }
  const db = new Database(path, { strict: true, create: true })
  return prepared(db, () => {
    db.run(`PRAGMA busy_timeout = ${busyTimeoutMs}`)
    // A commit writes whole pages, and needs a hundred bytes of most.
    db.run('PRAGMA page_size = 2048')
    // Allows incremental vacuum; only a new file can enable it.
    if (isEmpty(db)) db.run('PRAGMA auto_vacuum = INCREMENTAL')
    enterWal(db, busyTimeoutMs)
    db.run(`PRAGMA synchronous = ${synchronous}`)
    db.run('PRAGMA foreign_keys = ON')
    // Moving the journal delays all requests: the checkpointer does it long before.
    db.run('PRAGMA wal_autocheckpoint = 16000')
  })
}

const isEmpty = (db: Database): boolean =>
  db.query<{ page_count: number }, []>('PRAGMA page_count').get()?.page_count === 0

/** Claims a database for one serving process, by a lock on `….serving` that ends with the process. */
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
        if (isBusy(error)) return false
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

const retryMs = 5

/** Runs work on a connection. Rejects with the failure explained. */
export type Access = <Result>(work: () => Result) => Promise<Result>

/**
 * The access to a connection. Work is done at once, or, while another process is writing, retried
 * within the busy timeout: SQLite's own wait would block the event loop, so it is turned off.
 */
export function createAccess(db: Database, watch?: { require(): void }): Access {
  const { timeout = 0 } = db.query<{ timeout: number }, []>('PRAGMA busy_timeout').get() ?? {}
  db.run('PRAGMA busy_timeout = 0')
  return async (work) => {
    watch?.require()
    let deadline: number | undefined
    while (true) {
      try {
        return work()
      } catch (error) {
        const now = performance.now()
        deadline ??= now + timeout
        if (!isBusy(error) || now >= deadline) throw explainFailure(error, db.filename)
      }
      await Bun.sleep(retryMs)
    }
  }
}

/** Code (or its beginning) → the explanation, which follows the path in the message. */
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

/** A SQLite error as a `StoreError` with the way out; other errors unchanged. */
export function explainFailure(error: unknown, path: string): unknown {
  // By its code: what comes from another thread is no SQLiteError any more.
  const code = codeOf(error)
  const known = explanations.find(([prefix]) => code?.startsWith(prefix))
  if (known === undefined) return error
  return new StoreError(`The database ${path} ${known[1]} (${code}: ${messageOf(error)}).`, {
    cause: error,
  })
}

/** Runs `work`; explains its SQLite errors. */
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
  const refuse = (why: string) => {
    throw new StoreError(`The database ${path} can not be opened: ${why}`)
  }
  const directory = dirname(resolve(path))
  if (!existsSync(directory)) {
    refuse(`the directory ${directory} does not exist. Create it, or give another path.`)
  }
  if (existsSync(path) && !statSync(path).isFile()) {
    refuse('it is not a file. Give the path of a file.')
  }
  // SQLite makes its journal in the same directory, which must be writable too.
  for (const place of existsSync(path) ? [path, directory] : [directory]) {
    if (isWritable(place)) continue
    refuse(
      `${place} is not writable for this user. Change its owner or its permissions, or give ` +
        'another path.',
    )
  }
}

/** Marks a database file as ours: `TGAT` in ASCII. */
export const applicationId = 0x54474154

const magic = 'SQLite format 3\0'
const headerBytes = 100
/** Offsets in the header (SQLite's own reference, "Database File Format"). */
const versionAt = 60
const ownerAt = 68

/** Reads a file's first bytes; throws `StoreError` when it is not ours, or of a newer version. */
export function checkHeader(path: string): void {
  const header = readHeader(path)
  if (header.subarray(0, magic.length).toString('latin1') !== magic) {
    throw new StoreError(
      `${path} is no SQLite database, so no backup. Give the path of a file that "tollgate backup" ` +
        'has made.',
    )
  }
  if (header.readUInt32BE(ownerAt) !== applicationId) {
    throw new StoreError(
      `${path} is a database of another program. Give the path of a file that "tollgate backup" ` +
        'has made.',
    )
  }
  checkVersion(header.readUInt32BE(versionAt), path)
}

/** The version of a closed database file of ours; undefined: it is none. */
function versionOf(path: string): number | undefined {
  const header = readHeader(path)
  const isOurs = header.readUInt32BE(ownerAt) === applicationId
  return isOurs ? header.readUInt32BE(versionAt) : undefined
}

function readHeader(path: string): Buffer {
  const header = Buffer.alloc(headerBytes)
  const file = openSync(path, 'r')
  try {
    readSync(file, header, 0, headerBytes, 0)
  } finally {
    closeSync(file)
  }
  return header
}

const ending = '.before-v'

/** Where a database is copied to before it is upgraded to the newest version. */
export const copyPath = (database: string): string => `${database}${ending}${newestVersion}`

/** All such copies of a database, of any version. */
export function copiesOf(database: string): readonly string[] {
  const folder = dirname(database)
  const beginning = `${basename(database)}${ending}`
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .filter((name) => name.startsWith(beginning) && /^\d+$/.test(name.slice(beginning.length)))
    .map((name) => join(folder, name))
}

/** A copy that a program which knows a version can use instead of a newer database; undefined: there is none. */
export const usableCopy = (database: string, known = newestVersion): string | undefined =>
  copiesOf(database).find((copy) => (versionOf(copy) ?? known + 1) <= known)
