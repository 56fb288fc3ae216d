import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { testKey } from '../support/tollgate-yaml.ts'
import {
  type Call,
  calls,
  claudeCode,
  countedChat,
  done,
  opencode,
  opencodeBody,
  said,
  sse,
  stop,
  usage,
} from './agent-requests.ts'
import { type Bench, startBench } from './sdk-support.ts'

// Requests as coding agents write them: what they send arrives upstream byte for byte, and what
// the upstream answers arrives at them in the same way.

let bench: Bench
beforeAll(async () => {
  bench = await startBench()
})
afterAll(() => bench[Symbol.asyncDispose]())

/** Sends a call with the key; gives what went upstream and what came back. */
async function exchange(call: Call) {
  const type = /^(event|data):/.test(call.answer) ? 'text/event-stream' : 'application/json'
  bench.fake.handle(
    () =>
      new Response(call.answer, {
        headers: { 'content-type': type, 'x-account': 'secret', 'set-cookie': 'a=b' },
      }),
  )
  const response = await fetch(bench.gateway.url + call.path, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${testKey}`,
      'content-type': 'application/json',
      cookie: 'private=1',
      'x-forwarded-for': '10.1.2.3',
      ...call.headers,
    },
    body: call.body,
  })
  return { response, text: await response.text(), seen: bench.fake.last() }
}

describe.each(calls)('%s', (_, call) => {
  test('sends and gets every byte, with the headers that belong to it', async () => {
    const { response, text, seen } = await exchange(call)
    expect(response.status).toBe(200)
    expect(text).toBe(call.answer)
    expect(seen.text()).toBe(call.body)
    expect(seen.path).toBe(call.path)
    for (const [name, value] of Object.entries(call.headers)) {
      expect([name, seen.headers.get(name)]).toEqual([name, value])
    }
    const sent = JSON.stringify([...seen.headers])
    for (const secret of [testKey, 'private=1', '10.1.2.3']) expect(sent).not.toContain(secret)
    expect(sent).toContain('key-of-fake-0123456789')
    const got = [...response.headers.keys()]
    expect(got).toContain('x-request-id')
    expect(got).not.toContain('x-account')
    expect(got).not.toContain('set-cookie')
  })

  test('sends the same bytes but for the name to a channel that calls the model otherwise', async () => {
    const renamed = (text: string, name: string) =>
      text.replace('"model":"fake"', `"model":"${name}"`).replace('/fake:', `/${name}:`)
    const { response, text, seen } = await exchange({
      ...call,
      path: renamed(call.path, 'alias'),
      body: renamed(call.body, 'alias'),
    })
    expect(response.status).toBe(200)
    expect(text).toBe(call.answer)
    expect(seen.text()).toBe(renamed(call.body, 'real'))
    expect(seen.path).toBe(renamed(call.path, 'real'))
  })
})

describe('the usage chunk of chat streams', () => {
  const body = (options: string) =>
    `{"model":"fake","messages":[{"role":"user","content":"hi"}],"stream":true${options} }`
  const ask = (options: string) =>
    exchange({
      path: '/v1/chat/completions',
      headers: {},
      body: body(options),
      answer: countedChat,
    })

  test.each([
    ['', ',"stream_options":{"include_usage":true}'],
    [',"stream_options":{"include_usage":false}', ',"stream_options":{"include_usage":true}'],
    [
      ',"stream_options":{"include_obfuscation":false}',
      ',"stream_options":{"include_obfuscation":false,"include_usage":true}',
    ],
  ])('is asked for, and kept from a client that sent %p', async (sent, upstream) => {
    const { response, text, seen } = await ask(sent)
    expect(JSON.parse(seen.text())).toEqual(JSON.parse(body(upstream)))
    expect(text).toBe(`${sse([said, stop])}${done}`)
    const record = await bench.record(response.headers.get('x-request-id'))
    // 1 and 2 USD per 1M tokens × 0.8, in nano-USD per token.
    expect(record).toMatchObject({ estimated: false, amount_nano: 11 * 800 + 2 * 1600 })
  })

  test('reaches a client that asked', async () => {
    const { text, seen } = await ask(',"stream_options":{"include_usage":true}')
    expect(seen.text()).toBe(body(',"stream_options":{"include_usage":true}'))
    expect(text).toBe(countedChat)
  })
})

describe('small habits', () => {
  test('HEAD /api/hello needs no key', async () => {
    const response = await fetch(`${bench.gateway.url}/api/hello`, { method: 'HEAD' })
    expect([response.status, await response.text()]).toEqual([200, ''])
  })

  test('a refused key is refused again and again, without a word upstream', async () => {
    bench.fake.clear()
    const refused = await Promise.all(
      Array.from({ length: 8 }, () =>
        fetch(`${bench.gateway.url}/v1/messages?beta=true`, {
          method: 'POST',
          headers: { ...claudeCode, authorization: 'Bearer sk-gone' },
          body: 'not even JSON',
        }),
      ),
    )
    expect(refused.map(({ status }) => status)).toEqual(Array(8).fill(401))
    expect(await refused[0]?.json()).toEqual({
      code: 'INVALID_API_KEY',
      message: 'Invalid API key',
    })
    expect(bench.fake.requests).toHaveLength(0)
  })

  test.each([
    ['authorization', `Bearer ${testKey}`, false],
    ['x-api-key', testKey, false],
    ['x-goog-api-key', testKey, true],
  ])('one list of models serves all readers: key in %s', async (header, key, gemini) => {
    const response = await fetch(`${bench.gateway.url}/v1/models?limit=1000`, {
      headers: { [header]: key },
    })
    const list = (await response.json()) as Record<string, unknown[]>
    expect(list).toMatchObject({ object: 'list', has_more: false, first_id: 'alias' })
    expect(list.data?.[0]).toMatchObject({
      id: 'alias',
      object: 'model',
      type: 'model',
      display_name: 'alias',
    })
    if (gemini) expect(list.models?.[0]).toMatchObject({ name: 'models/alias' })
    else expect(list.models).toBeUndefined()
  })

  test('a title request in parallel with the first turn', async () => {
    bench.fake.handle((request) => {
      const { max_tokens } = request.json() as { max_tokens?: number }
      const content = max_tokens === 50 ? 'Title' : 'Answer'
      return Response.json({ id: 'c', choices: [{ message: { content } }], usage })
    })
    const ask = async (more: object) => {
      const response = await fetch(`${bench.gateway.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${testKey}`, ...opencode },
        body: JSON.stringify({ ...opencodeBody, stream: false, stream_options: null, ...more }),
      })
      return (await response.text()).includes('"Title"')
    }
    expect(await Promise.all([ask({ max_tokens: 50 }), ask({})])).toEqual([true, false])
  })
})
