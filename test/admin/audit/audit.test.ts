import { afterAll, describe, expect, test } from 'bun:test'
import { readChanges } from '../../../src/admin/audit/changes.ts'
import { people, startConsoleScene } from '../../support/console-scene.ts'

const scene = await startConsoleScene()
afterAll(scene.stop)

const { admin } = scene.store
await admin.adjust({
  ...{ account: people.user, kind: 'credit', amountNano: 1_500_000_000, reason: 'invoice 7' },
  ...{ idempotencyKey: null, actor: people.admin },
})
await admin.changeAccount({
  account: people.user,
  actor: people.admin,
  creditLimitNano: 2_000_000_000,
})
const [token] = await admin.tokens({ account: people.user })
await admin.changeToken({ id: token?.id ?? 0, actor: 'command line', expiresAt: 1_800_000_000_000 })

const path = '/api/v1/admin/audit'
const ask = async (query = '') => {
  const { status, data, field } = await scene.ask('admin', 'GET', path + query)
  return {
    status,
    field,
    items: (data?.items ?? []) as Record<string, unknown>[],
    next: data?.next,
  }
}

describe('the audit', () => {
  test('is for administrators', async () => {
    expect((await scene.ask(null, 'GET', path)).status).toBe(401)
    expect((await scene.ask('user', 'GET', path)).status).toBe(403)
  })

  test('tells who changed what, newest first, with figures as people read them', async () => {
    const { items } = await ask()
    expect(items).toMatchObject([
      {
        actor: 'command line',
        action: 'token.set',
        changes: [{ name: 'expires_at', from: null, to: '2027-01-15 08:00:00 UTC' }],
      },
      { action: 'account.set', changes: [{ name: 'credit_limit', from: '0 USD', to: '2 USD' }] },
      {
        ...{ actor: people.admin, action: 'account.credit', subject: people.user },
        changes: [
          { name: 'ledger_id' },
          { name: 'amount', to: '1.5 USD' },
          { name: 'reason', to: 'invoice 7' },
        ],
      },
    ])
  })

  test('is filtered by who, what, of what, and since when', async () => {
    const actions = async (query: string) => (await ask(query)).items.map(({ action }) => action)
    expect(await actions('?actor=command%20line')).toEqual(['token.set'])
    expect(await actions('?action=account.')).toEqual(['account.set', 'account.credit'])
    expect(await actions(`?subject=token%20${token?.id}`)).toEqual(['token.set'])
    expect(await actions('?since=2999-01-01')).toEqual([])
    expect(await actions('?since=2020-01-01T00:00')).toHaveLength(3)
  })

  test('goes on by its cursor', async () => {
    const first = await ask('?page_size=2')
    expect(first.items).toHaveLength(2)
    const second = await ask(`?page_size=2&cursor=${first.next}`)
    expect(second.items.map(({ action }) => action)).toEqual(['account.credit'])
    expect(second.next).toBeNull()
  })

  test.each(['?since=yesterday', '?since=2026-99-99', '?cursor=x', '?page_size=0', '?actor='])(
    'names the field at fault in %s',
    async (query) => {
      const { status, field } = await ask(query)
      expect([status, `?${field}=`]).toEqual([400, query.replace(/=.*/, '=')])
    },
  )
})

describe('what an entry changed', () => {
  test.each([
    [{ role: { from: 'user', to: 'admin' } }, [{ name: 'role', from: 'user', to: 'admin' }]],
    [{ models: { from: [], to: ['a', 'b'] } }, [{ name: 'models', from: '', to: 'a, b' }]],
    [{ totalNano: { from: null, to: 1 } }, [{ name: 'total', from: null, to: '0.000000001 USD' }]],
    [
      { rate_multiplier_millionths: { from: 1_000_000, to: 850_000 } },
      [{ name: 'rate_multiplier', from: '1', to: '0.85' }],
    ],
    [
      { from: { unit: 'tokens', input: 1_250_000 }, to: { unit: 'tokens', input: 1 } },
      [{ name: 'input', from: '1.25 USD per 1M', to: '0.000001 USD per 1M' }],
    ],
    [{ from: null, to: { unit: 'free' } }, [{ name: 'unit', from: null, to: 'free' }]],
    [{ api_keys: 'changed' }, [{ name: 'api_keys', to: 'changed' }]],
  ])('%j', (detail, changes) => expect(readChanges({ detail })).toEqual(changes))

  test('is never a secret', () => {
    const detail = {
      password_hash: { from: 'argon-1', to: 'argon-2' },
      keysSealed: 'sealed-1',
      settings: { to: { oidc: { clientSecret: 'secret-1', issuer: 'https://x' } } },
    }
    const text = JSON.stringify(readChanges({ detail }))
    expect(text).not.toMatch(/argon|sealed-1|secret-1/)
    expect(text).toContain('issuer')
  })
})
