import type { BackgroundAnswer } from '../ports/answers.ts'
import type { AttemptRow, RequestRow, Reservation } from '../ports/records.ts'
import { type Sql, sql } from './sql.ts'
import type { Words } from './words.ts'

/** What a column holds; a flag is 0 or 1. With `?` it may be NULL. */
type Kind = 'flag' | 'text' | 'int' | 'text?' | 'int?'
type KindOf<Value> = [Value] extends [boolean]
  ? 'flag'
  : `${[Value] extends [string | null] ? 'text' : 'int'}${null extends Value ? '?' : ''}`

/** The fields of a row that stand in columns, each with what it holds. */
type Fields<Row> = { readonly [Field in keyof Row]-?: KindOf<Exclude<Row[Field], undefined>> }

/** A row as statements write and give it. */
export type Stored<Row> = {
  -readonly [Field in keyof Row]: Row[Field] extends boolean ? number : Row[Field]
}

/** Of the first version: its tables and functions have these. */
export const firstRequestFields = {
  ...{ requestId: 'text', createdAt: 'int', accountId: 'int', tokenId: 'int', groupId: 'int' },
  ...{ model: 'text?', upstreamModel: 'text?', channelId: 'int?', clientProtocol: 'text' },
  ...{ upstreamProtocol: 'text?', operation: 'text', stream: 'flag', status: 'int' },
  ...{ cause: 'text?', causeText: 'text?', ending: 'text', inputTokens: 'int' },
  ...{ outputTokens: 'int', reasoningTokens: 'int', cacheReadTokens: 'int' },
  ...{ cacheWriteTokens: 'int', cacheWrite1hTokens: 'int', calls: 'int', estimated: 'flag' },
  ...{ clamped: 'flag', usageRaw: 'text?', extrasJson: 'text?', priceId: 'int?' },
  ...{ tierAbove: 'int?', longContextPricing: 'flag', multiplierMillionths: 'int' },
  ...{ amountNano: 'int', firstByteMs: 'int?', durationMs: 'int' },
} as const satisfies Fields<Omit<RequestRow, 'stateJson'>>

export const requestFields = {
  ...firstRequestFields,
  stateJson: 'text?',
} as const satisfies Fields<RequestRow>

export const firstAttemptFields = {
  ...{ channelId: 'int', startedAt: 'int', status: 'int?', cause: 'text?', firstByteMs: 'int?' },
  ...{ durationMs: 'int', upstreamRequestId: 'text?', usageRaw: 'text?' },
} as const satisfies Fields<Omit<AttemptRow, 'keyMark'>>

export const attemptFields = {
  ...firstAttemptFields,
  keyMark: 'text?',
} as const satisfies Fields<AttemptRow>

export const reservationFields = {
  ...{ requestId: 'text', createdAt: 'int', accountId: 'int', tokenId: 'int', groupId: 'int' },
  ...{ model: 'text?', clientProtocol: 'text', operation: 'text', stream: 'flag' },
  ...{ priceId: 'int?', multiplierMillionths: 'int', amountNano: 'int' },
} as const satisfies Fields<Omit<Reservation, 'isOpen'>>

export const backgroundFields = {
  ...{ requestId: 'text', askedId: 'text', answerId: 'text', createdAt: 'int' },
  ...{ accountId: 'int', tokenId: 'int', channelId: 'int', keyMark: 'text', charge: 'text' },
} as const satisfies Fields<BackgroundAnswer>

/** The tables whose rows such fields name. */
const parents: Readonly<Record<string, string>> = {
  ...{ accountId: 'account', tokenId: 'token', groupId: 'group' },
  ...{ channelId: 'channel', priceId: 'model_price' },
}

/** Columns that name a row, each with the table that it must be in. */
export const parentsOf = (fields: object): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.keys(fields).flatMap((field) => {
      const parent = parents[field]
      return parent === undefined ? [] : [[columnOf(field), parent]]
    }),
  )

/** The columns of a table, for its `CREATE` statement; it names `requestId` itself, as a key. */
export function definedColumns(fields: Readonly<Record<string, Kind>>, words: Words): string {
  const { requestId: _, ...rest } = fields
  const types = { int: words.int, text: words.text, flag: words.small }
  const columns = Object.entries(rest).map(([field, kind]) => {
    const [name, type] = [columnOf(field), types[baseOf(kind)]]
    const [parent, presence] = [parents[field], kind.endsWith('?') ? '' : ' NOT NULL']
    const check = field === 'amountNano' ? ` CHECK (${name} >= 0)` : ''
    return `${name} ${type}${presence}${parent === undefined ? '' : words.hot(`"${parent}"`)}${check}`
  })
  return columns.join(',\n  ')
}

const baseOf = (kind: Kind) => kind.replace('?', '') as 'int' | 'text' | 'flag'

/** The column of a field: `cacheWrite1hTokens` is in `cache_write_1h_tokens`, `extrasJson` in `extras`. */
export const columnOf = (field: string): string =>
  field.replace(/Json$/, '').replace(/[A-Z0-9]/g, (letter) => `_${letter.toLowerCase()}`)

/** Columns for a select list, under the names of their fields: `request.created_at AS "createdAt"`. */
export const selected = (table: string, fields: object | readonly string[]): Sql =>
  sql.raw(
    namesOf(fields)
      .map((field) => `${table}.${columnOf(field)} AS "${field}"`)
      .join(', '),
  )

const namesOf = (fields: object | readonly string[]): readonly string[] =>
  Array.isArray(fields) ? fields : Object.keys(fields)

/** `INSERT` of a row whose parameters have the names of its fields (`$requestId`). */
export function insertText(table: string, fields: readonly string[]): string {
  const values = fields.map((field) => `$${field}`).join(', ')
  return `INSERT INTO ${table} (${columnNames(fields)}) VALUES (${values})`
}

/** Columns for a list of a statement: `request_id, created_at`. */
export const columnNames = (fields: object | readonly string[]): string =>
  namesOf(fields).map(columnOf).join(', ')

const postgresTypes = { int: 'bigint', text: 'text', flag: 'smallint' }

/** Rows in JSON, as PostgreSQL reads them with `json_to_recordset`: `"requestId" text`. */
export const typedFields = (fields: Readonly<Record<string, Kind>>): string =>
  Object.entries(fields)
    .map(([field, kind]) => `"${field}" ${postgresTypes[baseOf(kind)]}`)
    .join(', ')

/** Such rows as a type of PostgreSQL: `request_id text`. */
export const columnTypes = (fields: Readonly<Record<string, Kind>>): string =>
  Object.entries(fields)
    .map(([field, kind]) => `${columnOf(field)} ${postgresTypes[baseOf(kind)]}`)
    .join(', ')

export const requestFlags = ['stream', 'estimated', 'clamped', 'longContextPricing'] as const

/** Makes flags of a stored row, which is changed for that, true or false. */
export function withFlags<Row>(row: Stored<Row>, flags: readonly (keyof Row & string)[]): Row {
  const read = row as Record<string, unknown>
  for (const flag of flags) read[flag] = read[flag] === 1
  return read as Row
}

/** Reads a JSON column that `write` filled: its type is the writer's promise, not checked again. */
export function parseColumn<Value>(text: string): Value {
  return JSON.parse(text) as Value
}

const emptyList: readonly never[] = []

/** A column that holds a list of strings; the empty list, the usual one, is shared. */
export function parseList(text: string): readonly string[] {
  return text === '[]' ? emptyList : parseColumn<readonly string[]>(text)
}
