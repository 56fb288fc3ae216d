import { afterAll, describe, expect, test } from 'bun:test'
import { initialValues } from '../../../src/resources/resource.ts'
import { tokenFields } from '../../../src/resources/token.ts'
import { type Person, people, startConsoleScene } from '../../support/console-scene.ts'

// The group `staff` is for user@example.com alone.

const scene = await startConsoleScene({
  moreGroups: [
    {
      name: 'staff',
      channels: ['main'],
      models: ['test-model'],
      rate_multiplier: 0.1,
      accounts: ['User@Example.com'],
    },
  ],
})
afterAll(scene.stop)

const groupsPath = '/api/v1/admin/groups'
const staff = await idOf('staff')

async function idOf(name: string): Promise<number> {
  const { data } = await scene.ask('admin', 'GET', groupsPath)
  const items = data.items as { id: number; name: string }[]
  return items.find((one) => one.name === name)?.id ?? 0
}

const setAccounts = async (accounts: readonly string[] | null) => {
  const { status } = await scene.ask('admin', 'PATCH', `${groupsPath}/${staff}`, { accounts })
  expect(status).toBe(200)
}

const namesSeenBy = async (person: Person) => {
  const { data } = await scene.ask(person, 'GET', '/api/v1/groups')
  return (data.items as { name: string }[]).map(({ name }) => name)
}

async function document(person: Person | null, path: string): Promise<string> {
  const response = await scene.send(person, 'GET', path)
  return response.text()
}

const listedTo = async (key: string) => {
  const headers = { authorization: `Bearer ${key}` }
  const request = new Request('http://gateway.example/v1/models', { headers })
  const answer = (await (await scene.tollgate.app.handle(request)).json()) as {
    data: { id: string }[]
  }
  return answer.data.map(({ id }) => id)
}

describe('A9: a group that is for named accounts', () => {
  test('is seen and chosen by these, whatever the case of their address', async () => {
    expect(await namesSeenBy('user')).toEqual(['staff', 'default'])
    const { status, data } = await scene.ask('user', 'POST', '/api/v1/tokens', { group: 'staff' })
    expect([status, data.token]).toMatchObject([200, { group: 'staff' }])
  })

  test('is not there for others: they do not see it, make a token in it, or move one to it', async () => {
    expect(await namesSeenBy('other')).toEqual(['default'])
    // An administrator manages it, but is no member.
    expect(await namesSeenBy('admin')).toEqual(['default'])
    const made = await scene.ask('other', 'POST', '/api/v1/tokens', { group: 'staff' })
    expect(made).toMatchObject({ status: 400, field: 'group', fault: 'not_known' })
    const none = await scene.ask('other', 'POST', '/api/v1/tokens', { group: 'nowhere' })
    // Word for word what an unknown group is told: nobody learns of it by asking.
    expect(made.message).toBe(none.message.replace('nowhere', 'staff'))
    const own = await scene.ask('other', 'POST', '/api/v1/tokens', { group: 'default' })
    const { id } = own.data.token as { id: number }
    const moved = await scene.ask('other', 'PATCH', `/api/v1/tokens/${id}`, { group: 'staff' })
    expect(moved).toMatchObject({ status: 400, field: 'group', fault: 'not_known' })
  })

  test('takes no token of others from an administrator, either, in the console or in the store', async () => {
    const other = await scene.store.admin.account(people.other)
    const path = `/api/v1/admin/accounts/${other?.id}/tokens`
    const made = await scene.ask('admin', 'POST', path, { group: 'staff' })
    expect(made).toMatchObject({ status: 400, field: 'group' })
    const token = {
      ...initialValues(tokenFields),
      ...{ account: people.other, name: 'by hand', group: 'staff' },
      ...{ keyHash: 'hash', keySealed: new Uint8Array([1]), keyHint: 'sk-…' },
    }
    await expect(scene.store.admin.write({ tokens: [token] })).rejects.toThrow(
      /"staff" is not open to other@example\.com; choose another group, or name the account .*--accounts/,
    )
  })

  test('is in neither the public plaza nor the status page, and in the plaza of its own', async () => {
    await scene.tollgate.refresh()
    for (const path of ['/api/v1/model-plaza', '/api/v1/status']) {
      expect(await document(null, path)).toContain('"default"')
      expect(await document(null, path)).not.toContain('"staff"')
    }
    for (const path of ['/api/v1/groups/plaza', '/api/v1/groups/status']) {
      expect(await document('user', path)).toContain('"staff"')
      expect(await document('user', path)).not.toContain('"default"')
      expect(await document('other', path)).not.toContain('"staff"')
    }
    expect((await scene.send(null, 'GET', '/api/v1/status?group=staff')).status).toBe(404)
  })

  test('is in the price feed, and in the plaza, as the settings say', async () => {
    const feed = '/pricing/provider-pricing.json'
    // Nothing in public says that it is there, unless the operator wants it so.
    expect(await document(null, feed)).toContain('"default"')
    expect(await document(null, feed)).not.toContain('"staff"')
    const setTo = async (plaza: string, prices: string) => {
      const { data } = await scene.ask('admin', 'GET', '/api/v1/admin/settings')
      const changes = { 'settings.plaza_groups': plaza, 'settings.feed_groups': prices }
      const body = { revision: data.revision, changes }
      expect(await scene.ask('admin', 'PATCH', '/api/v1/admin/settings', body)).toMatchObject({
        status: 200,
      })
    }
    await setTo('all', 'open')
    expect(await document(null, feed)).not.toContain('"staff"')
    expect(await document(null, '/api/v1/model-plaza')).toContain('"staff"')
    await setTo('open', 'all')
    expect(await document(null, feed)).toContain('"staff"')
    expect(await document(null, '/api/v1/model-plaza')).not.toContain('"staff"')
  })

  test('leaves no account inside that it does not name any more', async () => {
    const { data } = await scene.ask('user', 'POST', '/api/v1/tokens', { group: 'staff' })
    const key = data.key as string
    expect((await scene.chat('test-model', key)).status).toBe(200)
    await setAccounts([people.other])
    const refused = await scene.chat('test-model', key)
    expect([refused.status, refused.headers.get('x-tollgate-reason')]).toEqual([
      403,
      'group_disabled',
    ])
    expect(await refused.text()).toContain('is not open to this account any more')
    await setAccounts(null)
    expect((await scene.chat('test-model', key)).status).toBe(200)
    expect(await namesSeenBy('other')).toEqual(['staff', 'default'])
    await setAccounts([people.user])
  })

  test('keeps the models to itself that nobody else offers', async () => {
    const models = (keys: readonly string[]) =>
      scene.ask('admin', 'PATCH', `${groupsPath}/1`, { models: keys })
    await models(['other-model'])
    const { data } = await scene.ask('other', 'POST', '/api/v1/tokens', { group: 'default' })
    expect(await listedTo(data.key as string)).toEqual(['other-model'])
    const own = await scene.ask('user', 'POST', '/api/v1/tokens', { group: 'default' })
    expect(await listedTo(own.data.key as string)).toEqual(['other-model', 'test-model'])
    await models([])
  })

  test('does not take an account at its word that registered itself', async () => {
    const { admin, signIn } = scene.store
    await admin.write({ remove: { accounts: [people.other] } })
    await signIn.openAccount({ email: people.other, name: '', passwordHash: 'a hash' })
    const { data } = await scene.ask('admin', 'PATCH', `${groupsPath}/${staff}`, {
      accounts: [people.user, people.other, 'nobody@example.com'],
    })
    expect(data.warnings).toEqual([
      { field: 'accounts.1', message: expect.stringContaining('registered itself') },
      { field: 'accounts.2', message: 'nobody@example.com has no account yet.' },
    ])
    expect(await namesSeenBy('other')).toEqual(['default'])
    await admin.changeAccount({ account: people.other, isVouched: true, actor: 'test' })
    expect(await namesSeenBy('other')).toEqual(['staff', 'default'])
    await setAccounts([people.user])
  })

  test('takes no tokens of a group that is removed, when it is not open to their owners', async () => {
    await scene.ask('admin', 'POST', groupsPath, { name: 'leaving', channels: ['main'] })
    const leaving = await idOf('leaving')
    await scene.ask('other', 'POST', '/api/v1/tokens', { group: 'leaving' })
    const path = `${groupsPath}/${leaving}`
    const moved = await scene.ask('admin', 'DELETE', `${path}?move_tokens_to=${staff}`)
    expect(moved).toMatchObject({ status: 400 })
    expect(moved.message).toContain('"staff" is not open to other@example.com')
    expect((await scene.ask('admin', 'DELETE', `${path}?move_tokens_to=1`)).status).toBe(200)
  })
})
