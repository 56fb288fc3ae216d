import { createAdapterFactory } from 'better-auth/adapters'
import type {
  SignInCondition,
  SignInOperator,
  SignInRecords,
  SignInRow,
  SignInTable,
  SignInValue,
} from '../../store/ports/sign-in.ts'

/** The sign-in library's view of our store. Ids are numbers there, and texts for the library. */
export const createSignInAdapter = (records: SignInRecords, hash: TokenHash) =>
  createAdapterFactory({
    config: {
      adapterId: 'tollgate',
      supportsDates: true,
      supportsBooleans: true,
      supportsNumericIds: true,
      transaction: false,
    },
    adapter: () => {
      const update = async (
        name: string,
        where: Parameters<typeof toConditions>[1],
        change: LibraryRecord,
        increment: { readonly [field: string]: number } = {},
      ): Promise<LibraryRecord | null> => {
        const model = modelOf(name)
        const increments = Object.entries(increment).map(([field, by]) => {
          const column = model.columns[field]
          if (column === undefined) throw new Error(`Signing in can't count ${field}.`)
          return [column, by] as const
        })
        const row = await records.updateOne(
          model.table,
          toConditions(model, where, hash),
          toRow(model, change, hash),
          Object.fromEntries(increments),
        )
        return row ? toRecord(model, row, tokenIn(where)) : null
      }
      return {
        async create({ model: name, data }) {
          const model = modelOf(name)
          const row = await records.create(model.table, toRow(model, data, hash))
          const token = name === 'session' ? String(data.token) : undefined
          return as(toRecord(model, row, token))
        },
        async findOne({ model: name, where }) {
          const model = modelOf(name)
          const search = { where: toConditions(model, where, hash), limit: 1 }
          const [row] = await records.find(model.table, search)
          return row ? as(toRecord(model, row, tokenIn(where))) : null
        },
        async findMany({ model: name, where, limit, offset, sortBy }) {
          const model = modelOf(name)
          const column = sortBy && model.columns[sortBy.field]
          const rows = await records.find(model.table, {
            where: toConditions(model, where, hash),
            limit,
            ...(offset !== undefined && { offset }),
            ...(column && { order: { column, descending: sortBy.direction === 'desc' } }),
          })
          return rows.map((row) => as(toRecord(model, row, tokenIn(where))))
        },
        update: async ({ model, where, update: change }) =>
          as(await update(model, where, change as LibraryRecord)),
        updateMany({ model: name, where, update: change }) {
          const model = modelOf(name)
          const conditions = toConditions(model, where, hash)
          return records.update(model.table, conditions, toRow(model, change, hash))
        },
        async delete({ model: name, where }) {
          const model = modelOf(name)
          await records.consume(model.table, toConditions(model, where, hash))
        },
        deleteMany({ model: name, where }) {
          const model = modelOf(name)
          return records.remove(model.table, toConditions(model, where, hash))
        },
        async consumeOne({ model: name, where }) {
          const model = modelOf(name)
          const row = await records.consume(model.table, toConditions(model, where, hash))
          return row ? as(toRecord(model, row)) : null
        },
        incrementOne: async ({ model, where, increment, set }) =>
          as(await update(model, where, set ?? {}, increment)),
        count({ model: name, where }) {
          const model = modelOf(name)
          return records.count(model.table, toConditions(model, where, hash))
        },
      }
    },
  })

/** The library says of what type a record is; it can't be known here. */
const as = <Wanted>(record: LibraryRecord | null) => record as Wanted

/** A record as the library has it. */
type LibraryRecord = { [field: string]: unknown }

/** One condition as the library writes it. */
interface LibraryCondition {
  readonly field: string
  readonly operator: string | undefined
  readonly value: unknown
  readonly connector: 'AND' | 'OR' | undefined
}

/** Hash of a session's token as we keep it. */
type TokenHash = (token: string) => string

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
function tokenIn(where: readonly LibraryCondition[] | undefined): string | undefined {
  const found = where?.find(({ field, operator }) => field === 'token' && operator === 'eq')
  return typeof found?.value === 'string' ? found.value : undefined
}

function plain(value: unknown): SignInValue {
  if (value instanceof Date) return value.getTime()
  if (typeof value === 'boolean') return value ? 1 : 0
  if (value === null || typeof value === 'string' || typeof value === 'number') return value
  throw new Error(`Signing in keeps texts and numbers, not ${typeof value}.`)
}

/** What holds a model of the sign-in library: our table, and our columns by the library's fields. */
export interface Model {
  readonly table: SignInTable
  readonly columns: { readonly [field: string]: string }
}

const times = { createdAt: 'created_at', updatedAt: 'updated_at' }

/**
 * The library's models. Fields that are not named here are not kept: pictures, and the tokens of an
 * OIDC provider, which nobody needs after the sign-in.
 */
export const models: { readonly [model: string]: Model } = {
  user: {
    table: 'account',
    columns: {
      ...{ id: 'id', email: 'email', name: 'name', ...times },
      ...{ emailVerified: 'email_verified', twoFactorEnabled: 'two_factor_enabled' },
    },
  },
  account: {
    table: 'credential',
    columns: {
      ...{ id: 'id', userId: 'account_id', providerId: 'provider', accountId: 'subject' },
      ...{ password: 'password_hash', ...times },
    },
  },
  session: {
    table: 'session',
    columns: {
      ...{ id: 'id', userId: 'account_id', token: 'token_hash', expiresAt: 'expires_at' },
      ...{ ipAddress: 'address', userAgent: 'user_agent', ...times },
    },
  },
  verification: {
    table: 'verification',
    columns: {
      ...{ id: 'id', identifier: 'identifier', value: 'value', expiresAt: 'expires_at' },
      ...times,
    },
  },
  twoFactor: {
    table: 'two_factor',
    columns: {
      ...{ id: 'id', userId: 'account_id', secret: 'secret', backupCodes: 'backup_codes' },
      ...{ verified: 'verified', failedVerificationCount: 'failed_count' },
      lockedUntil: 'locked_until',
    },
  },
  passkey: {
    table: 'passkey',
    columns: {
      ...{ id: 'id', userId: 'account_id', name: 'name', publicKey: 'public_key' },
      ...{ credentialID: 'credential_id', counter: 'counter', deviceType: 'device_type' },
      ...{ backedUp: 'backed_up', transports: 'transports', createdAt: 'created_at' },
      aaguid: 'aaguid',
    },
  },
}

/** Fields that are times for the library; we keep milliseconds. */
export const timeFields: ReadonlySet<string> = new Set([
  ...['createdAt', 'updatedAt', 'expiresAt', 'lockedUntil'],
])

/** Fields that are true or false for the library; we keep 1 or 0. */
export const flagFields: ReadonlySet<string> = new Set([
  ...['emailVerified', 'twoFactorEnabled', 'verified', 'backedUp'],
])
