import { afterAll, describe, expect, test } from 'bun:test'
import type { ListedToken } from '../../../../src/admin/tokens/schema.ts'
import { changeOf, newTokenOf, valuesOf } from '../../../../src/console/pages/tokens/fields.ts'
import { tokenThatWorks } from '../../../../src/console/pages/tokens/state.ts'

const token: ListedToken = {
  ...{ id: 3, name: 'laptop', key_hint: 'sk-ab…wxyz', group: 'default', status: 'active' },
  ...{ models: ['a'], ip_allow: [], strict: false, expires_at: '2027-01-31T12:00:30.000Z' },
  budget: { total: '20', day: null, month: '2.5' },
  max_cost_per_request: null,
  limits: { rpm: 60, tpm: null, concurrency: null },
  spent: { total: '0', day: '0', month: '0' },
  ...{ last_used_day: null, created_at: '2026-11-21T08:00:00.000Z' },
}

test('what is tried is tried by a token that works', () => {
  const one = (id: number, more: Partial<ListedToken>) => ({
    ...token,
    expires_at: null,
    id,
    ...more,
  })
  const tokens = [
    one(1, { status: 'disabled' }),
    one(2, { expires_at: '2026-01-31T12:00:30.000Z' }),
    one(4, { spent: { total: '0', day: '0', month: '2.50' } }),
    one(5, {}),
    one(6, { group: 'other' }),
  ]
  expect(tokenThatWorks(tokens)?.id).toBe(5)
  expect(tokenThatWorks(tokens, ({ group }) => group === 'other')?.id).toBe(6)
  expect(tokenThatWorks(tokens, ({ id }) => id < 5)).toBeUndefined()
})

const zone = process.env.TZ
afterAll(() => {
  process.env.TZ = zone ?? 'UTC'
})

describe('the form of a token', () => {
  test('that nobody touched asks for no change', () => {
    expect(changeOf(token, valuesOf(token))).toEqual({})
  })

  test('asks for what was changed alone', () => {
    const before = valuesOf(token)
    const after = {
      ...before,
      budget: { ...before.budget, day: ' 5 ' },
      max_cost_per_request: '$0.5',
      limits: { ...before.limits, rpm: '' },
      models: [],
      strict: true,
      expires_at: '',
    }
    expect(changeOf(token, after)).toEqual({
      ...{ models: [], strict: true, expires_at: null },
      ...{ budget: { day: '5' }, limits: { rpm: null }, max_cost_per_request: '0.5' },
    })
  })

  test('means local time, and says so in the API’s words', () => {
    const before = valuesOf(token)
    const { expires_at } = changeOf(token, { ...before, expires_at: '2027-03-01T09:30' })
    expect(expires_at).toBe(new Date(2027, 2, 1, 9, 30).toISOString())
  })

  test.each([
    ['UTC', '2027-01-31T12:00'],
    ['Asia/Shanghai', '2027-01-31T20:00'],
    ['America/St_Johns', '2027-01-31T08:30'],
  ])('shows local time: in %s %s', (zone, local) => {
    process.env.TZ = zone
    const shown = valuesOf(token)
    expect(shown.expires_at).toBe(local)
    const { expires_at } = changeOf({ ...token, expires_at: null }, shown)
    expect(expires_at).toBe('2027-01-31T12:00:00.000Z')
  })

  test('of a new one has no limits but those that are written', () => {
    const none = valuesOf(undefined)
    expect(
      newTokenOf({ ...none, group: 'default', budget: { ...none.budget, total: '$20' } }),
    ).toEqual({
      ...{ group: 'default', models: [], ip_allow: [], strict: false, expires_at: null },
      budget: { total: '20', day: null, month: null },
      max_cost_per_request: null,
      limits: { rpm: null, tpm: null, concurrency: null },
    })
  })
})
