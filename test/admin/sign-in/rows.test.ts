import { describe, expect, test } from 'bun:test'
import { getAuthTables } from 'better-auth/db'
import { twoFactor } from 'better-auth/plugins/two-factor'
import {
  flagFields,
  modelOf,
  models,
  timeFields,
  toConditions,
  toRecord,
  toRow,
} from '../../../src/admin/sign-in/library-store.ts'
import { signInColumns } from '../../../src/store/queries/sign-in/records.ts'

const hash = (token: string) => `hash of ${token}`

/** What the library has that we do not keep, on purpose. */
const notKept = new Set([
  ...['user.image', 'account.accessToken', 'account.refreshToken', 'account.idToken'],
  ...['account.accessTokenExpiresAt', 'account.refreshTokenExpiresAt', 'account.scope'],
])

test('every field of the library has a column, or is left out on purpose', () => {
  const tables = getAuthTables({ plugins: [twoFactor()] })
  const missing = Object.entries(tables).flatMap(([model, { fields }]) =>
    Object.keys(fields)
      .filter((field) => models[model]?.columns[field] === undefined)
      .map((field) => `${model}.${field}`),
  )
  expect(new Set(missing)).toEqual(notKept)
})

test('every column of a model is one of its table, and every time and flag is known', () => {
  for (const { table, columns } of Object.values(models))
    for (const column of Object.values(columns)) expect(signInColumns[table]).toContain(column)
  const tables = getAuthTables({ plugins: [twoFactor()] })
  for (const { fields } of Object.values(tables))
    for (const [field, { type }] of Object.entries(fields)) {
      if (type === 'date' && !field.includes('Token')) expect(timeFields).toContain(field)
      if (type === 'boolean') expect(flagFields).toContain(field)
    }
})

describe('a session', () => {
  const model = modelOf('session')
  const at = new Date(1_800_000_000_000)

  test('is kept with the hash of its token, and comes back with the token asked for', () => {
    const row = toRow(model, { token: 't', userId: 7, expiresAt: at, more: 'no' }, hash)
    expect(row).toEqual({ token_hash: 'hash of t', account_id: 7, expires_at: at.getTime() })
    const full = { id: 1, created_at: 5, ...row }
    expect(toRecord(model, full, 't')).toMatchObject({ id: 1, token: 't', expiresAt: at })
    expect(toRecord(model, full)).toMatchObject({ token: 'hash of t', ipAddress: null })
  })

  test('is looked for by the hash', () => {
    const where = (operator: string, value: unknown) =>
      toConditions(model, [{ field: 'token', operator, value, connector: 'AND' }], hash)
    expect(where('eq', 't')).toMatchObject([{ column: 'token_hash', value: 'hash of t' }])
    expect(where('in', ['a', 'b'])).toMatchObject([{ value: ['hash of a', 'hash of b'] }])
    expect(() => where('starts_with', 't')).toThrow("can't look for")
  })
})

test('a model that is new to us is a bug', () => {
  expect(() => modelOf('organization')).toThrow('new: organization')
})
