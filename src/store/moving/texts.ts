import { newestVersion } from '../migrations/list.ts'
import type { BegunMove, MovedTable } from '../ports/copies.ts'
import { StoreError } from '../ports/store-error.ts'

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
