import type {
  SignInCondition,
  SignInOperator,
  SignInTable,
  SignInValue,
} from '../../ports/sign-in.ts'
import { quoted } from './columns.ts'

/** A part of a statement with the values of its parameters. */
export interface Fragment {
  readonly sql: string
  readonly values: readonly SignInValue[]
}

const comparisons: Readonly<Record<Exclude<SignInOperator, 'in' | 'not_in'>, string>> = {
  eq: 'IS',
  ne: 'IS NOT',
  lt: '<',
  lte: '<=',
  gt: '>',
  gte: '>=',
}

/** Who can't sign in is not there for signing in. */
const allowed: Partial<Record<SignInTable, string>> = {
  account: "deleted_at IS NULL AND status = 'active'",
}

/** The conditions of a search as the rest of `WHERE`. */
export function whereOf(table: SignInTable, where: readonly SignInCondition[]): Fragment {
  const all = where.filter(({ connector }) => connector === 'AND').map((one) => part(table, one))
  const any = where.filter(({ connector }) => connector === 'OR').map((one) => part(table, one))
  const parts = [
    ...(allowed[table] === undefined ? [] : [allowed[table]]),
    ...all.map(({ sql }) => sql),
    ...(any.length > 0 ? [`(${any.map(({ sql }) => sql).join(' OR ')})`] : []),
  ]
  return {
    sql: parts.length > 0 ? parts.join(' AND ') : '1',
    values: [...all, ...any].flatMap(({ values }) => values),
  }
}

function part(table: SignInTable, { column, operator, value }: SignInCondition): Fragment {
  const name = quoted(table, column)
  if (operator === 'in' || operator === 'not_in') {
    const values = listOf(value)
    const marks = values.map(() => '?').join(', ')
    return { sql: `${name} ${operator === 'in' ? 'IN' : 'NOT IN'} (${marks})`, values }
  }
  if (isList(value)) throw new Error(`A list can't be compared with ${operator}.`)
  if (table === 'account' && column === 'email' && operator === 'eq')
    return { sql: 'lower(email) = lower(?)', values: [value] }
  return { sql: `${name} ${comparisons[operator]} ?`, values: [value] }
}

const isList = (value: SignInCondition['value']): value is readonly SignInValue[] =>
  Array.isArray(value)

const listOf = (value: SignInCondition['value']) => (isList(value) ? value : [value])

/** The order of a search: of addresses that differ in case only, the oldest account is meant. */
export function orderOf(
  table: SignInTable,
  order: { readonly column: string; readonly descending: boolean } | undefined,
): string {
  if (order === undefined) return 'id'
  return `${quoted(table, order.column)} ${order.descending ? 'DESC' : 'ASC'}, id DESC`
}
