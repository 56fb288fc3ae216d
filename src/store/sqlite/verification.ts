import { type Database, SQLiteError } from 'bun:sqlite'
import { isUtf8 } from 'node:buffer'
import { statSync } from 'node:fs'
import { accountFields } from '../../resources/account.ts'
import { channelFields } from '../../resources/channel.ts'
import type { Definition } from '../../resources/field.ts'
import { groupFields } from '../../resources/group.ts'
import { columnsOf } from '../../resources/resource.ts'
import { tokenFields } from '../../resources/token.ts'
import {
  dayColumns,
  type FileFault,
  type Page,
  type VerificationStore,
} from '../ports/verification.ts'
import { type Engine, inPages, pause } from '../queries/steps.ts'
import type { DayWords } from '../queries/verification/days.ts'
import { createVerification as verificationOf } from '../queries/verification/verification.ts'
import { sql } from '../schema/sql.ts'
import { explainFailure } from './file.ts'
import { openDatabaseThread } from './thread.ts'

const words: DayWords = {
  createTable: sql.raw(
    `CREATE TEMP TABLE summed_day (token_id INTEGER, day TEXT, model TEXT, ${dayColumns.join(', ')},
      PRIMARY KEY (token_id, day, model)) WITHOUT ROWID`,
  ),
  dayOf: (ms) => sql`strftime('%Y-%m-%d', ${ms} / 1000, 'unixepoch')`,
}

/** What `verify` reads of a SQLite database, on its one connection. */
export const createVerification = (db: Database, path: string, engine: Engine): VerificationStore =>
  verificationOf({
    reading: engine,
    session: async () => ({ ...engine, [Symbol.asyncDispose]: async () => {} }),
    words,
    checkFile: (isDeep) => explainedRows(path, readFileFaults(db, isDeep)),
    checkSoon: (signal) => checkSoon(path, signal),
    async *oddSpendings() {},
  })

async function* explainedRows<Row>(path: string, rows: AsyncIterable<Row>): AsyncGenerator<Row> {
  try {
    yield* rows
  } catch (error) {
    throw explainFailure(error, path)
  }
}

/** Above this size the tables of requests are left out: they are most of it, and only ever grow. */
const largeBytes = 256 * 1024 * 1024
const largeTables = ['request', 'attempt', 'ledger']

/** SQLite's quick check, table by table, on a patient thread. Ends early with the signal. */
async function checkSoon(path: string, signal: AbortSignal): Promise<readonly FileFault[]> {
  if (path === ':memory:') return []
  const thread = await openDatabaseThread(path, path, true)
  const faults: FileFault[] = []
  try {
    const isLarge = statSync(path).size > largeBytes
    for (const { name } of await thread.all<{ name: string }>(selectTables)) {
      if (isLarge && largeTables.includes(name)) continue
      if (signal.aborted) break
      const select = 'SELECT quick_check AS text FROM pragma_quick_check(?)'
      const lines = await thread.all<{ text: string }>(select, name)
      const found = lines.filter(({ text }) => text !== 'ok')
      faults.push(...found.map(({ text }) => faultOf(name, text)))
    }
    return faults
  } finally {
    await thread.close()
  }
}

/** SQLite's own checks, table by table, for short snapshots: a million rows take 4 seconds. */
async function* readFileFaults(db: Database, isDeep: boolean): AsyncGenerator<Page<FileFault>> {
  const tables = namesOfTables(db)
  let isDamaged = false
  // Undefined: the whole file, also pages that belong to no table or to several.
  for (const name of [...tables, ...(isDeep ? [undefined] : [])]) {
    const rows: readonly FileFault[] = isDamaged && name === undefined ? [] : checkTable(db, name)
    isDamaged ||= rows.some(({ kind }) => kind === 'damage')
    yield { rows, looked: 0 }
    await pause()
  }
  if (isDamaged) return // reading its rows would fail
  for (const name of tables) {
    for (const reference of referencesOf(db, name)) {
      yield* danglingRows(db, name, reference)
      await pause()
    }
  }
  if (isDeep) yield* readOddCells(db, tables)
}

const namesOfTables = (db: Database): readonly string[] =>
  db
    .query<{ name: string }, []>(selectTables)
    .all()
    .map(({ name }) => name)

const selectTables =
  "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"

/** At most 100 lines a table: SQLite stops there. Without a table: faults of the file itself. */
function checkTable(db: Database, table: string | undefined): readonly FileFault[] {
  const faults = linesOf(db, table).map((text) => faultOf(table ?? '', text))
  return table === undefined ? faults.filter(({ kind }) => kind === 'damage') : faults
}

const faultOf = (table: string, text: string): FileFault => ({
  kind: isForbidden(text) ? 'forbidden' : 'damage',
  table,
  text: oneLine(text),
})

/** Where damage ends the check, its findings so far count. */
function linesOf(db: Database, table: string | undefined): readonly string[] {
  const lines: string[] = []
  // Quoted, since a number would be the maximum of lines.
  const argument = table === undefined ? '' : `('${table.replaceAll("'", "''")}')`
  using check = db.prepare<{ text: string }, []>(
    `SELECT integrity_check AS text FROM pragma_integrity_check${argument}`,
  )
  try {
    for (const { text } of check.iterate()) if (text !== 'ok') lines.push(text)
  } catch (error) {
    const isDamage = error instanceof SQLiteError && error.code?.startsWith('SQLITE_CORRUPT')
    if (!isDamage) throw error
    lines.push(error.message)
  }
  return lines
}

const oneLine = (text: string) =>
  text.replace(/^\*\*\* in database \w+ \*\*\*\n/, '').replaceAll('\n', '; ')

/** A row breaks a rule of its table; all other lines mean that the file is damaged. */
const isForbidden = (text: string) => text.startsWith('CHECK constraint failed')

interface Reference {
  readonly column: string
  readonly parent: string
  readonly parentColumn: string
}

/** An attempt's request is left out: `readOddAttempts` reports it with more detail. */
function referencesOf(db: Database, table: string): readonly Reference[] {
  const text =
    'SELECT "from" AS "column", "table" AS parent, "to" AS parentColumn ' +
    'FROM pragma_foreign_key_list(?)'
  return db
    .query<Reference, [string]>(text)
    .all(table)
    .filter(({ parent }) => !(table === 'attempt' && parent === 'request'))
}

/** SQLite's own check does not name the row where a table has no row ids. */
function* danglingRows(
  db: Database,
  table: string,
  { column, parent, parentColumn }: Reference,
): Generator<Page<FileFault>> {
  const keys = db
    .query<{ name: string }, [string]>('SELECT name FROM pragma_table_info(?) WHERE pk > 0')
    .all(table)
  const row = keys.map(({ name }) => `'${name} ' || "${name}"`).join(` || ', ' || `)
  using rows = db.prepare<{ row: string; value: string }, []>(
    `SELECT ${row} AS row, "${column}" AS value FROM "${table}" AS child ` +
      `WHERE "${column}" IS NOT NULL AND NOT EXISTS ` +
      `(SELECT 1 FROM "${parent}" AS parent WHERE parent."${parentColumn}" = child."${column}")`,
  )
  for (const page of inPages(rows.iterate())) {
    const faults = page.rows.map(({ row, value }) => ({ row, value: String(value) }))
    yield {
      rows: faults.map((one) => ({ kind: 'dangling', table, column, parent, ...one })),
      looked: 0,
    }
  }
}

interface Column {
  readonly name: string
  readonly type: string
  readonly pk: number
}

const definitions: readonly Definition[] = [accountFields, channelFields, groupFields, tokenFields]

/** Columns of JSON; not all of them have a constraint. */
const json: ReadonlySet<string> = new Set([
  ...['usage_raw', 'extras', 'charge', 'counts', 'terms', 'load', 'detail'],
  ...definitions.flatMap((one) => columnsOf(one, 'isJson')),
])
const signed = /^(balance\w*_nano|amount_nano|priority|purse)$/
const time = /_at$|^since$|^until$|^valid_from$/
/** When a set-up code expires. */
const never = Number.MAX_SAFE_INTEGER
const latestTime = Date.parse('2200-01-01T00:00:00Z')
const flags: ReadonlySet<string> = new Set([
  ...['stream', 'estimated', 'clamped', 'long_context_pricing', 'draining', 'email_verified'],
  ...['verified', 'backed_up', 'two_factor_enabled'],
  ...definitions.flatMap((one) => columnsOf(one, 'isFlag')),
])
const wordsOfColumn: Readonly<Record<string, string>> = {
  ending:
    "'complete', 'incomplete', 'failed', 'cut', 'client_left', 'shutdown', 'interrupted', 'refused', 'background'",
  client_protocol: "'chat', 'responses', 'messages', 'gemini'",
  upstream_protocol: "'chat', 'responses', 'messages', 'gemini'",
}

/** What a value of the column must be, and how the fault is called; undefined: anything. */
function ruleOf({ name, type }: Column): readonly [rule: string, fault: string] | undefined {
  const column = `"${name}"`
  if (json.has(name)) return [`json_valid(${column})`, 'is no JSON']
  if (wordsOfColumn[name])
    return [`${column} IN (${wordsOfColumn[name]})`, 'is no word of this column']
  if (type !== 'INTEGER') return undefined
  if (flags.has(name)) return [`${column} IN (0, 1)`, 'is neither 0 nor 1']
  const most = time.test(name) ? latestTime : Number.MAX_SAFE_INTEGER
  const least = signed.test(name) ? -Number.MAX_SAFE_INTEGER : 0
  const isIn = `${column} BETWEEN ${least} AND ${most}`
  const rule = name === 'expires_at' ? `(${isIn} OR ${column} = ${never})` : isIn
  return [rule, `is out of the range ${least} to ${most}`]
}

const rowsAtOnce = 1_000

/** Cells that break the schema's meaning: text must be UTF-8, numbers in range, JSON valid. */
async function* readOddCells(db: Database, tables: readonly string[]) {
  for (const table of tables) {
    const columns = db
      .query<Column, [string]>('SELECT name, type, pk FROM pragma_table_info(?)')
      .all(table)
    yield* oddValues(db, table, columns)
    yield* oddTexts(db, table, columns)
  }
}

/** `id 7`, or the columns of its key; with no key at all: nothing. */
const rowOf = (columns: readonly Column[]) =>
  columns
    .filter(({ pk }) => pk > 0)
    .map(({ name }) => `'${name} ' || quote("${name}")`)
    .join(` || ', ' || `) || "'a row'"

const forbidden = (table: string, text: string): FileFault => ({ kind: 'forbidden', table, text })

async function* oddValues(db: Database, table: string, columns: readonly Column[]) {
  for (const column of columns) {
    const [rule, fault] = ruleOf(column) ?? []
    if (rule === undefined) continue
    using odd = db.prepare<{ row: string; value: string }, []>(
      `SELECT ${rowOf(columns)} AS row, substr(quote("${column.name}"), 1, 60) AS value
       FROM "${table}" WHERE "${column.name}" IS NOT NULL AND NOT (${rule}) LIMIT ${rowsAtOnce}`,
    )
    const found = odd.all().map(({ row, value }) => `${row}: ${column.name} is ${value}: ${fault}`)
    yield* inPages(found.map((text) => forbidden(table, text)))
    await pause()
  }
}

/** Checks all texts of a row together, as bytes: SQLite changes invalid ones when it reads them as text. */
async function* oddTexts(db: Database, table: string, columns: readonly Column[]) {
  const texts = columns.filter(({ type }) => type === 'TEXT').map(({ name }) => `"${name}"`)
  if (texts.length === 0) return
  const all = texts.map((name) => `coalesce(${name}, '')`).join(` || ' ' || `)
  using rows = db.prepare<{ row: string; bytes: Uint8Array }, []>(
    `SELECT ${rowOf(columns)} AS row, CAST(${all} AS BLOB) AS bytes FROM "${table}"`,
  )
  let looked = 0
  let faults: FileFault[] = []
  for (const { row, bytes } of rows.iterate()) {
    if (!isUtf8(bytes)) faults.push(forbidden(table, `${row}: a text is not UTF-8`))
    if (++looked % rowsAtOnce > 0) continue
    yield { rows: faults, looked: 0 }
    faults = []
    await pause()
  }
  yield { rows: faults, looked: 0 }
}
