import { Database, type SQLQueryBindings, type Statement } from 'bun:sqlite'
import { existsSync, realpathSync, statSync } from 'node:fs'
import {
  createMark,
  movedTables,
  notEmpty,
  quoted,
  quotedList,
  readMark,
  requireVersion,
  samePlace,
  selectExtent,
  selectRows,
  unfinished,
} from '../moving/tables.ts'
import type {
  BegunMove,
  MovedRow,
  MovePlace,
  MoveSource,
  MoveTarget,
  SealedKey,
} from '../ports/copies.ts'
import { StoreError } from '../ports/store-error.ts'
import { selectSealed } from '../queries/catalog.ts'
import { checkVersion } from '../schema/versions.ts'
import { createClaim, explained, openFile } from './file.ts'
import { applicationId } from './header.ts'
import { isUnfinished, migrate, readPragma } from './migrate.ts'

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

/** The same for one file, whatever it is called. */
function identityOf(path: string): string {
  const { dev, ino } = statSync(path)
  return `file ${dev}:${ino === 0 ? realpathSync(path) : ino}`
}

/** Reads what is moved. */
function createMoveReader(db: Database, path: string): Pick<MovePlace, 'columns' | 'rows'> {
  const statements = new Map<string, Statement>()
  function prepared(text: string): Statement {
    const known = statements.get(text) ?? db.prepare(text)
    statements.set(text, known)
    return known
  }
  return {
    async columns({ name, without = [] }) {
      const found = prepared('SELECT name FROM pragma_table_info(?) ORDER BY name').values(name)
      return found.map(([column]) => String(column)).filter((column) => !without.includes(column))
    },
    async rows({ table, columns, after, limit }) {
      const text = selectRows(table, columns, after === undefined, (number) => `?${number}`)
      const values = [...(after ?? []), limit] as SQLQueryBindings[]
      return explained(path, () => prepared(text).values(...values)) as unknown as MovedRow[]
    },
  }
}
