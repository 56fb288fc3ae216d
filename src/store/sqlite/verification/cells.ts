import type { Database } from 'bun:sqlite'
import { isUtf8 } from 'node:buffer'
import type { FileFault, Page } from '../../ports/verification.ts'
import { inPages, pause } from '../../queries/verification/paging.ts'

interface Column {
  readonly name: string
  readonly type: string
  readonly pk: number
}

/** Columns of JSON; many of their tables demand it by themselves. */
const json = new Set([
  ...['usage_raw', 'extras', 'charge', 'counts', 'terms', 'models', 'speaks', 'timeouts', 'load'],
  ...['ip_allow', 'regions', 'accounts', 'tools', 'quirks', 'probe', 'detail'],
])
/** Numbers that may be below zero. */
const signed = /^(balance\w*_nano|amount_nano|priority)$/
/** Milliseconds since 1970: of this age. */
const time = /_at$|^since$|^until$|^valid_from$/
/** When a set-up code expires. */
const never = Number.MAX_SAFE_INTEGER
const latestTime = Date.parse('2200-01-01T00:00:00Z')
/** Yes or no. */
const flag =
  /^(stream|estimated|clamped|long_context_pricing|strict|draining|allow_private|email_verified|verified|backed_up|two_factor_enabled)$/
const words: Readonly<Record<string, string>> = {
  ending:
    "'complete', 'incomplete', 'failed', 'cut', 'client_left', 'shutdown', 'interrupted', 'refused', 'background'",
  client_protocol: "'chat', 'responses', 'messages', 'gemini'",
  upstream_protocol: "'chat', 'responses', 'messages', 'gemini'",
}

/** What a value of the column must be, and how the fault is called; undefined: anything. */
function ruleOf({ name, type }: Column): readonly [rule: string, fault: string] | undefined {
  const column = `"${name}"`
  if (json.has(name)) return [`json_valid(${column})`, 'is no JSON']
  if (words[name]) return [`${column} IN (${words[name]})`, 'is no word of this column']
  if (type !== 'INTEGER') return undefined
  if (flag.test(name)) return [`${column} IN (0, 1)`, 'is neither 0 nor 1']
  const most = time.test(name) ? latestTime : Number.MAX_SAFE_INTEGER
  const least = signed.test(name) ? -Number.MAX_SAFE_INTEGER : 0
  const isIn = `${column} BETWEEN ${least} AND ${most}`
  const rule = name === 'expires_at' ? `(${isIn} OR ${column} = ${never})` : isIn
  return [rule, `is out of the range ${least} to ${most}`]
}

const rowsAtOnce = 1_000

/**
 * Cells that hold what nobody has written there: SQLite keeps no sums of its pages, and takes any bytes
 * for a value of their length. Texts must be UTF-8, numbers in their range, JSON must be JSON.
 */
export async function* readOddCells(db: Database, tables: readonly string[]) {
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

async function* oddValues(
  db: Database,
  table: string,
  columns: readonly Column[],
): AsyncGenerator<Page<FileFault>> {
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

/** All texts of a row are looked at together: as bytes, for texts that are none come as others. */
async function* oddTexts(
  db: Database,
  table: string,
  columns: readonly Column[],
): AsyncGenerator<Page<FileFault>> {
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
