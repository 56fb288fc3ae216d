import { afterAll, describe, expect, test } from 'bun:test'
import { startConsoleScene } from '../../support/console-scene.ts'
import { speaksAt, upstreamKey } from '../../support/tollgate-yaml.ts'

const scene = await startConsoleScene()
afterAll(scene.stop)
const base = '/api/v1/admin/channels'

const secondKey = 'sk-second-0123456789abcdef'
const thirdKey = 'sk-third-0123456789abcdefg'

const made = (more: object = {}) => ({
  name: 'second',
  speaks: speaksAt(scene.upstream.url, ['chat']),
  models: [{ id: 'test-model' }, { id: 'fast', upstream: 'gpt-fast' }],
  api_keys: [secondKey],
  allow_private: true,
  ...more,
})

async function make(more: object = {}) {
  const { status, data, message } = await scene.ask('admin', 'POST', base, made(more))
  expect([status, message]).toEqual([200, 'success'])
  return data
}

const pathOf = (channel: { readonly id?: unknown }) => `${base}/${channel.id}`

async function lastAudit() {
  return (await scene.store.admin.audit(1))[0]
}

describe('channels', () => {
  test.each(['channels', 'groups'])('%s: a cursor that is none is refused', async (list) => {
    const asked = await scene.ask('admin', 'GET', `/api/v1/admin/${list}?cursor=1.none`)
    expect(asked).toMatchObject({ status: 400, reason: 'invalid_value', field: 'cursor' })
  })

  test.each([
    ['admin/channels', 'name, -name, status, -status, models, -models'],
    ['admin/groups', 'name, -name, status, -status, rate_multiplier'],
    ['admin/prices', 'model, -model, input'],
    ['admin/accounts', 'created_at, -created_at, email, -email.'],
    ['admin/requests', 'created_at, -created_at.'],
    ['admin/attempts', 'started_at, -started_at.'],
    ['admin/audit', 'created_at, -created_at.'],
    ['tokens', 'created_at, -created_at, name, -name.'],
    ['ledger', 'created_at, -created_at.'],
  ])(
    '%s: sorting by what no index serves is refused, and what is served is named',
    async (list, names) => {
      const refused = await scene.ask('admin', 'GET', `/api/v1/${list}?sort=amount`)
      expect(refused).toMatchObject({ status: 400, field: 'sort', fault: 'unfit_choice' })
      expect(refused.message).toStartWith(`sort: Expected one of ${names}`)
      for (const sort of names.replace('.', '').split(', ')) {
        const { status, data } = await scene.ask('admin', 'GET', `/api/v1/${list}?sort=${sort}`)
        expect([sort, status, data.page]).toEqual([sort, 200, 1])
      }
    },
  )

  test('are for administrators', async () => {
    for (const [method, path] of [
      ['GET', base],
      ['POST', base],
      ['GET', `${base}/1`],
      ['PATCH', `${base}/1`],
      ['DELETE', `${base}/1`],
      ['POST', `${base}/1/recover`],
      ['POST', `${base}/1/test`],
      ['POST', '/api/v1/admin/channel-test'],
      ['POST', '/api/v1/admin/channel-models'],
    ] as const) {
      const body = method === 'GET' ? undefined : {}
      const codes = []
      for (const person of [null, 'user', 'other'] as const) {
        codes.push((await scene.ask(person, method, path, body)).status)
      }
      expect([method, path, ...codes]).toEqual([method, path, 401, 403, 403])
    }
  })

  test('are listed with their state, and without their keys', async () => {
    const { status, data } = await scene.ask('admin', 'GET', base)
    expect(status).toBe(200)
    expect(data).toMatchObject({
      total: 1,
      next: null,
      items: [
        {
          name: 'main',
          status: 'active',
          state: { word: 'works', until: null, keys: 1, keys_cooling: 0 },
          model_count: 2,
          groups: [{ name: 'default' }],
          keys: [{ hint: 'upstr…6789' }],
          in_file: true,
          proxy: null,
        },
      ],
    })
    expect(JSON.stringify(data)).not.toContain(upstreamKey)
  })

  test('are paged', async () => {
    const extra = await make({ name: 'paged' })
    const first = await scene.ask('admin', 'GET', `${base}?page_size=1`)
    expect(first.data).toMatchObject({ total: 2, page: 1, items: [{ name: 'main' }] })
    const second = await scene.ask('admin', 'GET', `${base}?page_size=1&cursor=${first.data.next}`)
    expect(second.data).toMatchObject({ page: 2, items: [{ name: 'paged' }], next: null })
    await scene.ask('admin', 'DELETE', pathOf(extra))
  })

  test('count the attempts of the last hour', async () => {
    await (await scene.chat()).text()
    const { data } = await scene.ask('admin', 'GET', `${base}/1`)
    expect(data.recent).toEqual({ attempts: 1, failed: 0 })
  })
})

describe('a new channel', () => {
  test('has the defaults of tollgate.yaml, and belongs to no group yet', async () => {
    const channel = await make({ name: 'fresh', proxy: 'http://me:hunter2@127.0.0.1:3128' })
    expect(channel).toMatchObject({
      status: 'active',
      state: { word: 'unused' },
      models: [
        { id: 'test-model', upstream: 'test-model' },
        { id: 'fast', upstream: 'gpt-fast' },
      ],
      priority: 0,
      weight: 1,
      timeouts: { connect: '10s', first_byte: '5m', idle: '2m', total: '1h' },
      limits: { rpm: null, tpm: null, concurrency: null },
      probe: null,
      proxy: 'http://***@127.0.0.1:3128',
      in_file: false,
      warnings: [],
    })
    const text = JSON.stringify([channel, await lastAudit()])
    expect(text).not.toContain(secondKey)
    expect(text).not.toContain('hunter2')
    expect(await lastAudit()).toMatchObject({
      actor: 'admin@example.com',
      action: 'channel.create',
      subject: 'channel fresh',
      detail: { models: ['test-model', 'fast'] },
    })
    await scene.ask('admin', 'DELETE', pathOf(channel))
  })

  test('says which field is at fault, in the words of tollgate.yaml', async () => {
    for (const [more, field, words] of [
      [{ name: ' ' }, 'name', 'begins or ends with a space'],
      [{ speaks: {} }, 'speaks', 'name at least one of chat'],
      [{ speaks: { chat: 'ftp://x' } }, 'speaks.chat', 'is not a web address'],
      [{ speaks: { chta: 'https://x.example' } }, 'speaks.chta', 'did you mean chat'],
      [{ models: [] }, 'models', 'is an empty list'],
      [{ models: [{ id: 'a' }, { id: 'a' }] }, 'models.1', 'repeats'],
      [{ quirks: ['max_tokenz'] }, 'quirks.0', 'did you mean max_tokens'],
      [{ timeouts: { idle: '5 minutes' } }, 'timeouts.idle', 'is not a duration'],
      [{ probe: { every: '1s' } }, 'probe.every', 'at least 5s'],
      [{ api_keys: [] }, 'api_keys', 'is an empty list'],
      [{ api_keys: ['two words'] }, 'api_keys.0', 'has a space'],
      [{ weight: 0 }, 'weight', 'must be a whole number from 1'],
      [{ proxy: 'socks5://x:1' }, 'proxy', 'is a SOCKS proxy'],
    ] as const) {
      const answer = await scene.ask('admin', 'POST', base, made(more))
      expect([answer.status, answer.reason, answer.field]).toEqual([400, 'invalid_value', field])
      expect(answer.message).toContain(words)
      expect(answer.message).not.toContain('channels[')
    }
  })

  test('is told of all its faults at once', async () => {
    const { data } = await scene.ask('admin', 'POST', base, made({ name: '', weight: 0 }))
    const problems = data.problems as { field: string; fault: string }[]
    expect(problems.map(({ field }) => field)).toEqual(['name', 'weight'])
    expect(problems.map(({ fault }) => fault)).toEqual(['missing', 'unfit_whole_number'])
  })

  test('may not have the name of another one', async () => {
    const answer = await scene.ask('admin', 'POST', base, made({ name: 'main' }))
    expect([answer.status, answer.reason, answer.field]).toEqual([409, 'name_taken', 'name'])
  })

  test('is warned of an address that it may not call', async () => {
    const channel = await make({ name: 'private', allow_private: false })
    expect(channel.warnings).toMatchObject([
      { field: 'speaks.chat', message: expect.stringContaining('allow_private') },
    ])
    await scene.ask('admin', 'DELETE', pathOf(channel))
  })

  test('is sold at list prices at once, and no more when it is gone', async () => {
    const channel = await make({ name: 'priced', models: [{ id: 'gpt-4o' }] })
    const { prices, groups } = await scene.store.catalog.load()
    expect(prices.find(({ model }) => model === 'gpt-4o')).toMatchObject({ source: 'vendor' })
    const [group] = groups
    await scene.ask('admin', 'PATCH', `/api/v1/admin/groups/${group?.id}`, {
      channels: ['main', 'priced'],
    })
    expect((await scene.chat('gpt-4o')).status).toBe(200)
    await scene.ask('admin', 'DELETE', `${pathOf(channel)}?take_out_of_groups=true`)
    expect((await scene.chat('gpt-4o')).status).toBe(404)
  })

  test('takes a key that looks like a reference as it is', async () => {
    const channel = await make({ name: 'dollar', api_keys: [`\${HOME}-0123456789-abcdef`] })
    expect(channel.keys).toMatchObject([{ hint: `\${HOM…cdef` }])
    await scene.ask('admin', 'DELETE', pathOf(channel))
  })
})

describe('a change', () => {
  test('to another host takes no stored key along', async () => {
    const before = await make({ name: 'mover', api_keys: ['a-stored-key-1'] })
    const speaks = { chat: 'http://127.0.0.2:9/v1' }
    const patch = (change: object) => scene.ask('admin', 'PATCH', pathOf(before), change)
    for (const given of [{}, { add_keys: ['another-key-22'] }]) {
      const { status, field } = await patch({ speaks, ...given })
      expect([status, field]).toEqual([400, 'api_keys'])
    }
    const [first] = before.keys as { mark: string }[]
    const entered = { add_keys: ['another-key-22'], remove_keys: [first?.mark] }
    expect((await patch({ speaks, ...entered })).status).toBe(200)
    // Another path of the same host is no other place.
    expect((await patch({ speaks: { chat: 'http://127.0.0.2:9/v2' } })).status).toBe(200)
  })

  test('to another proxy takes no stored key along that it could read', async () => {
    const proxied = 'http://me:hunter2@127.0.0.1:3128'
    const before = await make({ name: 'proxied', api_keys: ['a-stored-key-1'], proxy: proxied })
    const patch = (change: object) => scene.ask('admin', 'PATCH', pathOf(before), change)
    const elsewhere = { proxy: 'http://127.0.0.1:3129' }
    for (const given of [{}, { add_keys: ['another-key-22'] }]) {
      const { status, field, message } = await patch({ ...elsewhere, ...given })
      expect([status, field]).toEqual([400, 'api_keys'])
      expect(message).toContain(`on their way to ${scene.upstream.url}`)
    }
    const [first] = before.keys as { mark: string }[]
    // The same one with another password, and none, are no other place.
    expect((await patch({ proxy: 'http://me:hunter3@127.0.0.1:3128' })).status).toBe(200)
    expect((await patch({ proxy: null })).status).toBe(200)
    expect((await patch(elsewhere)).status).toBe(400)
    const entered = { add_keys: ['another-key-22'], remove_keys: [first?.mark] }
    expect((await patch({ ...elsewhere, ...entered })).status).toBe(200)
    await scene.ask('admin', 'DELETE', pathOf(before))
  })

  test('to another proxy leaves keys that only travel in TLS', async () => {
    const before = await make({ name: 'tls', speaks: { chat: 'https://api.example.com/v1' } })
    const change = { proxy: 'http://127.0.0.1:3129' }
    expect((await scene.ask('admin', 'PATCH', pathOf(before), change)).status).toBe(200)
    await scene.ask('admin', 'DELETE', pathOf(before))
  })

  test('changes only what it names', async () => {
    const before = await make({
      name: 'partly',
      timeouts: { idle: '7s', total: '70s' },
      limits: { rpm: 5, tpm: 6 },
      probe: { every: '60s', model: 'fast' },
      quirks: ['max_tokens'],
      proxy: 'http://me:hunter2@127.0.0.1:3128',
    })
    const { data: after } = await scene.ask('admin', 'PATCH', pathOf(before), {
      timeouts: { total: '80s' },
      limits: { tpm: null },
      revision: before.revision,
    })
    const { revision, ...rest } = before
    const expected: object = {
      ...rest,
      timeouts: { ...(before.timeouts as object), total: '80s' },
      limits: { rpm: 5, tpm: null, concurrency: null },
      revision: after.revision,
    }
    expect(after).toEqual(expected as Record<string, unknown>)
    expect(after.revision).not.toBe(revision)
    expect((await lastAudit())?.detail).toEqual({
      timeouts: {
        from: { connectMs: 10_000, firstByteMs: 300_000, idleMs: 7_000, totalMs: 70_000 },
        to: { connectMs: 10_000, firstByteMs: 300_000, idleMs: 7_000, totalMs: 80_000 },
      },
      tpm: { from: 6, to: null },
    })
    const rows = await scene.store.catalog.load()
    const row = rows.channels.find(({ name }) => name === 'partly')
    expect(scene.secrets.open(row?.keysSealed ?? new Uint8Array())).toBe(`["${secondKey}"]`)
    expect(scene.secrets.open(row?.proxySealed ?? new Uint8Array())).toContain('hunter2')
    await scene.ask('admin', 'DELETE', pathOf(before))
  })

  test('of nothing leaves no audit row', async () => {
    const channel = await make({ name: 'same' })
    const before = await lastAudit()
    const { status, data } = await scene.ask('admin', 'PATCH', pathOf(channel), {
      name: 'same',
      api_keys: [secondKey],
    })
    expect([status, data.revision]).toEqual([200, channel.revision])
    expect(await lastAudit()).toEqual(before)
    await scene.ask('admin', 'DELETE', pathOf(channel))
  })

  test('of keys adds, removes and replaces them; the audit says only that', async () => {
    const channel = await make({ name: 'keys' })
    const added = await scene.ask('admin', 'PATCH', pathOf(channel), { add_keys: [thirdKey] })
    const keys = added.data.keys as { mark: string; hint: string }[]
    expect(keys.map(({ hint }) => hint)).toEqual(['sk-se…cdef', 'sk-th…defg'])
    expect((await lastAudit())?.detail).toEqual({ keys: 'changed' })
    const removed = await scene.ask('admin', 'PATCH', pathOf(channel), {
      remove_keys: [keys[0]?.mark],
    })
    expect(removed.data.keys).toMatchObject([{ hint: 'sk-th…defg' }])
    const emptied = await scene.ask('admin', 'PATCH', pathOf(channel), {
      remove_keys: [keys[1]?.mark],
    })
    expect([emptied.status, emptied.field]).toEqual([400, 'api_keys'])
    await scene.ask('admin', 'DELETE', pathOf(channel))
  })

  test('made for another state than the present one is refused, with that state', async () => {
    const channel = await make({ name: 'contested' })
    const { revision } = channel
    await scene.ask('admin', 'PATCH', pathOf(channel), { priority: 3, revision })
    const late = await scene.ask('admin', 'PATCH', pathOf(channel), { weight: 9, revision })
    expect([late.status, late.reason]).toEqual([409, 'conflict'])
    expect(late.data).toMatchObject({ priority: 3, weight: 1 })
    const { status } = await scene.ask('admin', 'PATCH', pathOf(channel), {
      weight: 9,
      revision: late.data.revision,
    })
    expect(status).toBe(200)
    await scene.ask('admin', 'DELETE', pathOf(channel))
  })

  test('holds for the next request', async () => {
    const path = `${base}/1`
    await scene.ask('admin', 'PATCH', path, { models: [{ id: 'renamed' }] })
    const { status } = await scene.chat('test-model')
    expect(status).toBe(404)
    await scene.ask('admin', 'PATCH', path, {
      models: [{ id: 'test-model' }, { id: 'other-model' }],
      status: 'draining',
    })
    expect((await scene.ask('admin', 'GET', path)).data.state).toMatchObject({ word: 'draining' })
    await scene.ask('admin', 'PATCH', path, { status: 'active' })
    expect((await scene.chat('test-model')).status).toBe(200)
  })

  test('of a name keeps it in its groups', async () => {
    const path = `${base}/1`
    await scene.ask('admin', 'PATCH', path, { name: 'other name' })
    const { data } = await scene.ask('admin', 'GET', path)
    expect(data).toMatchObject({
      name: 'other name',
      groups: [{ name: 'default' }],
      in_file: false,
    })
    await scene.ask('admin', 'PATCH', path, { name: 'main' })
  })
})

describe('a removal', () => {
  test('names the groups that use the channel; takes it out of them when told to', async () => {
    const channel = await make({ name: 'used' })
    const { groups } = await scene.store.catalog.load()
    const [group] = groups
    if (!group) throw new Error('There is no group.')
    await scene.store.admin.write({ groups: [{ ...group, channels: ['main', 'used'] }] })
    const refused = await scene.ask('admin', 'DELETE', pathOf(channel))
    expect([refused.status, refused.reason]).toEqual([409, 'in_use'])
    expect(refused.message).toContain('"default"')
    const removed = await scene.ask('admin', 'DELETE', `${pathOf(channel)}?take_out_of_groups=true`)
    expect(removed.status).toBe(200)
    expect(await lastAudit()).toMatchObject({
      action: 'channel.remove',
      detail: { groups: ['default'] },
    })
    expect((await scene.ask('admin', 'GET', pathOf(channel))).status).toBe(404)
    expect((await scene.store.catalog.load()).groups[0]?.channels).toEqual(['main'])
  })
})

describe('the list of channels', () => {
  const find = async (query: string) => {
    const { status, data } = await scene.ask('admin', 'GET', `${base}?${query}`)
    expect([query, status]).toEqual([query, 200])
    return (data.items as readonly { name: string }[]).map(({ name }) => name)
  }

  test('is narrowed by a text, a state, a protocol, a host, a group and a model', async () => {
    const speaks = { messages: 'https://api.vendor.example/v1' }
    const extra = await make({
      name: 'Elsewhere',
      speaks,
      models: [{ id: 'own', upstream: 'far' }],
    })
    const { host } = new URL(scene.upstream.url)
    expect(await find('search=elseWHERE')).toEqual(['Elsewhere'])
    expect(await find('search=vendor.example')).toEqual(['Elsewhere'])
    expect(await find('state=unused&protocol=messages')).toEqual(['Elsewhere'])
    expect(await find('host=api.vendor.example')).toEqual(['Elsewhere'])
    expect(await find('model=far')).toEqual(['Elsewhere'])
    expect(await find(`group=default&host=${host}`)).toEqual(['main'])
    expect(await find('group=default&model=far')).toEqual([])
    const { data } = await scene.ask('admin', 'GET', `${base}?search=nothing-of-it`)
    expect(data).toMatchObject({ total: 0, items: [] })
    expect(data.hosts).toEqual(expect.arrayContaining(['api.vendor.example', host]))
    await scene.ask('admin', 'DELETE', pathOf(extra))
  })

  test('refuses a state that there is not', async () => {
    const asked = await scene.ask('admin', 'GET', `${base}?state=fine`)
    expect(asked).toMatchObject({ status: 400, field: 'state' })
  })
})
