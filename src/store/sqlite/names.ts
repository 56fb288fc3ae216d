import { WriteRefused } from '../ports/admin.ts'
import { NameTaken } from '../ports/edits.ts'
import type { Queries } from './queries.ts'

/** What has a name of its own: tables with a `name` that is unique among live rows. */
export type NamedTable = 'channel' | 'group'

/** How many known names an error lists. */
const shownNames = 10

/** The id of the live row with this name. Names are compared byte for byte. */
export function findNamed(queries: Queries, table: NamedTable, name: string): number | undefined {
  const { build, first } = queries
  return first(
    build.selectFrom(table).select('id').where('name', '=', name).where('deleted_at', 'is', null),
  )?.id
}

export function findAccountId({ build, first }: Queries, email: string): number | undefined {
  return first(
    build
      .selectFrom('account')
      .select('id')
      .where('email', '=', email)
      .where('deleted_at', 'is', null),
  )?.id
}

function listKnown(what: string, names: readonly string[]): string {
  if (names.length === 0) return `there are no ${what}s yet`
  const more = names.length > shownNames ? ' …' : ''
  const shown = names.slice(0, shownNames)
  return `known ${what}s: ${shown.map((name) => `"${name}"`).join(', ')}${more}`
}

function knownNames({ build, all }: Queries, table: NamedTable): string {
  const rows = all(
    build
      .selectFrom(table)
      .select('name')
      .where('deleted_at', 'is', null)
      .orderBy('name')
      .limit(shownNames + 1),
  )
  return listKnown(
    table,
    rows.map(({ name }) => name),
  )
}

/** Like `findNamed`; refuses an unknown name. `asker` begins the message: `token "laptop"`. */
export function requireNamed(queries: Queries, table: NamedTable, name: string, asker: string) {
  const id = findNamed(queries, table, name)
  if (id !== undefined) return id
  throw new WriteRefused(`${asker}: unknown ${table} "${name}"; ${knownNames(queries, table)}.`)
}

/** Like `findAccountId`; refuses an unknown account. */
export function requireAccount(queries: Queries, email: string, asker: string): number {
  const id = findAccountId(queries, email)
  if (id !== undefined) return id
  const { build, all } = queries
  const known = all(
    build
      .selectFrom('account')
      .select('email')
      .where('deleted_at', 'is', null)
      .orderBy('email')
      .limit(shownNames + 1),
  )
  const names = listKnown(
    'account',
    known.map((row) => row.email),
  )
  throw new WriteRefused(`${asker}: unknown account "${email}"; ${names}.`)
}

/** Throws `NameTaken` when a live row has this name. */
export function requireFreeName(queries: Queries, table: NamedTable, name: string): void {
  if (findNamed(queries, table, name) === undefined) return
  throw new NameTaken(`there is a ${table} "${name}" already; choose another name`)
}
