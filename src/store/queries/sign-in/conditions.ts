import { type RawBuilder, sql } from 'kysely'
import type {
  SignInCondition,
  SignInOperator,
  SignInTable,
  SignInValue,
} from '../../ports/sign-in.ts'
import { named } from './columns.ts'

/** A part of a statement, with the values of its parameters. */
export type Fragment = RawBuilder<unknown>

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
export function whereOf(table: SignInTable, where: readonly SignInCondition[]): Fragment {
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
export function orderOf(
  table: SignInTable,
  order: { readonly column: string; readonly descending: boolean } | undefined,
): Fragment {
  if (order === undefined) return sql`id`
  const direction = order.descending ? sql`desc nulls last` : sql`asc nulls first`
  return sql`${named(table, order.column)} ${direction}, id desc`
}
