import { Database, type SQLQueryBindings } from 'bun:sqlite'
import { existsSync, realpathSync, statSync } from 'node:fs'
import {
  createSource,
  createTarget,
  type MoveConnection,
  movedTables,
  orClose,
  quotedList,
  readExtent,
  readMark,
  requireEmpty,
  requireVersion,
  samePlace,
  unfinished,
} from '../moving/move.ts'
import type { MovedRow, MoveSource, MoveTarget } from '../ports/copies.ts'
import { StoreError } from '../ports/store-error.ts'
import { quoted } from '../schema/sql.ts'
import { checkVersion } from '../schema/versions.ts'
import { applicationId, createClaim, explained, openFile } from './file.ts'
import { isUnfinished, migrate, readPragma } from './migrate.ts'

/** Opens a file that is to be moved and that no process serves from. Throws `StoreError`. */
export async function openSqliteSource(path: string): Promise<MoveSource> {
  if (!existsSync(path)) throw new StoreError(`There is no database ${path}. Give its path.`)
  const release = claimFor(path)
  const db = explained(path, () => new Database(path, { readwrite: true, strict: true }))
  const connection = connect(db, path, release)
  return orClose(connection, async () => {
    explained(path, () => {
      db.run('PRAGMA busy_timeout = 5000')
      db.run('PRAGMA query_only = ON')
      requireOurs(db, path)
    })
    const seen = readPragma(db, 'data_version')
    // From the first reading on all is of one state.
    await connection.ask('BEGIN')
    return createSource(connection, await readExtent(connection), async () => {
      if (db.inTransaction) db.run('COMMIT')
      return readPragma(db, 'data_version') !== seen
    })
  })
}

/** Claims a database; throws when another process serves from it or moves it. */
function claimFor(path: string): () => void {
  const { claim, release } = createClaim(path)
  if (explained(path, claim)) return release
  throw new StoreError(
    `A gateway is running with the database ${path}, or another move is: stop it first.`,
  )
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

/** Opens the target of a move, making its tables. Throws `StoreError` when it holds other rows. */
export async function openSqliteTarget(path: string, sourceIdentity: string): Promise<MoveTarget> {
  if (existsSync(path) && identityOf(path) === sourceIdentity) throw samePlace(path)
  const db = explained(path, () => openFile({ path }))
  let release = () => {}
  const connection = connect(db, path, () => release())
  return orClose(connection, async () => {
    // No process may serve while tables are made.
    if (!isUnfinished(db)) await makeTables(connection, db)
    release = claimFor(path)
    return createTarget(connection, {
      takesNul: true,
      begun: await readBegun(connection, db),
      async insert({ table, columns }, moved) {
        const places = columns.map(() => '?').join(', ')
        const names = quotedList(columns)
        const text = `INSERT INTO ${quoted(table.name)} (${names}) VALUES (${places})`
        explained(path, () => {
          using insert = db.prepare(text)
          for (const row of moved) insert.run(...(row as SQLQueryBindings[]))
        })
      },
      async empty() {
        for (const { name } of movedTables.toReversed()) {
          await connection.ask(`DELETE FROM ${quoted(name)}`)
        }
      },
      async finish(unmark) {
        await unmark()
        await connection.ask('PRAGMA wal_checkpoint(TRUNCATE)')
      },
    })
  })
}

/** What is there must hold no rows: it is not even brought up to date. */
async function makeTables(connection: MoveConnection, db: Database): Promise<void> {
  const tables = await connection.ask('SELECT name FROM sqlite_schema')
  const there = new Set(tables.map(([name]) => name))
  await requireEmpty(
    connection,
    movedTables.filter(({ name }) => there.has(name)),
  )
  explained(connection.place, () => migrate(db, connection.place))
}

async function readBegun(connection: MoveConnection, db: Database) {
  if (!isUnfinished(db)) {
    await requireEmpty(connection)
    return undefined
  }
  requireVersion(readPragma(db, 'user_version'), connection.place)
  return readMark(connection)
}

/** The same for one file, whatever it is called. */
function identityOf(path: string): string {
  const { dev, ino } = statSync(path)
  return `file ${dev}:${ino === 0 ? realpathSync(path) : ino}`
}

function connect(db: Database, path: string, release: () => void): MoveConnection {
  const ask = async (text: string, values: readonly unknown[] = []) =>
    explained(path, () => {
      using statement = db.prepare(text.replace(/\$(\d)/g, '?$1'))
      return statement.values(...(values as SQLQueryBindings[])) as unknown as MovedRow[]
    })
  return {
    ...{ place: path, identity: identityOf(path), ask },
    selectColumns: 'SELECT name FROM pragma_table_info($1) ORDER BY name',
    async transaction(work) {
      await ask('BEGIN IMMEDIATE')
      try {
        await work()
        await ask('COMMIT')
      } finally {
        if (db.inTransaction) db.run('ROLLBACK')
      }
    },
    async close() {
      db.close()
      release()
    },
  }
}
