import type { Database } from 'bun:sqlite'
import { migrations, newestVersion } from '../migrations/list.ts'
import { checkVersion } from '../migrations/version.ts'
import { unfinished } from '../moving/texts.ts'
import { StoreError } from '../ports/store-error.ts'
import { isServed } from './claim.ts'

/** Marks a database file as ours: `TGAT` in ASCII. */
export const applicationId = 0x54474154

/** The number that a PRAGMA tells. */
export function readPragma(db: Database, name: string): number {
  return Number(Object.values(db.prepare(`PRAGMA ${name}`).get() ?? {})[0])
}

/** Whether a move into this database was begun and not finished. */
export const isUnfinished = (db: Database): boolean =>
  db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'unfinished_move'").get() !== null

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
 * when the file belongs to another program or to a newer version of this one, while an older one
 * serves from it, or when another database was not wholly moved into it.
 */
export function migrate(db: Database, path: string): void {
  const check = (): number => {
    checkOwner(db, path)
    const version = readPragma(db, 'user_version')
    checkVersion(version, path)
    if (isUnfinished(db)) throw unfinished(path)
    return version
  }
  const step = db.transaction(() => {
    const version = check()
    const migration = migrations[version]
    if (migration === undefined) return
    if (migration.sqlite !== undefined) db.run(migration.sqlite)
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
