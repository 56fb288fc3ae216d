import { Database } from 'bun:sqlite'
import { existsSync } from 'node:fs'
import { checkVersion } from '../migrations/version.ts'
import { movedTables } from '../moving/tables.ts'
import { requireVersion, selectExtent, unfinished } from '../moving/texts.ts'
import type { MoveSource, SealedKey } from '../ports/copies.ts'
import { StoreError } from '../ports/store-error.ts'
import { selectSealed } from '../queries/catalog.ts'
import { createClaim } from './claim.ts'
import { explained } from './failures.ts'
import { applicationId } from './header.ts'
import { isUnfinished, readPragma } from './migrate.ts'
import { createMoveReader, identityOf } from './moving-reader.ts'

/**
 * Opens a database file that is to be moved. Nobody may serve from it meanwhile. Throws `StoreError`
 * with the way out.
 */
export function openSqliteSource(path: string): MoveSource {
  if (!existsSync(path)) throw new StoreError(`There is no database ${path}. Give its path.`)
  const claim = createClaim(path)
  if (!explained(path, claim.claim)) {
    throw new StoreError(
      `A gateway is running with the database ${path}, or another move is: stop it first.`,
    )
  }
  try {
    return explained(path, () => open(path, claim.release))
  } catch (error) {
    claim.release()
    throw error
  }
}

function open(path: string, release: () => void): MoveSource {
  const db = new Database(path, { readwrite: true, strict: true })
  try {
    db.run('PRAGMA busy_timeout = 5000')
    db.run('PRAGMA query_only = ON')
    requireOurs(db, path)
    const seen = readPragma(db, 'data_version')
    // From the first reading on all is of one state.
    db.run('BEGIN')
    return {
      place: path,
      identity: identityOf(path),
      ...createMoveReader(db, path),
      extent: async () =>
        movedTables.map((table) => {
          const [values] = db.prepare(selectExtent(table)).values()
          const [rows, newest] = values ?? []
          return {
            table: table.name,
            rows: Number(rows),
            newest: newest === null ? null : Number(newest),
          }
        }),
      sealedKeys: async () => db.prepare<SealedKey, []>(selectSealed).all(),
      async isChanged() {
        if (db.inTransaction) db.run('COMMIT')
        return readPragma(db, 'data_version') !== seen
      },
      async close() {
        db.close()
        release()
      },
    }
  } catch (error) {
    db.close()
    throw error
  }
}

function requireOurs(db: Database, path: string): void {
  if (readPragma(db, 'application_id') !== applicationId) {
    throw new StoreError(`The database ${path} belongs to another program, or is empty.`)
  }
  if (isUnfinished(db)) throw unfinished(path)
  const version = readPragma(db, 'user_version')
  checkVersion(version, path)
  requireVersion(version, path)
}
