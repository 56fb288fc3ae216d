import { Database } from 'bun:sqlite'
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
import type { MoveSource, MoveTarget } from '../ports/copies.ts'
import { StoreError } from '../ports/store-error.ts'
import { all, run } from '../queries/steps.ts'
import { quoted, sql } from '../schema/sql.ts'
import { checkVersion } from '../schema/versions.ts'
import { createEngine } from './engine.ts'
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
    explained(path, () => db.run('BEGIN'))
    return createSource(connection, await connection.read(readExtent), async () => {
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
      *insert({ name }, rows) {
        const columns = Object.keys(rows[0] ?? {})
        const places = columns.map(() => '?').join(', ')
        const text = `INSERT INTO ${quoted(name)} (${quotedList(columns)}) VALUES (${places})`
        using insert = db.prepare(text)
        for (const row of rows) insert.run(...Object.values(row))
      },
      *empty() {
        for (const { name } of movedTables.toReversed())
          yield* run(sql`DELETE FROM ${sql.ref(name)}`)
      },
      async finish(open) {
        await connection.write(open)
        await connection.read(() => all(sql`PRAGMA wal_checkpoint(TRUNCATE)`))
      },
    })
  })
}

/** What is there must hold no rows: it is not even brought up to date. */
async function makeTables({ place, read }: MoveConnection, db: Database): Promise<void> {
  const tables = await read(() => all(sql<{ name: string }>`SELECT name FROM sqlite_schema`))
  const there = new Set(tables.map(({ name }) => name))
  await read(() =>
    requireEmpty(
      place,
      movedTables.filter(({ name }) => there.has(name)),
    ),
  )
  explained(place, () => migrate(db, place))
}

async function readBegun({ place, read }: MoveConnection, db: Database) {
  if (isUnfinished(db)) {
    requireVersion(readPragma(db, 'user_version'), place)
    return read(readMark)
  }
  await read(() => requireEmpty(place))
  return undefined
}

/** The same for one file, whatever it is called. */
function identityOf(path: string): string {
  const { dev, ino } = statSync(path)
  return `file ${dev}:${ino === 0 ? realpathSync(path) : ino}`
}

const connect = (db: Database, path: string, release: () => void): MoveConnection => ({
  ...createEngine(db, async (work) => explained(path, work)),
  ...{ place: path, identity: identityOf(path) },
  columnsOf: (table) => sql`SELECT name FROM pragma_table_info(${table}) ORDER BY name`,
  async close() {
    db.close()
    release()
  },
})
