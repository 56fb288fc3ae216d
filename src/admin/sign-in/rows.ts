import type {
  SignInCondition,
  SignInOperator,
  SignInRow,
  SignInValue,
} from '../../store/ports/sign-in.ts'
import { flagFields, type Model, models, timeFields } from './models.ts'

/** A record as the library has it. */
export type LibraryRecord = { [field: string]: unknown }

/** One condition as the library writes it. */
export interface LibraryCondition {
  readonly field: string
  readonly operator: string | undefined
  readonly value: unknown
  readonly connector: 'AND' | 'OR' | undefined
}

/** Hash of a session's token as we keep it. */
export type TokenHash = (token: string) => string

export function modelOf(name: string): Model {
  const model = models[name]
  if (model === undefined) throw new Error(`The sign-in library has a model that is new: ${name}.`)
  return model
}

/** What a record is in our columns; fields that we do not keep are left out. */
export function toRow(
  { table, columns }: Model,
  record: LibraryRecord,
  hash: TokenHash,
): SignInRow {
  const row: { [column: string]: SignInValue } = {}
  for (const [field, value] of Object.entries(record)) {
    const column = columns[field]
    if (column === undefined || value === undefined) continue
    row[column] = table === 'session' && field === 'token' ? hash(String(value)) : plain(value)
  }
  return row
}

/**
 * What a row is for the library. Of a session only the hash of its token is known: whoever asked by
 * the token gets it back as `token`.
 */
export function toRecord({ columns }: Model, row: SignInRow, token?: string): LibraryRecord {
  const record: LibraryRecord = {}
  for (const [field, column] of Object.entries(columns)) {
    const value = row[column] ?? null
    if (timeFields.has(field)) record[field] = value === null ? null : new Date(Number(value))
    else if (flagFields.has(field)) record[field] = value === 1
    else record[field] = value
  }
  if (token !== undefined) record.token = token
  return record
}

const operators: ReadonlySet<string | undefined> = new Set<SignInOperator>([
  ...(['eq', 'ne', 'lt', 'lte', 'gt', 'gte', 'in', 'not_in'] as const),
])

const isOperator = (operator: string | undefined): operator is SignInOperator =>
  operators.has(operator)

/** The conditions in our columns. Throws for what we have no column or comparison for. */
export function toConditions(
  { table, columns }: Model,
  where: readonly LibraryCondition[] | undefined,
  hash: TokenHash,
): SignInCondition[] {
  return (where ?? []).map(({ field, operator, value, connector = 'AND' }) => {
    const column = columns[field]
    if (column === undefined || !isOperator(operator))
      throw new Error(`Signing in can't look for ${table}.${field} by ${operator}.`)
    const one = (item: unknown) => (column === 'token_hash' ? hash(String(item)) : plain(item))
    return {
      column,
      operator,
      connector,
      value: Array.isArray(value) ? value.map(one) : one(value),
    }
  })
}

/** The token that a search names, of which the store knows the hash only. */
export function tokenIn(where: readonly LibraryCondition[] | undefined): string | undefined {
  const found = where?.find(({ field, operator }) => field === 'token' && operator === 'eq')
  return typeof found?.value === 'string' ? found.value : undefined
}

function plain(value: unknown): SignInValue {
  if (value instanceof Date) return value.getTime()
  if (typeof value === 'boolean') return value ? 1 : 0
  if (value === null || typeof value === 'string' || typeof value === 'number') return value
  throw new Error(`Signing in keeps texts and numbers, not ${typeof value}.`)
}
