import { Database } from 'bun:sqlite'
import { applicationId } from '../../../src/store/sqlite/file.ts'
import { formerSteps } from '../../support/old-databases.ts'

/** Versions that programs in use have written. */
export type OldVersion = 1 | 2 | 3

export type Row = { readonly [column: string]: unknown }
export type Rows = { readonly [table: string]: readonly Row[] }

const tableNames = (db: Database) =>
  db
    .query<{ name: string }, []>(
      "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name",
    )
    .all()
    .map(({ name }) => name)

/** All rows of a database by table. */
export function rowsOf(path: string): Rows {
  const db = new Database(path, { readonly: true })
  const rows = tableNames(db).map((name) => [
    name,
    db.query<Row, []>(`SELECT * FROM "${name}"`).all(),
  ])
  db.close()
  return Object.fromEntries(rows)
}

const ofPassword = (column: string) =>
  `(SELECT ${column} FROM source.credential WHERE account_id = account.id)`

/** Columns of an account that the newest version has elsewhere. */
const moved = new Map(
  ['password_hash', 'password_mark'].map((column) => [column, ofPassword(column)]),
)

/** Writes what is in a database into a new one of an old version: with its tables and columns. */
export function writeOldVersion(version: OldVersion, source: string, target: string): void {
  const db = new Database(target, { create: true })
  for (const { sqlite } of formerSteps.slice(0, version)) if (sqlite) db.run(sqlite)
  db.run(`PRAGMA application_id = ${applicationId}`)
  db.run(`PRAGMA user_version = ${version}`)
  db.run('ATTACH ? AS source', [source])
  for (const name of tableNames(db)) {
    const columns = db
      .query<{ name: string }, [string]>('SELECT name FROM pragma_table_info(?)')
      .all(name)
      .map((column) => column.name)
    const values = columns.map((column) => (name === 'account' && moved.get(column)) || column)
    db.run(
      `INSERT INTO main."${name}" (${columns.join(', ')}) SELECT ${values.join(', ')} FROM source."${name}"`,
    )
  }
  db.close()
}
