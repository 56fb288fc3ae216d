import { sql } from 'kysely'
import { WriteRefused } from '../ports/admin.ts'
import { NameTaken, NotKnown } from '../ports/edits.ts'
import { all, build, first, type Steps } from './steps.ts'

/** What has a name of its own: tables with a `name` that is unique among live rows. */
type NamedTable = 'channel' | 'group'

/** How many known names an error lists. */
const shownNames = 10

/** The id of the live row with this name. Names are compared byte for byte. */
export function* findNamed(table: NamedTable, name: string): Steps<number | undefined> {
  const row = yield* first(
    build.selectFrom(table).select('id').where('name', '=', name).where('deleted_at', 'is', null),
  )
  return row?.id
}

export function* findAccountId(email: string): Steps<number | undefined> {
  const row = yield* first(
    build
      .selectFrom('account')
      .select('id')
      .where('email', '=', email)
      .where('deleted_at', 'is', null),
  )
  return row?.id
}

/**
 * The live account that signs in with this address, which is in any letters, capital or small: of several
 * of old the oldest.
 */
export function* findByAddress(email: string) {
  return yield* first(
    build
      .selectFrom('account')
      .select(['id', 'email', 'status', 'email_verified'])
      .where(sql<boolean>`lower(email) = lower(${email})`)
      .where('deleted_at', 'is', null)
      .orderBy('id')
      .limit(1),
  )
}

function listKnown(what: string, names: readonly string[]): string {
  if (names.length === 0) return `there are no ${what}s yet`
  const more = names.length > shownNames ? ' …' : ''
  const shown = names.slice(0, shownNames)
  return `known ${what}s: ${shown.map((name) => `"${name}"`).join(', ')}${more}`
}

function* knownNames(table: NamedTable): Steps<string> {
  const rows = yield* all(
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
export function* requireNamed(table: NamedTable, name: string, asker: string) {
  const id = yield* findNamed(table, name)
  if (id !== undefined) return id
  throw new NotKnown(table, `${asker}: unknown ${table} "${name}"; ${yield* knownNames(table)}.`)
}

/** Like `findAccountId`; refuses an unknown account. */
export function* requireAccount(email: string, asker: string): Steps<number> {
  const id = yield* findAccountId(email)
  if (id !== undefined) return id
  const known = yield* all(
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
export function* requireFreeName(table: NamedTable, name: string): Steps<void> {
  if ((yield* findNamed(table, name)) === undefined) return
  throw new NameTaken(`there is a ${table} "${name}" already; choose another name`)
}

/** Live tokens of a group or an account, counted through an index and no further than `atMost`. */
export function* countTokens(
  owner: 'group_id' | 'account_id',
  id: number,
  atMost: number,
): Steps<number> {
  const rows = build
    .selectFrom('token')
    .select(sql`1`.as('one'))
    .where(owner, '=', id)
    .where('deleted_at', 'is', null)
    .limit(atMost)
  const count = build.selectFrom(rows.as('row')).select((eb) => eb.fn.countAll<number>().as('n'))
  return (yield* first(count))?.n ?? 0
}
