import { constants, Database } from 'bun:sqlite'
import {
  copyFileSync,
  existsSync,
  constants as files,
  mkdtempSync,
  rmSync,
  statSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { SealedKey } from '../ports/copies.ts'
import { selectSealed } from '../queries/catalog.ts'
import { firstVersion } from '../schema/versions.ts'
import { explained, isServed } from './file.ts'
import { readVersion } from './migrate.ts'
import { requireTakable } from './take-over.ts'

/** A database file as it is found. */
interface Look {
  readonly version: number
  /** What a copy takes, in bytes. */
  readonly copyBytes: number
  readonly isServed: boolean
  readonly sealedKeys: readonly SealedKey[]
}

/**
 * Looks at a database file without a change in it or beside it. Throws `StoreError` when this program
 * can't work with it, whatever is done.
 */
export function lookAt(path: string): Look {
  const served = isServed(path)
  return explained(path, () =>
    reading(path, served, (db) => {
      const version = readVersion(db, path)
      if (version > 0 && version < firstVersion) requireTakable(db)
      return {
        version,
        copyBytes: db.query<{ bytes: number }, []>(countBytes).get()?.bytes ?? 0,
        isServed: served,
        sealedKeys: version > 0 ? db.query<SealedKey, []>(selectSealed).all() : [],
      }
    }),
  )
}

const countBytes = `SELECT (page_count - freelist_count) * page_size AS bytes
  FROM pragma_page_count, pragma_freelist_count, pragma_page_size`

/** To read a journal is to make an index of it beside it, unless there is one that others use. */
function reading<Result>(path: string, served: boolean, work: (db: Database) => Result): Result {
  if (served) return within(new Database(path, { readonly: true }), work)
  const journal = `${path}-wal`
  if (!existsSync(journal) || statSync(journal).size === 0) {
    const url = `${pathToFileURL(resolve(path)).href}?immutable=1`
    const flags = constants.SQLITE_OPEN_READONLY | constants.SQLITE_OPEN_URI
    return within(new Database(url, flags), work)
  }
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-check-'))
  try {
    const copy = join(folder, 'copy.db')
    for (const ending of ['', '-wal'])
      copyFileSync(path + ending, copy + ending, files.COPYFILE_FICLONE)
    return within(new Database(copy), work)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function within<Result>(db: Database, work: (db: Database) => Result): Result {
  try {
    return work(db)
  } finally {
    db.close()
  }
}
