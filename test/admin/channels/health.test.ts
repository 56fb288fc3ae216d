import { afterAll, describe, expect, test } from 'bun:test'
import { startConsoleScene } from '../../support/console-scene.ts'
import { jsonAnswer } from '../../support/fake-upstream.ts'
import { speaksAt } from '../../support/tollgate-yaml.ts'

const keys = ['sk-first-0123456789abcdef', 'sk-second-0123456789abcde']
const scene = await startConsoleScene({ channel: { api_key: undefined, api_keys: keys } })
afterAll(scene.stop)
const base = '/api/v1/admin/channels'

const refusal = (key: string) =>
  jsonAnswer(
    { error: { message: `No ${key} at ${scene.upstream.url}`, type: 'invalid_request_error' } },
    401,
  )

describe('a test of a channel', () => {
  test('asks its upstream once, and tells how it answered', async () => {
    const before = scene.upstream.requests.length
    const { status, data } = await scene.ask('admin', 'POST', `${base}/1/test`, {
      model: 'other-model',
      protocol: 'messages',
    })
    expect(status).toBe(200)
    expect(data).toMatchObject({ ok: true, protocol: 'messages', model: 'other-model' })
    expect(data).toMatchObject({ status: 200, failure: null, error: null })
    expect(data.first_byte_ms).toBeNumber()
    expect(scene.upstream.requests.length).toBe(before + 1)
    const { data: channel } = await scene.ask('admin', 'GET', `${base}/1`)
    expect(channel.recent).toEqual({ attempts: 0, failed: 0 })
  })

  test('may name the key', async () => {
    const { data } = await scene.ask('admin', 'GET', `${base}/1`)
    const [, second] = data.keys as { mark: string }[]
    const asked = { protocol: 'chat', key: second?.mark }
    await scene.ask('admin', 'POST', `${base}/1/test`, asked)
    expect(scene.upstream.last().headers.get('authorization')).toBe(`Bearer ${keys[1]}`)
  })

  test('refuses a model, a protocol or a key that the channel has not', async () => {
    for (const [asked, field] of [
      [{ model: 'nothing' }, 'model'],
      [{ protocol: 'telnet' }, 'protocol'],
      [{ key: 'nothing' }, 'key'],
    ] as const) {
      const answer = await scene.ask('admin', 'POST', `${base}/1/test`, asked)
      expect([answer.status, answer.field]).toEqual([400, field])
    }
  })

  const unsaved = (more: object = {}) => ({
    channel: {
      name: '',
      speaks: speaksAt(scene.upstream.url, ['chat']),
      models: [{ id: 'm', upstream: 'theirs' }],
      api_keys: [keys[0]],
      allow_private: true,
      ...more,
    },
  })

  test('works before the channel is made', async () => {
    const { data } = await scene.ask('admin', 'POST', '/api/v1/admin/channel-test', unsaved())
    expect(data).toMatchObject({ ok: true, model: 'theirs', protocol: 'chat' })
    expect((await scene.store.catalog.load()).channels).toHaveLength(1)
    const wrong = unsaved({ api_keys: [] })
    const refused = await scene.ask('admin', 'POST', '/api/v1/admin/channel-test', wrong)
    expect([refused.status, refused.field]).toEqual([400, 'channel.api_keys'])
  })

  test('goes by the one door out: a private address needs allow_private', async () => {
    const before = scene.upstream.requests.length
    const asked = unsaved({ allow_private: false })
    const { data } = await scene.ask('admin', 'POST', '/api/v1/admin/channel-test', asked)
    expect(data).toMatchObject({ ok: false, status: null, failure: 'address_refused' })
    expect(scene.upstream.requests.length).toBe(before)
  })

  test('shows what the upstream says, without the key', async () => {
    scene.upstream.handle(() => refusal(keys[0] ?? ''))
    const { data } = await scene.ask('admin', 'POST', `${base}/1/test`, { protocol: 'chat' })
    expect(data).toMatchObject({ ok: false, status: 401, failure: 'upstream_auth' })
    expect(data.error).toBe(`No [hidden] at ${scene.upstream.url}`)
  })
})

describe("an upstream's list of models", () => {
  const ask = (channel: object = {}) =>
    scene.ask('admin', 'POST', '/api/v1/admin/channel-models', {
      channel: {
        speaks: speaksAt(scene.upstream.url, ['chat']),
        api_keys: [keys[0]],
        allow_private: true,
        ...channel,
      },
    })

  test('comes with the prices that are known', async () => {
    const pricing = { prompt: '0.0000025', completion: '0.00001' }
    const data = [{ id: 'gpt-5-mini' }, { id: 'their/own', pricing }, { id: 'unknown' }, {}]
    // No channel could offer these.
    for (const id of ['models/', 'a\nb', '\u001b[2Jx', '\u202ex', ' x']) data.push({ id })
    scene.upstream.handle(() => jsonAnswer({ object: 'list', data }))
    const listed = await ask()
    expect(listed.data).toEqual({
      ...{ ok: true, protocol: 'chat', status: 200, failure: null, why: null, error: null },
      models: [
        { id: 'gpt-5-mini', price: { input: '0.25', output: '2', source: 'vendor' } },
        { id: 'their/own', price: { input: '2.5', output: '10', source: 'upstream' } },
        { id: 'unknown', price: null },
      ],
    })
    const { method, path, headers } = scene.upstream.last()
    expect([method, path]).toEqual(['GET', '/v1/models'])
    expect(headers.get('authorization')).toBe(`Bearer ${keys[0]}`)
  })

  test('is read where each protocol has it', async () => {
    const names = { models: [{ name: 'models/gemini-2.5-flash' }] }
    for (const [protocol, body, path, header] of [
      ['messages', { data: [{ id: 'claude' }] }, '/v1/models', 'x-api-key'],
      ['gemini', names, '/v1beta/models', 'x-goog-api-key'],
    ] as const) {
      scene.upstream.handle(() => jsonAnswer(body))
      const { data } = await ask({ speaks: speaksAt(scene.upstream.url, [protocol]) })
      expect(data.models).toHaveLength(1)
      expect(scene.upstream.last().path.split('?')[0]).toBe(path)
      expect(scene.upstream.last().headers.get(header)).toBe(keys[0] ?? '')
    }
  })

  test('that does not come is told with its cause, and without the key', async () => {
    scene.upstream.handle(() => refusal(keys[0] ?? ''))
    const { data } = await ask()
    expect(data).toMatchObject({ ok: false, status: 401, failure: 'upstream_auth', models: [] })
    expect(data.error).toBe(`No [hidden] at ${scene.upstream.url}`)
    scene.upstream.handle(() => jsonAnswer({ hello: 'world' }))
    expect((await ask()).data).toMatchObject({ ok: false, failure: 'upstream_invalid' })
  })

  test('goes by the one door out, and a wrong field is named', async () => {
    const before = scene.upstream.requests.length
    const { data } = await ask({ allow_private: false })
    expect(data).toMatchObject({ ok: false, status: null, failure: 'address_refused' })
    expect(scene.upstream.requests.length).toBe(before)
    const refused = await ask({ api_keys: [] })
    expect([refused.status, refused.field]).toEqual([400, 'channel.api_keys'])
  })
})

describe('the state of a channel', () => {
  const state = async () => (await scene.ask('admin', 'GET', `${base}/1`)).data.state

  test('tells which keys cool, and why; recovering ends it', async () => {
    scene.upstream.handle(({ headers }) =>
      headers.get('authorization') === `Bearer ${keys[0]}`
        ? jsonAnswer(
            { error: { message: 'You exceeded your quota', code: 'insufficient_quota' } },
            429,
          )
        : jsonAnswer({ choices: [{ message: { role: 'assistant', content: 'hi' } }] }),
    )
    await (await scene.chat()).text()
    expect(await state()).toMatchObject({
      word: 'partly',
      keys: 2,
      keys_cooling: 1,
      until: null,
      parts: [{ key_hint: 'sk-fi…cdef', model: null, cause: 'upstream_quota', rounds: 1 }],
    })
    const { status, data } = await scene.ask('admin', 'POST', `${base}/1/recover`)
    expect([status, data.state]).toMatchObject([200, { word: 'works', parts: [] }])
    const [row] = await scene.store.admin.audit(1)
    expect(row).toMatchObject({ action: 'channel.recover', subject: 'channel main' })
  })

  test('is cooling as a whole when all keys cool', async () => {
    scene.upstream.handle(() =>
      jsonAnswer(
        { error: { message: 'You exceeded your quota', code: 'insufficient_quota' } },
        429,
      ),
    )
    await (await scene.chat()).text()
    const found = await state()
    expect(found).toMatchObject({ word: 'cooling', cause: 'upstream_quota', keys_cooling: 2 })
    expect((found as { until: string }).until).toMatch(/^20.*Z$/)
  })
})
