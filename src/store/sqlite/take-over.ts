import { Database } from 'bun:sqlite'
import { StoreError } from '../ports/store-error.ts'
import { quoted } from '../schema/sql.ts'
import { fillUsageTotals, sqliteSchema } from '../schema/sqlite.ts'

interface SchemaObject {
  readonly type: 'table' | 'index' | 'trigger' | 'view'
  readonly name: string
  readonly tableName: string
  readonly sql: string
}

interface Schema {
  readonly objects: readonly SchemaObject[]
  readonly columns: ReadonlyMap<string, readonly string[]>
}

/** Columns that are somewhere else now. */
const moved: ReadonlySet<string> = new Set(['account.password_hash', 'account.password_mark'])

const keepPasswords = `CREATE TEMP TABLE former_password AS
  SELECT id, password_hash, password_mark, created_at FROM account
  WHERE password_hash IS NOT NULL AND deleted_at IS NULL`

const returnPasswords = `INSERT INTO credential (account_id, provider, subject, password_hash, password_mark,
    created_at, updated_at)
  SELECT id, 'credential', CAST(id AS TEXT), password_hash, password_mark, created_at, created_at
  FROM former_password;
DROP TABLE former_password`

/** What rows get that were written before there was such a column. */
const fills: { readonly [column: string]: string } = {
  'request.clamped': '0',
  'request.long_context_pricing': `CASE WHEN tier_above IS NOT NULL THEN 1 ELSE
    (SELECT long_context_pricing FROM "group" WHERE "group".id = group_id) END`,
}

function readSchema(db: Database): Schema {
  const objects = db
    .prepare<SchemaObject, []>(
      `SELECT type, name, tbl_name AS tableName, sql FROM sqlite_schema
       WHERE substr(name, 1, 7) <> 'sqlite_' ORDER BY rowid`,
    )
    .all()
  const findColumns = db.prepare<{ name: string }, [string]>(
    'SELECT name FROM pragma_table_info(?)',
  )
  const columns = objects
    .filter(({ type }) => type === 'table')
    .map(({ name }) => [name, findColumns.all(name).map((column) => column.name)] as const)
  return { objects, columns: new Map(columns) }
}

function newSchema(): Schema {
  using model = new Database(':memory:')
  model.run(sqliteSchema)
  return readSchema(model)
}

const holds = (db: Database, table: string, condition: string) =>
  db.prepare(`SELECT 1 FROM ${quoted(table)} WHERE ${condition} LIMIT 1`).get() !== null

/** Throws when a table of ours holds something that the new one has no column for. */
function requireRoom(db: Database, found: Schema, wanted: Schema): void {
  const lost = [...found.columns].flatMap(([table, columns]) => {
    const places = wanted.columns.get(table)
    if (places === undefined) return []
    return columns
      .map((name) => ({ name, place: `${table}.${name}` }))
      .filter(({ name, place }) => !places.includes(name) && !moved.has(place))
      .filter(({ name }) => holds(db, table, `${quoted(name)} IS NOT NULL`))
      .map(({ place }) => place)
  })
  if (lost.length === 0) return
  throw new StoreError(
    `it holds what no version of this program has made: ${lost.join(', ')}. Remove it first`,
  )
}

/** Whether all tables and indexes of a new database are there, word for word: nothing is to be done. */
const isAlike = (found: Schema, wanted: Schema): boolean =>
  new Set(wanted.objects.map(({ sql }) => sql)).isSubsetOf(
    new Set(found.objects.map(({ sql }) => sql)),
  )

/** Throws when `takeOver` would; nothing is changed. */
export const requireTakable = (db: Database): void => requireRoom(db, readSchema(db), newSchema())

/** Upgrades any former version to the first version, in a transaction without foreign keys. */
export function takeOver(db: Database): void {
  const found = readSchema(db)
  const wanted = newSchema()
  if (isAlike(found, wanted)) return
  requireRoom(db, found, wanted)
  const passwords = found.columns.get('account')?.includes('password_hash') ?? false
  if (passwords) db.run(keepPasswords)
  bringInLine(db, wanted, found)
  if (passwords) db.run(returnPasswords)
  if (!found.columns.has('usage_total')) db.run(fillUsageTotals)
}

function bringInLine(db: Database, wanted: Schema, found: Schema): void {
  const ours = found.objects.filter(({ tableName }) => wanted.columns.has(tableName))
  for (const { type, name } of ours) if (type !== 'table') db.run(`DROP ${type} ${quoted(name)}`)
  // Other tables' references keep naming the table of that name.
  db.run('PRAGMA legacy_alter_table = ON')
  for (const one of wanted.objects) {
    const columns = found.columns.get(one.name)
    if (one.type !== 'table' || columns === undefined) db.run(one.sql)
    else makeAnew(db, one, columns, wanted.columns.get(one.name) ?? [])
  }
  db.run('PRAGMA legacy_alter_table = OFF')

  const [broken] = db.prepare('PRAGMA foreign_key_check').all() as { table: string }[]
  if (broken !== undefined)
    throw new StoreError(`a row of ${broken.table} names one that is not there`)
}

/** Replaces a table by its new form, with the same rows. */
function makeAnew(
  db: Database,
  { name, sql }: SchemaObject,
  from: readonly string[],
  to: readonly string[],
) {
  const former = quoted(`former ${name}`)
  db.run(`ALTER TABLE ${quoted(name)} RENAME TO ${former}`)
  db.run(sql)
  const values = to.flatMap((column) => {
    const value = from.includes(column) ? quoted(column) : fills[`${name}.${column}`]
    return value === undefined ? [] : [{ column: quoted(column), value }]
  })
  const columns = values.map(({ column }) => column).join(', ')
  db.run(
    `INSERT INTO ${quoted(name)} (${columns}) SELECT ${values.map(({ value }) => value).join(', ')} FROM ${former}`,
  )
  db.run(`DROP TABLE ${former}`)
}
