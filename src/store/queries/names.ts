import { WriteRefused } from '../ports/admin.ts'
import { NameTaken, NotKnown, NotThere } from '../ports/edits.ts'
import { type Sql, sql } from '../schema/sql.ts'
import { all, first, one, type Steps } from './steps.ts'

/** Tables with a name that is unique among live rows, and its column. */
const nameColumns = { channel: 'name', group: 'name', account: 'email' } as const

type NamedTable = keyof typeof nameColumns

const shownNames = 10

/** The id of the live row with this name. Names are compared byte for byte. */
export function* findNamed(table: NamedTable, name: string): Steps<number | undefined> {
  const row = yield* first(
    sql<{ id: number }>`SELECT id FROM ${sql.ref(table)}
      WHERE ${sql.ref(nameColumns[table])} = ${name} AND deleted_at IS NULL`,
  )
  return row?.id
}

interface AddressHolder {
  readonly id: number
  readonly email: string
  readonly status: 'active' | 'disabled'
  readonly email_verified: number
}

/** The oldest live account with this address, without regard to case. */
export const findByAddress = (email: string): Steps<AddressHolder | undefined> =>
  first(
    sql<AddressHolder>`SELECT id, email, status, email_verified FROM account
      WHERE lower(email) = lower(${email}) AND deleted_at IS NULL ORDER BY id LIMIT 1`,
  )

function* knownNames(table: NamedTable): Steps<string> {
  const column = sql.ref(nameColumns[table])
  const rows = yield* all(
    sql<{ name: string }>`SELECT ${column} AS name FROM ${sql.ref(table)}
      WHERE deleted_at IS NULL ORDER BY ${column} LIMIT ${sql.lit(shownNames + 1)}`,
  )
  if (rows.length === 0) return `there are no ${table}s yet`
  const shown = rows.slice(0, shownNames).map(({ name }) => `"${name}"`)
  return `known ${table}s: ${shown.join(', ')}${rows.length > shownNames ? ' …' : ''}`
}

/** Like `findNamed`; refuses an unknown name. `asker` begins the message: `token "laptop"`. */
export function* requireNamed(table: NamedTable, name: string, asker: string): Steps<number> {
  const id = yield* findNamed(table, name)
  if (id !== undefined) return id
  const message = `${asker}: unknown ${table} "${name}"; ${yield* knownNames(table)}.`
  throw table === 'account' ? new WriteRefused(message) : new NotKnown(table, message)
}

/** The live row with this id; throws `NotThere`. */
export function* requireRow<Row>(table: NamedTable, id: number): Steps<Row> {
  const row = yield* first(
    sql<Row>`SELECT * FROM ${sql.ref(table)} WHERE id = ${id} AND deleted_at IS NULL`,
  )
  if (row === undefined) throw new NotThere(`there is no ${table} ${id}; it may be removed`)
  return row
}

/** Throws `NameTaken` when a live row has this name. */
export function* requireFreeName(table: NamedTable, name: string): Steps<void> {
  if ((yield* findNamed(table, name)) === undefined) return
  throw new NameTaken(`there is a ${table} "${name}" already; choose another name`)
}

/** How many rows a query up to its end gives (`token WHERE …`), counted no further than `atMost`. */
export function* countRows(from: Sql, atMost: number): Steps<number> {
  const { count } = yield* one(
    sql<{ count: number }>`SELECT count(*) AS count
      FROM (SELECT 1 FROM ${from} LIMIT ${sql.lit(atMost)}) AS counted`,
  )
  return count
}

/** Live tokens of a group or an account, counted through an index and no further than `atMost`. */
export const countTokens = (
  owner: 'group_id' | 'account_id',
  id: number,
  atMost: number,
): Steps<number> =>
  countRows(sql`token WHERE ${sql.ref(owner)} = ${id} AND deleted_at IS NULL`, atMost)
