import { sql } from 'kysely'
import {
  mostSessions,
  type SignInCondition,
  type SignInRecords,
  type SignInRow,
  type SignInSearch,
  type SignInTable,
} from '../../ports/sign-in.ts'
import type { Engine } from '../engine.ts'
import { all, first, run, type Steps } from '../steps.ts'
import { named, signInColumns } from './columns.ts'
import { type Fragment, orderOf, whereOf } from './conditions.ts'

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
