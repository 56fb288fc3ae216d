import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { StoreError } from '../ports/store-error.ts'

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
