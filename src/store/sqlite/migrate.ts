import type { Database } from 'bun:sqlite'
import { isServed } from './claim.ts'
import { StoreError } from './failures.ts'
import { firstTables } from './migrations/0001-first.ts'
import { translationColumns } from './migrations/0002-translation.ts'
import { resilienceTables } from './migrations/0003-resilience.ts'
import { signInTables } from './migrations/0004-sign-in.ts'
import { consoleTables } from './migrations/0005-console.ts'
import { usageTotals } from './migrations/0006-usage-totals.ts'

/** In order; the place in the list is the version that a migration leads to. Only ever appended. */
const migrations: readonly string[] = [
  firstTables,
  translationColumns,
  resilienceTables,
  signInTables,
  consoleTables,
  usageTotals,
]

/** The version of a database that is up to date. */
export const newestVersion = migrations.length

/** Marks a database file as ours: `TGAT` in ASCII. */
export const applicationId = 0x54474154

function readPragma(db: Database, name: string): number {
  return Number(Object.values(db.prepare(`PRAGMA ${name}`).get() ?? {})[0])
}

function checkOwner(db: Database, path: string): void {
  const owner = readPragma(db, 'application_id')
  if (owner === applicationId) return
  const tables = db.prepare('SELECT count(*) AS count FROM sqlite_schema').get() as {
    count: number
  }
  if (owner === 0 && tables.count === 0 && readPragma(db, 'user_version') === 0) return
  throw new StoreError(
    `The database ${path} belongs to another program. Give the path of a new file instead.`,
  )
}

/** Throws `StoreError` when a database is of a newer version than this program knows. */
export function checkVersion(version: number, path: string): void {
  if (version <= newestVersion) return
  throw new StoreError(
    `The database ${path} was written by a newer version of this program (it is at version ` +
      `${version}, this program knows ${newestVersion}). Start the newer program, or restore ` +
      'a backup that was made before the update.',
  )
}

/** Its statements are those of its own version: they could fail, and with them all that it serves. */
function checkUnserved(version: number, path: string): void {
  if (version === 0 || !isServed(path)) return
  throw new StoreError(
    `The database ${path} is at version ${version}, and an older program serves from it, which ` +
      `could not go on at version ${newestVersion}. Stop that program and start this one instead, ` +
      'or use its own commands until then.',
  )
}

/**
 * Brings a database to the newest version, each step in its own transaction. Several processes
 * may do so at once: the version is read again once the write lock is held. Throws `StoreError`
 * when the file belongs to another program or to a newer version of this one, or while an older one
 * serves from it.
 */
export function migrate(db: Database, path: string): void {
  const check = (): number => {
    checkOwner(db, path)
    const version = readPragma(db, 'user_version')
    checkVersion(version, path)
    return version
  }
  const step = db.transaction(() => {
    const version = check()
    const sql = migrations[version]
    if (sql === undefined) return
    db.run(sql)
    db.run(`PRAGMA application_id = ${applicationId}`)
    db.run(`PRAGMA user_version = ${version + 1}`)
  })
  // An up-to-date database is opened without asking for the write lock. All parts of the check
  // see the same state: another process may be making the tables at this moment.
  const readVersion = db.transaction(check)
  while (true) {
    const version = readVersion.deferred()
    if (version >= newestVersion) return
    checkUnserved(version, path)
    step.immediate()
  }
}
