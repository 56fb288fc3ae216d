import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { startConsoleScene } from '../../support/console-scene.ts'
import { testKey } from '../../support/tollgate-yaml.ts'
import { setPasswords, testPassword } from './password.ts'

type Scene = Awaited<ReturnType<typeof startConsoleScene>>
type Token = { id: number; name: string; revision: string } & Record<string, unknown>

let scene: Scene
beforeAll(async () => {
  scene = await startConsoleScene({
    moreGroups: [
      { name: 'small', channels: ['main'], models: ['other-model'], rate_multiplier: 2 },
    ],
  })
  await setPasswords(scene)
})
afterAll(() => scene.stop())

const path = '/api/v1/tokens'

async function issue(body: object) {
  const { status, data } = await scene.ask('user', 'POST', path, { group: 'default', ...body })
  expect(status).toBe(200)
  return data as { token: Token; key: string }
}

const audited = async (id: number) =>
  (await scene.store.admin.audit(1000)).filter(({ subject }) => subject === `token ${id}`)

describe('a token', () => {
  test('is made with a key that works, which is shown once', async () => {
    const { token, key } = await issue({ name: 'laptop' })
    expect(key).toMatch(/^sk-[A-Za-z0-9]{48}$/)
    expect((await scene.chat('test-model', key)).status).toBe(200)
    const list = await scene.ask('user', 'GET', path)
    const found = await scene.ask('user', 'GET', `${path}/${token.id}`)
    for (const answer of [list, found]) expect(JSON.stringify(answer)).not.toContain(key)
    expect(found.data).toMatchObject({ id: token.id, name: 'laptop', revision: token.revision })
  })

  test('comes in the order of names or of time that is asked for, also over pages', async () => {
    for (const name of ['zeta', 'alpha', 'Mid']) await issue({ name })
    const names = async (sort: string) => {
      const found: string[] = []
      let cursor: string | null = null
      do {
        const more: string = cursor === null ? '' : `&cursor=${cursor}`
        const address = `${path}?sort=${sort}&page_size=2${more}`
        const { data }: Awaited<ReturnType<typeof scene.ask>> = await scene.ask(
          'user',
          'GET',
          address,
        )
        found.push(...(data.items as readonly Token[]).map(({ name }) => name))
        cursor = data.next as string | null
      } while (cursor !== null)
      return found
    }
    const byName = await names('name')
    expect(byName).toEqual([...byName].sort())
    expect(byName).toContain('zeta')
    expect(await names('-name')).toEqual(byName.toReversed())
    const byTime = await names('created_at')
    expect(byTime.slice(-3)).toEqual(['zeta', 'alpha', 'Mid'])
    expect(await names('-created_at')).toEqual(byTime.toReversed())
  })

  test('gets the next free name', async () => {
    const first = await issue({})
    const second = await issue({})
    expect([first.token.name, second.token.name]).toEqual(['token-1', 'token-2'])
  })

  test('is changed in what is named alone, and the change is noted', async () => {
    const { token } = await issue({
      ...{ name: 'whole', models: ['test-model'], ip_allow: ['10.0.0.0/8'], strict: true },
      ...{ expires_at: '2099-01-01T00:00:00+02:00', budget: { total: '20', day: '2.5' } },
      limits: { rpm: 60 },
    })
    const { revision, ...before } = token
    const { data } = await scene.ask('user', 'PATCH', `${path}/${token.id}`, {
      ...{ revision, budget: { day: null } },
    })
    const { revision: other, ...after } = data
    expect(after).toEqual({ ...before, budget: { total: '20', day: null, month: null } })
    expect(before.expires_at).toBe('2098-12-31T22:00:00.000Z')
    expect(other).not.toBe(revision)
    const notes = await audited(token.id)
    expect(notes.map(({ actor, action, detail }) => [actor, action, detail])).toEqual([
      [
        'user@example.com',
        'token.create',
        { account: 'user@example.com', name: 'whole', group: 'default' },
      ],
      ['user@example.com', 'token.set', { budget_day_nano: { from: 2_500_000_000, to: null } }],
    ])
  })

  test('that nothing changes is not noted', async () => {
    const { token } = await issue({ name: 'same' })
    const same = { name: 'same', status: 'active', models: [], strict: false }
    const { data } = await scene.ask('user', 'PATCH', `${path}/${token.id}`, same)
    expect(data).toEqual(token)
    expect(await audited(token.id)).toHaveLength(1)
  })

  test('is not changed for another state than it has', async () => {
    const { token } = await issue({ name: 'twice' })
    const to = (name: string) =>
      scene.ask('user', 'PATCH', `${path}/${token.id}`, { revision: token.revision, name })
    expect((await to('once')).status).toBe(200)
    const { status, reason, data } = await to('two')
    expect([status, reason, data.name]).toEqual([409, 'conflict', 'once'])
  })

  test('is refused at once when it is disabled, and works when it is not', async () => {
    const { token, key } = await issue({ name: 'off and on' })
    const statuses: number[] = []
    for (const status of ['active', 'disabled', 'active']) {
      await scene.ask('user', 'PATCH', `${path}/${token.id}`, { status })
      statuses.push((await scene.chat('test-model', key)).status)
    }
    expect(statuses).toEqual([200, 401, 200])
  })

  test('is removed at once, and can be brought back by who removed it', async () => {
    const { token, key } = await issue({ name: 'gone' })
    expect((await scene.ask('user', 'DELETE', `${path}/${token.id}`)).status).toBe(200)
    expect((await scene.chat('test-model', key)).status).toBe(401)
    await scene.tollgate.settled() // what was refused is a use, too
    expect((await scene.ask('user', 'GET', `${path}/${token.id}`)).status).toBe(404)
    const back = await scene.ask('user', 'POST', `${path}/${token.id}/restore`)
    expect(back.data).toEqual({ ...token, last_used_day: expect.stringMatching(/^\d{4}-/) })
    expect((await scene.chat('test-model', key)).status).toBe(200)
    const actions = (await audited(token.id)).map(({ action }) => action)
    expect(actions).toEqual(['token.create', 'token.remove', 'token.restore'])
  })

  test('that an administrator removed is not brought back by its owner', async () => {
    const { token } = await issue({ name: 'taken away' })
    const account = await scene.store.admin.account('user@example.com')
    const address = `/api/v1/admin/accounts/${account?.id}/tokens/${token.id}`
    expect((await scene.ask('admin', 'DELETE', address)).status).toBe(200)
    expect((await scene.ask('user', 'POST', `${path}/${token.id}/restore`)).status).toBe(404)
  })

  test('whose group was removed meanwhile does not come back: the group is named', async () => {
    const channels = ['main']
    const group = { name: 'passing', rate_multiplier: '1', channels }
    const made = await scene.ask('admin', 'POST', '/api/v1/admin/groups', group)
    const { token } = await issue({ name: 'passing', group: 'passing' })
    await scene.ask('user', 'DELETE', `${path}/${token.id}`)
    await scene.ask('admin', 'DELETE', `/api/v1/admin/groups/${made.data.id}`, {})
    const answer = await scene.ask('user', 'POST', `${path}/${token.id}/restore`)
    expect(answer).toMatchObject({ status: 404, reason: 'not_found', fault: 'group_gone' })
    expect(answer.message).toContain('its group "passing" was removed')
  })

  test('shows its key again for the password alone', async () => {
    const { token, key } = await issue({ name: 'seen' })
    const reveal = (password: string) =>
      scene.ask('user', 'POST', `${path}/${token.id}/reveal`, { password })
    const wrong = await reveal('a guess')
    expect([wrong.status, wrong.reason, wrong.field]).toEqual([403, 'wrong_password', 'password'])
    expect((await reveal(testPassword)).data).toEqual({ key })
    expect(scene.lines.join('\n')).toContain('a key was not shown')
    expect(scene.lines.join('\n')).not.toContain(key)
  })

  test('tells what was spent with it, and when it was used', async () => {
    const { token, key } = await issue({ name: 'used' })
    await scene.chat('test-model', key)
    await scene.tollgate.settled()
    const { data } = await scene.ask('user', 'GET', `${path}/${token.id}`)
    // 100 tokens in at 1 and 50 out at 2 USD per 1M.
    expect(data.spent).toEqual({ total: '0.0002', day: '0.0002', month: '0.0002' })
    expect(data.last_used_day).toBe(new Date().toISOString().slice(0, 10))
  })

  test('of tollgate.yaml says that the file writes it again', async () => {
    const [inFile] = await scene.store.admin.tokens({
      keyHashes: [scene.secrets.keyedHash(testKey)],
    })
    const { data } = await scene.ask('user', 'GET', `${path}/${inFile?.id}`)
    expect(data.in_file).toBe(true)
    expect((await issue({ name: 'by hand' })).token.in_file).toBe(false)
  })
})

describe('a list of tokens', () => {
  test('is found by part of a name, by group and by status, page after page', async () => {
    for (const name of ['find-1', 'find-2', 'find-3']) await issue({ name, group: 'small' })
    const names = async (query: string) => {
      const { data } = await scene.ask('user', 'GET', `${path}?${query}`)
      const { items, next } = data as { items: { name: string }[]; next: string | null }
      return { names: items.map(({ name }) => name), next }
    }
    const first = await names('search=FIND&page_size=2')
    expect(first.names).toEqual(['find-3', 'find-2'])
    expect(await names(`search=FIND&page_size=2&cursor=${first.next}`)).toEqual({
      ...{ names: ['find-1'], next: null },
    })
    expect((await names('group=small')).names).toEqual(['find-3', 'find-2', 'find-1'])
    expect((await names('group=small&status=disabled')).names).toEqual([])
  })

  test('refuses a cursor that is none', async () => {
    const { status, field } = await scene.ask('user', 'GET', `${path}?cursor=nonsense`)
    expect([status, field]).toEqual([400, 'cursor'])
  })
})

describe('groups to choose', () => {
  test('are the enabled ones with their models, the cheapest first', async () => {
    const { data } = await scene.ask('user', 'GET', '/api/v1/groups')
    expect(data.items).toMatchObject([
      {
        ...{ name: 'default', rate_multiplier: '1', models: ['other-model', 'test-model'] },
        suggested: ['test-model', 'other-model'],
      },
      { name: 'small', rate_multiplier: '2', models: ['other-model'] },
    ])
  })
})
