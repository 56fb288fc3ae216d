import type { Database } from 'bun:sqlite'
import { unfinished } from '../moving/move.ts'
import { StoreError } from '../ports/store-error.ts'
import { sqliteSchema } from '../schema/sqlite.ts'
import {
  checkVersion,
  firstVersion,
  newestVersion,
  notUpgraded,
  programVersion,
  stepsFrom,
  tooOld,
} from '../schema/versions.ts'
import { applicationId, explained, explainFailure, isServed, openFile, usableCopy } from './file.ts'
import { takeOver } from './take-over.ts'

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

/** The statements of an older program could fail on the new tables. */
function checkUnserved(version: number, path: string): void {
  if (version === 0 || !isServed(path)) return
  throw new StoreError(
    `The database ${path} is at version ${version}, and an older program serves from it, which ` +
      `could not go on at version ${newestVersion}. Stop that program and start this one instead, ` +
      'or use its own commands until then.',
  )
}

/** The version, 0 for an empty database. Throws for one that this program can't use. */
function check(db: Database, path: string): number {
  checkOwner(db, path)
  const version = readPragma(db, 'user_version')
  checkVersion(version, path, () => ({ program: writerOf(db), copy: usableCopy(path) }))
  if (isUnfinished(db)) throw unfinished(path)
  return version
}

/** The program that upgraded a database; undefined: not known. */
function writerOf(db: Database): string | undefined {
  const hasWriter = db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'program'").get() !== null
  if (!hasWriter) return undefined
  return db.prepare<{ version: string }, []>('SELECT version FROM program').get()?.version
}

/** All steps to the newest version, in the transaction that is open. */
function takeSteps(db: Database, path: string, version: number): void {
  try {
    if (version === 0) db.run(sqliteSchema)
    else if (version < firstVersion) takeOver(db)
    for (const { sqlite } of stepsFrom(version)) if (sqlite !== undefined) db.run(sqlite)
    db.run('DELETE FROM program')
    db.query('INSERT INTO program VALUES (?, ?)').run(programVersion, version === 0 ? null : 0)
    db.run(`PRAGMA application_id = ${applicationId}`)
    db.run(`PRAGMA user_version = ${newestVersion}`)
  } catch (error) {
    const explained = explainFailure(error, path)
    throw version === 0 || explained !== error ? explained : notUpgraded(version, path, error)
  }
}

/** Upgrades a database to the newest version, in one transaction; one that is `toStay` is refused. */
export function migrate(
  db: Database,
  path: string,
  { toStay = false }: { readonly toStay?: boolean } = {},
): void {
  // An up-to-date database is opened without the write lock; all parts of the check see one state.
  const version = db.transaction(() => check(db, path)).deferred()
  if (version >= newestVersion) return
  if (version > 0 && toStay) throw tooOld(version, path)
  checkUnserved(version, path)
  const step = db.transaction(() => {
    const found = check(db, path)
    if (found < newestVersion) takeSteps(db, path, found)
  })
  // Tables are replaced.
  db.run('PRAGMA foreign_keys = OFF')
  try {
    step.immediate()
  } finally {
    db.run('PRAGMA foreign_keys = ON')
  }
  if (version > 0) layOut(db)
}

/** Enables incremental vacuum in a former program's file, when no other process has it open. */
function layOut(db: Database): void {
  const incremental = 2
  if (readPragma(db, 'auto_vacuum') === incremental) return
  try {
    db.run('PRAGMA auto_vacuum = INCREMENTAL')
    db.run('VACUUM')
  } catch {
    // The database is only larger than necessary.
  }
}

/** The version of an open database; throws when this program can't work with it, whatever is done. */
export const readVersion = (db: Database, path: string): number =>
  db.transaction(() => check(db, path)).deferred()

/** Upgrades a file, once `beforeFirstStep` is done; gives its former version, if it was old. */
export async function upgradeFile(
  path: string,
  beforeFirstStep: (version: number) => Promise<void>,
): Promise<number | undefined> {
  const db = explained(path, () => openFile({ path }))
  try {
    const isOld = (version: number) => version > 0 && version < newestVersion
    const before = explained(path, () => readVersion(db, path))
    if (!isOld(before)) return undefined
    checkUnserved(before, path)
    db.run('PRAGMA foreign_keys = OFF')
    explained(path, () => db.run('BEGIN IMMEDIATE'))
    const version = check(db, path)
    if (!isOld(version)) return undefined
    await beforeFirstStep(version)
    takeSteps(db, path, version)
    explained(path, () => db.run('COMMIT'))
    layOut(db)
    return version
  } finally {
    if (db.inTransaction) db.run('ROLLBACK')
    db.close()
  }
}
