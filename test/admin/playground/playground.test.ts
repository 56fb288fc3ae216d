import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import { dialects } from '../../e2e/dialects.ts'
import { until } from '../../e2e/until.ts'
import { type Person, people, startConsoleScene } from '../../support/console-scene.ts'
import { jsonAnswer, sseAnswer } from '../../support/fake-upstream.ts'
import { testKey } from '../../support/tollgate-yaml.ts'

const scene = await startConsoleScene({
  moreAccounts: [
    { email: people.admin, role: 'admin', balance: 10 },
    {
      email: people.other,
      balance: 10,
      tokens: [
        { name: 'far', key: 'sk-far-0123456789abcdefghijklmnop', group: 'default' },
        {
          ...{ name: 'near', key: 'sk-near-0123456789abcdefghijklmno', group: 'default' },
          ip_allow: ['192.0.2.1'],
        },
      ],
    },
  ],
})
const { app } = scene.tollgate
app.listen({ port: 0, hostname: '127.0.0.1', reusePort: false, development: false })
const address = `http://127.0.0.1:${app.server?.port}`
afterAll(async () => {
  await app.server?.stop(true)
  await scene.stop()
})

const tokenOf = async (account: string, name: string) => {
  const tokens = await scene.store.admin.tokens({ account, name })
  return tokens[0]?.id ?? 0
}
const token = await tokenOf(people.user, 'test')
const tokens = { input: 100, output: 50 }
const text = '你好，世界 🦜 ñandú'.repeat(20)
const protocols = Object.values(dialects)

interface Asked {
  readonly path?: string
  readonly body?: string
  readonly headers?: Record<string, string>
  readonly signal?: AbortSignal
}

/** Over a real socket, as a browser does it. */
const post = (person: Person | null, path: string, { headers, ...init }: Asked = {}) =>
  fetch(`${address}/api/v1/playground/${path}`, {
    method: 'POST',
    body: JSON.stringify(dialects.chat.request(false)),
    ...init,
    headers: {
      ...(person && { 'x-test-person': people[person] }),
      origin: address,
      'content-type': 'application/json',
      ...headers,
    },
  })

const pathOf = (name: string, stream: boolean, id = token) =>
  name === 'gemini' ? `gemini?token=${id}&model=test-model&stream=${stream}` : `${name}?token=${id}`

describe('the playground', () => {
  beforeEach(() => scene.upstream.clear())

  test.each(protocols)('streams $name through byte by byte as it came', async (dialect) => {
    const sent = dialect.first(tokens) + dialect.piece(text) + dialect.last(tokens)
    scene.upstream.handle(() => sseAnswer(sent, { cuts: 1 }))
    const answer = await post('user', pathOf(dialect.name, true), {
      body: JSON.stringify(dialect.request(true)),
    })
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toStartWith('text/event-stream')
    const got = await answer.text()
    expect(got).toContain('你好，世界 🦜 ñandú')
    expect(got).not.toContain('\u{fffd}')
    expect(dialect.isWhole(got)).toBe(true)
    expect(scene.upstream.last().json()).toMatchObject(
      dialect.name === 'gemini' ? {} : { stream: true },
    )
  })

  test.each(protocols)('charges an answer of $name, which has its receipt', async (dialect) => {
    scene.upstream.handle(() => jsonAnswer(dialect.body(tokens)))
    const answer = await post('user', pathOf(dialect.name, false), {
      body: JSON.stringify(dialect.request(false)),
    })
    expect(await answer.json()).toEqual(dialect.body(tokens))
    await scene.tollgate.settled()
    const id = answer.headers.get('x-request-id') ?? ''
    const receipt = await scene.store.records.receipt(id)
    // 100 at 1 USD and 50 at 2 USD per million.
    expect(receipt?.request).toMatchObject({ amountNano: 200_000, clientProtocol: dialect.name })
    expect(receipt?.request.tokenId).toBe(token)
  })

  test('begins to answer before the answer is whole, and charges it when its reader leaves', async () => {
    const encode = (said: string) => new TextEncoder().encode(said)
    const { promise: hasLeft, resolve: goOn } = Promise.withResolvers<void>()
    async function* stream() {
      yield encode(dialects.chat.first(tokens) + dialects.chat.piece(text))
      await hasLeft
      yield encode(dialects.chat.last(tokens))
    }
    const headers = { 'content-type': 'text/event-stream' }
    scene.upstream.handle(() => new Response(stream() as unknown as Bun.BodyInit, { headers }))
    const leaving = new AbortController()
    const answer = await post('user', pathOf('chat', true), {
      body: JSON.stringify(dialects.chat.request(true)),
      signal: leaving.signal,
    })
    const reader = answer.body?.getReader()
    const first = await reader?.read()
    expect(new TextDecoder().decode(first?.value)).toContain('data: ')
    leaving.abort()
    goOn()
    const id = answer.headers.get('x-request-id') ?? ''
    const row = await until('its record', () => scene.store.records.receipt(id))
    expect(row.request).toMatchObject({ inputTokens: tokens.input, outputTokens: tokens.output })
  })

  test("shows the gateway's own refusals in the shape of the protocol", async () => {
    for (const { name, request } of protocols) {
      const path = pathOf(name, false).replace('test-model', 'no-model')
      const body = JSON.stringify(request(false)).replace('test-model', 'no-model')
      const answer = await post('user', path, { body })
      expect([name, answer.status]).toEqual([name, 404])
      expect(answer.headers.get('x-request-id')).toBeString()
      expect(await answer.json()).toMatchObject({ error: { message: expect.any(String) } })
    }
    expect(scene.upstream.requests).toHaveLength(0)
  })

  test('a token that is bound to addresses is bound to that of who sits before it', async () => {
    const bound = await tokenOf(people.other, 'near')
    scene.upstream.handle(() => jsonAnswer(dialects.chat.body(tokens)))
    // Nobody has said that this machine is a proxy: what it says of others is not believed.
    const headers = { 'x-forwarded-for': '192.0.2.1' }
    const refused = await post('other', pathOf('chat', false, bound), { headers })
    expect(refused.status).toBe(403)
    const free = await tokenOf(people.other, 'far')
    expect((await post('other', pathOf('chat', false, free))).status).toBe(200)
  })

  test.each([
    ['nobody', null, `chat?token=${token}`, {}, 401, 'not_signed_in'],
    ["another's token", 'other', `chat?token=${token}`, {}, 404, 'not_found'],
    ["an administrator with another's token", 'admin', `chat?token=${token}`, {}, 404, 'not_found'],
    ['a token that is not', 'user', 'chat?token=9999', {}, 404, 'not_found'],
    ['no token', 'user', 'chat', {}, 400, 'invalid_value'],
    ['an unknown protocol', 'user', `telnet?token=${token}`, {}, 400, 'invalid_value'],
    ['no model in the path', 'user', `gemini?token=${token}`, {}, 400, 'invalid_value'],
    ['a form', 'user', `chat?token=${token}`, { type: 'text/plain' }, 415, 'content_type'],
    [
      'a page of elsewhere',
      'user',
      `chat?token=${token}`,
      { from: 'http://x' },
      403,
      'foreign_origin',
    ],
    ['more than 1 MiB', 'user', `chat?token=${token}`, { size: 1_048_577 }, 413, 'body_too_large'],
  ] as const)('refuses %s', async (_what, person, path, sent, status, reason) => {
    const { type, from, size }: { type?: string; from?: string; size?: number } = sent
    const answer = await post(person, path, {
      ...(size && { body: 'x'.repeat(size) }),
      headers: { ...(type && { 'content-type': type }), ...(from && { origin: from }) },
    })
    expect([answer.status, await answer.json()]).toMatchObject([status, { reason }])
    expect(scene.upstream.requests).toHaveLength(0)
  })

  test('never tells the key', async () => {
    scene.upstream.handle(() => jsonAnswer(dialects.chat.body(tokens)))
    const answer = await post('user', pathOf('chat', false))
    const told = JSON.stringify([...answer.headers]) + (await answer.text()) + scene.lines.join('')
    expect(told).not.toContain(testKey)
  })
})
