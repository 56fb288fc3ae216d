import { type RawBuilder, sql } from 'kysely'
import {
  mostSessions,
  type SignInCondition,
  type SignInOperator,
  type SignInRecords,
  type SignInRow,
  type SignInSearch,
  type SignInTable,
  type SignInValue,
} from '../../ports/sign-in.ts'
import { all, type Engine, first, run, type Steps } from '../steps.ts'

/** The rows of signing in, by statements made of known names. */
export const createSignInRecords = ({ read, write }: Engine): SignInRecords => ({
  create: (table, row) => write(() => create(table, row)),
  find: (table, search) => read(() => find(table, search)),
  count: (table, where) => read(() => count(table, where)),
  update: (table, where, values) =>
    write(() =>
      run(
        sql`update ${sql.table(table)} set ${setOf(table, values)} where ${whereOf(table, where)}`,
      ),
    ),
  updateOne: (table, where, values, increments) =>
    write(() =>
      first(
        sql<SignInRow>`update ${sql.table(table)} set ${setOf(table, values, increments)}
          where ${oneOf(table, where)} returning ${listed(table)}`,
      ),
    ),
  remove: (table, where) =>
    write(() => run(sql`delete from ${removable(table)} where ${whereOf(table, where)}`)),
  consume: (table, where) =>
    write(() =>
      first(
        sql<SignInRow>`delete from ${removable(table)} where ${oneOf(table, where)}
          returning ${listed(table)}`,
      ),
    ),
})

/** What the library does not know of, in rows that it makes. */
const fixed: Partial<Record<SignInTable, SignInRow>> = {
  account: { role: 'user', status: 'active', balance_nano: 0 },
}

const listed = (table: SignInTable) =>
  sql.join(signInColumns[table].map((column) => named(table, column)))

/** One of the rows that fit, the newest: the first that a search without order would not give. */
const oneOf = (table: SignInTable, where: readonly SignInCondition[]) =>
  sql`id = (select id from ${sql.table(table)} where ${whereOf(table, where)}
    order by id desc limit 1)`

function removable(table: SignInTable): Fragment {
  if (table === 'account') throw new Error('Accounts are not removed by signing in.')
  return sql.table(table)
}

function* create(table: SignInTable, row: SignInRow): Steps<SignInRow> {
  const more = fixed[table] ?? {}
  const columns = [
    ...Object.keys(row).map((column) => named(table, column)),
    ...Object.keys(more).map((column) => sql.ref(column)),
  ]
  const values = [...Object.values(row), ...Object.values(more)]
  const made = yield* first(
    sql<SignInRow>`insert into ${sql.table(table)} (${sql.join(columns)})
      values (${sql.join(values)}) returning ${listed(table)}`,
  )
  if (made === undefined) throw new Error(`A row of ${table} was not made.`)
  if (table === 'session') yield* endOldest(row.account_id ?? null)
  return made
}

/** An account that has begun more sessions than `mostSessions` loses the oldest. */
function* endOldest(accountId: SignInRow[string]): Steps<void> {
  yield* run(
    sql`delete from session where account_id = ${accountId} and id <= (
      select id from session where account_id = ${accountId}
      order by id desc limit 1 offset ${mostSessions})`,
  )
}

const find = (
  table: SignInTable,
  { where, limit, offset = 0, order }: SignInSearch,
): Steps<readonly SignInRow[]> =>
  all(
    sql<SignInRow>`select ${listed(table)} from ${sql.table(table)}
      where ${whereOf(table, where)} order by ${orderOf(table, order)}
      limit ${limit} offset ${offset}`,
  )

function* count(table: SignInTable, where: readonly SignInCondition[]): Steps<number> {
  const counted = yield* first(
    sql<{ count: number }>`select count(*) as count from ${sql.table(table)}
      where ${whereOf(table, where)}`,
  )
  return counted?.count ?? 0
}

function setOf(
  table: SignInTable,
  values: SignInRow,
  increments: { readonly [column: string]: number } = {},
): Fragment {
  const set = Object.entries(values).map(
    ([column, value]) => sql`${named(table, column)} = ${value}`,
  )
  const added = Object.entries(increments).map(([column, by]) => {
    const name = named(table, column)
    return sql`${name} = coalesce(${name}, 0) + ${by}`
  })
  return sql.join([...set, ...added])
}

/** What of each table can be read and written: names that reach a statement come from here only. */
export const signInColumns: Readonly<Record<SignInTable, readonly string[]>> = {
  account: [
    'id',
    'email',
    'name',
    'email_verified',
    'two_factor_enabled',
    'created_at',
    'updated_at',
  ],
  credential: [
    'id',
    'account_id',
    'provider',
    'subject',
    'password_hash',
    'created_at',
    'updated_at',
  ],
  session: [
    ...['id', 'account_id', 'token_hash', 'expires_at', 'created_at', 'updated_at'],
    ...['address', 'user_agent'],
  ],
  verification: ['id', 'identifier', 'value', 'expires_at', 'created_at', 'updated_at'],
  two_factor: [
    ...['id', 'account_id', 'secret', 'backup_codes', 'verified', 'failed_count', 'locked_until'],
  ],
  passkey: [
    ...['id', 'account_id', 'name', 'public_key', 'credential_id', 'counter', 'device_type'],
    ...['backed_up', 'transports', 'created_at', 'aaguid'],
  ],
}

/** The column as a statement names it. Throws for one that the table does not have. */
function named(table: SignInTable, column: string): RawBuilder<unknown> {
  if (signInColumns[table].includes(column)) return sql.ref(column)
  throw new Error(`The table ${table} has no column ${JSON.stringify(column)} for signing in.`)
}

/** A part of a statement, with the values of its parameters. */
type Fragment = RawBuilder<unknown>

const comparisons: Readonly<Record<Exclude<SignInOperator, 'in' | 'not_in'>, Fragment>> = {
  eq: sql`=`,
  ne: sql`is distinct from`,
  lt: sql`<`,
  lte: sql`<=`,
  gt: sql`>`,
  gte: sql`>=`,
}

/** Who can't sign in is not there for signing in. */
const allowed: Partial<Record<SignInTable, Fragment>> = {
  account: sql`deleted_at is null and status = 'active'`,
}

/** The conditions of a search as the rest of `WHERE`. */
function whereOf(table: SignInTable, where: readonly SignInCondition[]): Fragment {
  const all = where.filter(({ connector }) => connector === 'AND').map((one) => part(table, one))
  const any = where.filter(({ connector }) => connector === 'OR').map((one) => part(table, one))
  const parts = [
    ...(allowed[table] === undefined ? [] : [allowed[table]]),
    ...all,
    ...(any.length > 0 ? [sql`(${sql.join(any, sql` or `)})`] : []),
  ]
  return parts.length > 0 ? sql.join(parts, sql` and `) : sql`true`
}

function part(table: SignInTable, { column, operator, value }: SignInCondition): Fragment {
  const name = named(table, column)
  if (operator === 'in' || operator === 'not_in') {
    const values = listOf(value)
    if (values.length === 0) return operator === 'in' ? sql`false` : sql`true`
    return sql`${name} ${operator === 'in' ? sql`in` : sql`not in`} (${sql.join(values)})`
  }
  if (isList(value)) throw new Error(`A list can't be compared with ${operator}.`)
  if (operator === 'eq' && value === null) return sql`${name} is null`
  if (operator === 'ne' && value === null) return sql`${name} is not null`
  if (table === 'account' && column === 'email' && operator === 'eq')
    return sql`lower(email) = lower(${value})`
  return sql`${name} ${comparisons[operator]} ${value}`
}

const isList = (value: SignInCondition['value']): value is readonly SignInValue[] =>
  Array.isArray(value)

const listOf = (value: SignInCondition['value']) => (isList(value) ? value : [value])

/** The order of a search: of addresses that differ in case only, the oldest account is meant. */
function orderOf(
  table: SignInTable,
  order: { readonly column: string; readonly descending: boolean } | undefined,
): Fragment {
  if (order === undefined) return sql`id`
  const direction = order.descending ? sql`desc nulls last` : sql`asc nulls first`
  return sql`${named(table, order.column)} ${direction}, id desc`
}
