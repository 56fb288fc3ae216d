import type { Database, SQLQueryBindings } from 'bun:sqlite'
import { existsSync } from 'node:fs'
import { movedTables } from '../moving/tables.ts'
import {
  createMark,
  notEmpty,
  quoted,
  quotedList,
  readMark,
  requireVersion,
  samePlace,
} from '../moving/texts.ts'
import type { BegunMove, MoveTarget } from '../ports/copies.ts'
import { StoreError } from '../ports/store-error.ts'
import { createClaim } from './claim.ts'
import { explained } from './failures.ts'
import { isUnfinished, migrate, readPragma } from './migrate.ts'
import { createMoveReader, identityOf } from './moving-reader.ts'
import { openFile } from './open-file.ts'

/**
 * Opens the file that a store is moved into, making it and its tables. Throws `StoreError` when it
 * holds anything but what an unfinished move has left, or is the source itself.
 */
export function openSqliteTarget(path: string, sourceIdentity: string): MoveTarget {
  if (existsSync(path) && identityOf(path) === sourceIdentity) throw samePlace(path)
  const claim = createClaim(path)
  return explained(path, () => {
    const db = openFile({ path })
    try {
      // Nobody may serve while tables are made, not even this process.
      if (!isUnfinished(db)) makeTables(db, path)
      if (!claim.claim()) {
        throw new StoreError(
          `A gateway is running with the database ${path}, or another move is: stop it first.`,
        )
      }
      return target(db, path, claim.release)
    } catch (error) {
      claim.release()
      db.close()
      throw error
    }
  })
}

function target(db: Database, path: string, release: () => void): MoveTarget {
  const begun = readBegun(db, path)
  const access = async <Result>(work: () => Result): Promise<Result> => explained(path, work)
  const reader = createMoveReader(db, path)
  return {
    place: path,
    identity: identityOf(path),
    takesNul: true,
    begun,
    ...reader,
    begin: (move) => access(() => mark(db, move)),
    append: ({ table, columns }, moved, soFar) =>
      access(
        db.transaction(() => {
          const values = columns.map(() => '?').join(', ')
          const insert = db.query(
            `INSERT INTO ${quoted(table.name)} (${quotedList(columns)}) VALUES (${values})`,
          )
          for (const row of moved) insert.run(...(row as SQLQueryBindings[]))
          db.query('UPDATE unfinished_move SET so_far = ?').run(JSON.stringify(soFar))
        }).immediate,
      ),
    clear: () =>
      access(
        db.transaction(() => {
          for (const { name } of [...movedTables].reverse()) db.run(`DELETE FROM ${quoted(name)}`)
          db.run('DROP TABLE unfinished_move')
        }).immediate,
      ),
    finish: () =>
      access(() => {
        db.run('DROP TABLE unfinished_move')
        db.run('PRAGMA wal_checkpoint(TRUNCATE)')
      }),
    async close() {
      db.close()
      release()
    },
  }
}

/** What is there must hold no rows: it is not even brought up to date. */
function makeTables(db: Database, path: string): void {
  requireNoRows(db, path)
  migrate(db, path)
}

function requireNoRows(db: Database, path: string): void {
  for (const { name } of movedTables) {
    const isThere = db.prepare('SELECT 1 FROM sqlite_schema WHERE name = ?').get(name) !== null
    if (!isThere) continue
    if (db.prepare(`SELECT 1 FROM ${quoted(name)} LIMIT 1`).get()) throw notEmpty(path, name)
  }
}

/** What an unfinished move has left; undefined when there is nothing. */
function readBegun(db: Database, path: string): BegunMove | undefined {
  if (isUnfinished(db)) {
    requireVersion(readPragma(db, 'user_version'), path)
    return readMark(db.prepare('SELECT source, extent, so_far FROM unfinished_move').values()[0])
  }
  requireNoRows(db, path)
  return undefined
}

function mark(db: Database, { source, extent }: Omit<BegunMove, 'soFar'>): void {
  db.transaction(() => {
    db.run(createMark(' STRICT'))
    db.query('INSERT INTO unfinished_move VALUES (?, ?, NULL)').run(source, JSON.stringify(extent))
  }).immediate()
}
