import type { BegunMove, MovedTable } from '../ports/copies.ts'
import { StoreError } from '../ports/store-error.ts'
import { newestVersion } from '../schema/versions.ts'

const byId = (name: string, money: readonly string[] = []): MovedTable => ({
  name,
  key: ['id'],
  money,
})

/** All tables that are moved from store to store: what is named by others comes before these. */
export const movedTables: readonly MovedTable[] = [
  byId('account', ['balance_nano', 'reserved_nano']),
  byId('channel'),
  byId('group'),
  { name: 'group_channel', key: ['group_id', 'position'] },
  byId('token'),
  byId('model_price'),
  { name: 'setting', key: ['name'] },
  byId('credential'),
  byId('session'),
  byId('verification'),
  byId('two_factor'),
  byId('passkey'),
  { name: 'used_code', key: ['account_id', 'code_hash'] },
  byId('audit'),
  { name: 'cooling', key: ['channel_id', 'key', 'model'] },
  { name: 'availability', key: ['size', 'started_at', 'group_id', 'model'] },
  { name: 'usage_day', key: ['token_id', 'day', 'model'], money: ['amount_nano'] },
  {
    name: 'usage_total',
    key: ['day', 'model'],
    money: ['amount_nano'],
    partsTable: 'usage_total_part',
  },
  // The processes that they were set aside by are no nodes of the new place.
  {
    name: 'reservation',
    key: ['request_id'],
    money: ['amount_nano'],
    without: ['node_id', 'is_open'],
  },
  { name: 'background_answer', key: ['request_id'] },
  { name: 'kept_answer', key: ['answer_id', 'account_id'] },
  byId('ledger', ['amount_nano']),
  byId('request', ['amount_nano']),
  { name: 'attempt', key: ['request_row', 'position'] },
]

/** Tables that stay where they are, and why. */
export const leftTables: { readonly [name: string]: string } = {
  node: 'processes that serve from one place: of these none may be left when it is moved',
  document: 'of PostgreSQL alone: what nodes build anew from the other tables',
  token_spending:
    'of PostgreSQL alone: sums of usage_day and reservation, made when they are needed',
  response: 'kept for a day at the most: who continues one sends the whole conversation instead',
  response_share: 'sums of response',
  program: 'made with the tables',
  schema_version: 'of PostgreSQL alone, and made with the tables',
  unfinished_move: 'the mark of a move itself',
}

/** Marks a database that rows are being moved into: it is no use for anything else. */
export const createMark = (options: '' | ' STRICT') =>
  `CREATE TABLE unfinished_move (source TEXT NOT NULL, extent TEXT NOT NULL, so_far TEXT)${options}`

/** How statements name it. */
export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`

/** A list of names, as statements have it. */
export const quotedList = (names: readonly string[]): string => names.map(quoted).join(', ')

/** Rows of a table after a key; `parameter` writes the place of the n-th value, from 1 on. */
export function selectRows(
  { name, key }: MovedTable,
  columns: readonly string[],
  isFirst: boolean,
  parameter: (number: number) => string,
): string {
  const values = key.map((_, index) => parameter(index + 1)).join(', ')
  const condition = isFirst ? '' : ` WHERE (${quotedList(key)}) > (${values})`
  const limit = parameter(isFirst ? 1 : key.length + 1)
  const from = `FROM ${quoted(name)}${condition}`
  return `SELECT ${quotedList(columns)} ${from} ORDER BY ${quotedList(key)} LIMIT ${limit}`
}

/** How much is in a table, and its newest id. */
export const selectExtent = ({ name, key }: MovedTable): string =>
  `SELECT count(*), ${key[0] === 'id' ? 'max(id)' : 'NULL'} FROM ${quoted(name)}`

/** A mark's row. */
export function readMark(row: readonly unknown[] | undefined): BegunMove | undefined {
  if (row === undefined) return undefined
  const [source, extent, soFar] = row
  return {
    source: String(source),
    extent: JSON.parse(String(extent)),
    soFar: soFar === null ? undefined : JSON.parse(String(soFar)),
  }
}

/** What one who opens the target of an unfinished move is told. */
export const unfinished = (place: string): StoreError =>
  new StoreError(
    `The database ${place} is not whole: moving another one into it was begun and not finished. Run ` +
      '"tollgate migrate" again as before: it goes on where it was. To give it up, remove this ' +
      'database.',
  )

/** Throws when the tables of a place that is to be moved, or filled, are not of this version. */
export function requireVersion(version: number, place: string): void {
  if (version === newestVersion) return
  throw new StoreError(
    `The database ${place} is at version ${version}, and this program moves version ` +
      `${newestVersion}. Bring it up to date first: make a backup, then run "tollgate verify" with ` +
      'a configuration whose "store:" names it.',
  )
}

/** What one is told whose target has rows already. */
export const notEmpty = (place: string, table: string): StoreError =>
  new StoreError(
    `The database ${place} is not empty (table ${table} has rows), and nothing is overwritten or ` +
      'mixed. Give the place of a new one.',
  )

/** What one is told who names one database twice. */
export const samePlace = (place: string): StoreError =>
  new StoreError(`${place} is the database that is to be moved. Give the place of a new one.`)
