import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { maxTokensOfAccount } from '../../../src/store/ports/edits.ts'
import { accountWrite, tokenWrite } from '../../store/support.ts'
import { type Person, startConsoleScene } from '../../support/console-scene.ts'
import { setPasswords, testPassword } from './password.ts'

let scene: Awaited<ReturnType<typeof startConsoleScene>>
let id: number
let accountId: number
beforeAll(async () => {
  scene = await startConsoleScene({
    moreGroups: [
      { name: 'small', channels: ['main'], models: ['other-model'] },
      { name: 'closed', channels: ['main'], enabled: false },
    ],
  })
  await setPasswords(scene)
  accountId = (await scene.store.admin.account('user@example.com'))?.id ?? 0
  const body = { name: 'laptop', group: 'default', models: ['test-model'] }
  const { data } = await scene.ask('user', 'POST', '/api/v1/tokens', body)
  id = (data.token as { id: number }).id
})
afterAll(() => scene.stop())

describe('who may do what with a token', () => {
  const own = (rest: string) => `/api/v1/tokens${rest}`
  const ofAccount = (rest: string) => `/api/v1/admin/accounts/${accountId}/tokens${rest}`
  const ways: [string, () => string, object | undefined, number[]][] = [
    ['GET', () => own(''), undefined, [401, 200, 200, 200]],
    ['POST', () => own(''), { group: 'default' }, [401, 200, 200, 200]],
    ['GET', () => own(`/${id}`), undefined, [401, 404, 404, 200]],
    ['PATCH', () => own(`/${id}`), { strict: true }, [401, 404, 404, 200]],
    ['POST', () => own(`/${id}/reveal`), { password: testPassword }, [401, 404, 404, 200]],
    ['DELETE', () => own(`/${id}`), undefined, [401, 404, 404, 200]],
    ['POST', () => own(`/${id}/restore`), undefined, [401, 404, 404, 200]],
    ['GET', () => '/api/v1/groups', undefined, [401, 200, 200, 200]],
    ['GET', () => ofAccount(''), undefined, [401, 403, 200, 403]],
    ['POST', () => ofAccount(''), { group: 'default' }, [401, 403, 200, 403]],
    ['GET', () => ofAccount(`/${id}`), undefined, [401, 403, 200, 403]],
    ['PATCH', () => ofAccount(`/${id}`), { strict: false }, [401, 403, 200, 403]],
    ['DELETE', () => ofAccount(`/${id}`), undefined, [401, 403, 200, 403]],
  ]
  const persons: (Person | null)[] = [null, 'other', 'admin', 'user']
  for (const [method, path, body, statuses] of ways) {
    test(`${method} ${path().replace(/\d+|undefined/g, 'x')}`, async () => {
      const found: number[] = []
      for (const person of persons) {
        found.push((await scene.ask(person, method, path(), body)).status)
      }
      expect(found).toEqual(statuses)
    })
  }
})

describe('a token is refused', () => {
  const cases: [string, object, string, string][] = [
    ['without a name', { name: '' }, 'name', 'is empty'],
    ['with a name that turns round', { name: 'a\u202eb' }, 'name', 'turns the order of others'],
    ['in a group that is not there', { group: 'defualt' }, 'group', 'defualt'],
    ['in a group that is off', { group: 'closed' }, 'group', 'closed'],
    [
      'with a model that its group has not',
      { group: 'small', models: ['test-model'] },
      'models.0',
      'test-model',
    ],
    [
      'with an address that is none',
      { ip_allow: ['10.0.0.1', '10.0.0.0/64'] },
      'ip_allow.1',
      '10.0.0.0/64',
    ],
    [
      'with an expiry that is over',
      { expires_at: '2020-01-01T00:00:00Z' },
      'expires_at',
      'is over',
    ],
    ['with an expiry without offset', { expires_at: '2099-01-01T00:00' }, 'expires_at', 'offset'],
    ['with a budget below nothing', { budget: { day: '-1' } }, 'budget.day', '-1'],
    [
      'with a budget of too many decimals',
      { budget: { total: '0.0000000001' } },
      'budget.total',
      '9 decimals',
    ],
    ['with a limit of nothing', { limits: { rpm: 0 } }, 'limits.rpm', ''],
    ['with a status that is none', { status: 'gone' }, 'status', ''],
  ]
  for (const [how, body, field, words] of cases) {
    test(how, async () => {
      const made = await scene.ask('user', 'POST', '/api/v1/tokens', { group: 'default' })
      const { id: token } = made.data.token as { id: number }
      const answer = await scene.ask('user', 'PATCH', `/api/v1/tokens/${token}`, body)
      expect([answer.status, answer.reason, answer.field]).toEqual([400, 'invalid_value', field])
      expect(answer.message).toContain(words)
    })
  }

  test('with the name of another', async () => {
    const body = { name: 'mine', group: 'default' }
    await scene.ask('user', 'POST', '/api/v1/tokens', body)
    const { status, reason, field } = await scene.ask('user', 'POST', '/api/v1/tokens', body)
    expect([status, reason, field]).toEqual([409, 'name_taken', 'name'])
    // Names are an account's own.
    expect((await scene.ask('other', 'POST', '/api/v1/tokens', body)).status).toBe(200)
  })

  test('in a group that has none of the models it is kept to', async () => {
    const body = { name: 'kept', group: 'default', models: ['test-model'] }
    const made = await scene.ask('user', 'POST', '/api/v1/tokens', body)
    const { id: token } = made.data.token as { id: number }
    const answer = await scene.ask('user', 'PATCH', `/api/v1/tokens/${token}`, { group: 'small' })
    expect([answer.status, answer.field]).toEqual([400, 'models'])
  })

  test('where the account has as many as it can have', async () => {
    const account = 'full@example.com'
    const tokens = Array.from({ length: maxTokensOfAccount }, (_, index) =>
      tokenWrite({ account, name: `t-${index}`, keyHash: `full-${index}`, group: 'default' }),
    )
    await scene.store.admin.write({ accounts: [accountWrite({ email: account })], tokens })
    const { id: full } = (await scene.store.admin.account(account)) ?? { id: 0 }
    const path = `/api/v1/admin/accounts/${full}/tokens`
    const answer = await scene.ask('admin', 'POST', path, { group: 'default' })
    expect([answer.status, answer.fault]).toEqual([400, 'too_many'])
    expect(answer.message).toContain('1000 tokens at most')
  })

  test('for an account that is not there', async () => {
    const path = '/api/v1/admin/accounts/999/tokens'
    expect((await scene.ask('admin', 'POST', path, { group: 'default' })).status).toBe(404)
  })
})

test('a password can not be found out by trying', async () => {
  const made = await scene.ask('other', 'POST', '/api/v1/tokens', { group: 'default' })
  const { id: token } = made.data.token as { id: number }
  const reveal = (password: string) =>
    scene.ask('other', 'POST', `/api/v1/tokens/${token}/reveal`, { password })
  const statuses: number[] = []
  for (let guess = 0; guess < 20; guess++) statuses.push((await reveal(`guess ${guess}`)).status)
  expect(new Set(statuses)).toEqual(new Set([403]))
  expect((await reveal(testPassword)).status).toBe(429)
})
