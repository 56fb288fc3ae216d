import { Database } from 'bun:sqlite'
import { migrations } from '../migrations/list.ts'
import { StoreError } from '../ports/store-error.ts'

interface SchemaObject {
  readonly type: 'table' | 'index' | 'trigger' | 'view'
  readonly name: string
  readonly tableName: string
  readonly sql: string
}

/** The tables of one version. */
interface Schema {
  readonly objects: readonly SchemaObject[]
  /** Names of the columns, by table. */
  readonly columns: ReadonlyMap<string, readonly string[]>
}

/** What rows get that were written before there was such a column. */
const fills: { readonly [column: string]: string } = {
  'request.clamped': '0',
  'request.long_context_pricing': `CASE WHEN tier_above IS NOT NULL THEN 1 ELSE
    (SELECT long_context_pricing FROM "group" WHERE "group".id = group_id) END`,
}

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`

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

/** The schemas that the steps make, by version; of 0 there is none. */
function madeSchemas(): readonly Schema[] {
  using model = new Database(':memory:')
  return [
    { objects: [], columns: new Map() },
    ...migrations.map(({ sqlite }) => {
      if (sqlite !== undefined) model.run(sqlite)
      return readSchema(model)
    }),
  ]
}

/** What is in a database and would have no place in a schema. */
function lostIn(db: Database, wanted: Schema, known: ReadonlySet<string>): readonly string[] {
  const isSome = (table: string, condition: string) =>
    db.prepare(`SELECT 1 FROM ${quoted(table)} WHERE ${condition} LIMIT 1`).get() !== null
  return [...readSchema(db).columns].flatMap(([table, columns]) => {
    if (!known.has(table)) return []
    const places = wanted.columns.get(table)
    if (places === undefined) return isSome(table, 'true') ? [table] : []
    return columns
      .filter((name) => !places.includes(name) && isSome(table, `${quoted(name)} IS NOT NULL`))
      .map((name) => `${table}.${name}`)
  })
}

/** What a database really is. */
interface Fit {
  readonly version: number
  readonly wanted: Schema
  readonly known: ReadonlySet<string>
}

/** Not all databases of a version are alike: see `conform`. Throws when no version fits. */
function findFit(db: Database, said: number): Fit {
  const schemas = madeSchemas()
  const known = new Set(schemas.flatMap(({ columns }) => [...columns.keys()]))
  for (let version = said; version > 0; version--) {
    const wanted = schemas[version]
    if (wanted && lostIn(db, wanted, known).length === 0) return { version, wanted, known }
  }
  const lost = schemas[said] ? lostIn(db, schemas[said], known) : []
  throw new StoreError(
    `it holds what no version of this program has made: ${lost.join(', ')}. Remove it first`,
  )
}

const isIn = ({ type, name, sql }: SchemaObject, { objects }: Schema) =>
  objects.some((one) => one.type === type && one.name === name && one.sql === sql)

/** What differs from the schema of the version that it is, by name; nothing is changed. */
export function differences(db: Database, said: number): readonly string[] {
  const { wanted, known } = findFit(db, said)
  const found = readSchema(db)
  const others = [
    ...wanted.objects.filter((one) => !isIn(one, found)),
    ...found.objects.filter((one) => known.has(one.tableName) && !isIn(one, wanted)),
  ]
  return [...new Set(others.map(({ type, name }) => `${type} ${name}`))]
}

/**
 * Gives a database that says that it is at a version the schema which the steps make at that version,
 * and tells which version that is. For not all databases of a version are alike: steps of unreleased
 * programs were changed, and some programs have ended in the middle of an upgrade. So what counts is
 * what there is: the version is the highest, up to the one that it says, whose tables have room for all
 * of it. Tables that are not ours stay. To be called in a transaction, while foreign keys are off.
 */
export function conform(db: Database, said: number): number {
  const fit = findFit(db, said)
  bringInLine(db, fit)
  return fit.version
}

function bringInLine(db: Database, { wanted, known }: Fit): void {
  const found = readSchema(db)
  const ours = found.objects.filter(({ tableName }) => known.has(tableName))
  const missing = wanted.objects.filter((one) => !isIn(one, found))
  if (missing.length === 0 && ours.every((one) => isIn(one, wanted))) return

  const otherTables = ours.filter((one) => one.type === 'table' && !isIn(one, wanted))
  const changing = new Set(otherTables.map(({ name }) => name))
  for (const one of ours) {
    if (one.type === 'table') continue
    if (!isIn(one, wanted) || changing.has(one.tableName))
      db.run(`DROP ${one.type} ${quoted(one.name)}`)
  }
  // So that what others say of a table goes on meaning the one of that name.
  db.run('PRAGMA legacy_alter_table = ON')
  for (const { name } of otherTables) {
    const table = wanted.objects.find((one) => one.type === 'table' && one.name === name)
    if (table === undefined) db.run(`DROP TABLE ${quoted(name)}`)
    else makeAnew(db, table, { from: found.columns.get(name), to: wanted.columns.get(name) })
  }
  db.run('PRAGMA legacy_alter_table = OFF')
  const now = readSchema(db)
  for (const one of wanted.objects) if (!isIn(one, now)) db.run(one.sql)

  const [broken] = db.prepare('PRAGMA foreign_key_check').all() as { table: string }[]
  if (broken !== undefined)
    throw new StoreError(`a row of ${broken.table} names one that is not there`)
}

interface Columns {
  readonly from: readonly string[] | undefined
  readonly to: readonly string[] | undefined
}

/** A table in other words, with the same rows. */
function makeAnew(db: Database, { name, sql }: SchemaObject, { from = [], to = [] }: Columns) {
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
