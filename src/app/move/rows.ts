import { resolve } from 'node:path'
import { inAddress } from '../../resources/values.ts'
import type {
  MovedKey,
  MovedRow,
  MovedTable,
  MovedValue,
  MovePlace,
  MoveSource,
  MoveTarget,
  WantedRows,
} from '../../store/ports/copies.ts'
import { openSqliteSource, openSqliteTarget } from '../../store/sqlite/moving.ts'
import { UserError } from '../user-error.ts'

/** Bytes per page, estimated from the rows before. */
const pageBytes = 1_000_000
const mostRows = 2_000
const firstRows = 100

export async function* pagesOf(
  place: MovePlace,
  wanted: Omit<WantedRows, 'limit'>,
): AsyncGenerator<readonly MovedRow[]> {
  let { after } = wanted
  let limit = firstRows
  while (true) {
    const rows = await place.rows({ ...wanted, after, limit })
    const last = rows.at(-1)
    if (last === undefined) return
    yield rows
    if (rows.length < limit) return
    after = keyOf(wanted.table, last)
    const averageBytes = rows.reduce((sum, row) => sum + sizeOf(row), 0) / rows.length
    limit = Math.max(1, Math.min(mostRows, Math.floor(pageBytes / averageBytes)))
  }
}

export const keyOf = ({ key }: MovedTable, row: MovedRow): MovedKey =>
  key.map((column) => row[column] ?? null)

/** Names a row in messages: `request 17`, `usage_day 3, "2026-11-21", "small"`. */
export const nameOf = (table: MovedTable, row: MovedRow): string =>
  `${table.name} ${keyOf(table, row)
    .map((value) => JSON.stringify(value))
    .join(', ')}`

function sizeOf(row: MovedRow): number {
  let size = 0
  for (const value of Object.values(row))
    size += 8 + (value === null || typeof value === 'number' ? 0 : value.length)
  return size
}

/** Columns of a table; throws when the two stores differ. */
export async function columnsOf(
  table: MovedTable,
  { source, target }: { readonly source: MovePlace; readonly target: MovePlace },
): Promise<readonly string[]> {
  const [here, there] = await Promise.all([source.columns(table), target.columns(table)])
  if (here.length > 0 && Bun.deepEquals(here, there)) return here
  throw new Error(
    `Table ${table.name}: [${here}] in ${source.place}, [${there}] in ${target.place}`,
  )
}

export type Fitting = ReturnType<typeof createFitting>

const namedRows = 10

/** Makes rows fit for the target: checks that numbers are exact, and replaces U+0000 in its texts. */
export function createFitting(takesNul: boolean) {
  /** The first rows in which U+0000 became U+FFFD, by name. */
  const replaced: string[] = []
  let replacedTotal = 0

  function fitRow(table: MovedTable, row: MovedRow): MovedRow {
    const columns = Object.entries(row)
    const inexact = columns.find(
      ([, value]) => typeof value === 'number' && !Number.isSafeInteger(value),
    )
    if (inexact)
      throw new UserError(
        `${nameOf(table, row)}: ${inexact[0]} is ${inexact[1]}, but only whole numbers up to ` +
          '2^53 - 1 are exact. Correct it in the old place first.',
      )
    if (takesNul || !Object.values(row).some(hasNul)) return row
    if (keyOf(table, row).some(hasNul))
      throw new UserError(
        `${nameOf(table, row)}: U+0000 is in its key, and PostgreSQL holds no such text. Correct it ` +
          'in the old place first.',
      )
    replacedTotal++
    if (replaced.length < namedRows) replaced.push(nameOf(table, row))
    return Object.fromEntries(
      columns.map(([name, value]) => [
        name,
        typeof value === 'string' ? value.replaceAll('\0', '\uFFFD') : value,
      ]),
    )
  }

  return {
    fit: (table: MovedTable, rows: readonly MovedRow[]) => rows.map((row) => fitRow(table, row)),
    replaced,
    get replacedTotal() {
      return replacedTotal
    },
  }
}

const hasNul = (value: MovedValue) => typeof value === 'string' && value.includes('\0')

/** A store as it is written on the command line. */
export type StorePlace =
  | { readonly engine: 'sqlite'; readonly path: string }
  | { readonly engine: 'postgres'; readonly url: string }

/** Parses `sqlite:PATH` (relative to the current folder) or `postgres://…`; a text is the error. */
export function parsePlace(text: string): StorePlace | string {
  const path = /^sqlite:(?!\/\/)(\S.*)$/.exec(text)?.[1]
  if (path === ':memory:')
    return 'sqlite::memory: is gone when its process ends: give the path of a file.'
  if (path !== undefined) return { engine: 'sqlite', path: resolve(path) }
  if (/^postgres(?:ql)?:\/\//.test(text) && URL.canParse(text))
    return { engine: 'postgres', url: text }
  return (
    `"${withoutPassword(text)}" is not the place of a store: write sqlite: and a path, such as ` +
    `sqlite:./tollgate.db, or postgres://USER:PASSWORD@HOST:PORT/DATABASE (in PASSWORD write ${inAddress}).`
  )
}

const withoutPassword = (text: string) => text.replace(/:\/\/.*@/s, '://…@')

export async function openSource(place: StorePlace): Promise<MoveSource> {
  if (place.engine === 'sqlite') return openSqliteSource(place.path)
  // Loads the driver only when needed.
  const { openPostgresSource } = await import('../../store/postgres/moving.ts')
  return openPostgresSource(place.url)
}

/** Opens the target, which must not be the source itself. */
export async function openTarget(place: StorePlace, { identity }: MoveSource): Promise<MoveTarget> {
  if (place.engine === 'sqlite') return openSqliteTarget(place.path, identity)
  const { openPostgresTarget } = await import('../../store/postgres/moving.ts')
  return openPostgresTarget(place.url, identity)
}
