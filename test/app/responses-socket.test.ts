import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { allDialects, type Dialect, wholeStream } from '../e2e/dialects.ts'
import { type FakeUpstream, sseAnswer, startFakeUpstream } from '../support/fake-upstream.ts'
import { testKey } from '../support/tollgate-yaml.ts'
import {
  answering,
  conversationOf,
  foreign,
  limitedKey,
  model,
  startGateway,
  tokens,
} from './responses-socket-scene.ts'
import { type Running, startServing } from './serving.ts'
import { openSocket } from './socket-client.ts'

// Responses over WebSockets: each message goes the way of a POST.

/** The first bytes that come for what is sent on a connection. */
async function answerOf(to: { hostname: string; port: number }, sent: string): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>()
  const socket = await Bun.connect({
    ...to,
    socket: { open: (one) => void one.write(sent), data: (_, data) => resolve(data.toString()) },
  })
  const answer = await promise
  socket.end()
  return answer
}

describe('a connection', () => {
  const [chat] = foreign as [Dialect]
  let upstream: FakeUpstream
  let gateway: Running
  let release = () => {}
  beforeAll(async () => {
    upstream = answering(chat)
    gateway = await startGateway(upstream, chat)
  })
  beforeEach(() => gateway.configure({}))
  afterAll(async () => {
    await gateway[Symbol.asyncDispose]()
    await upstream.stop()
  })

  /** From now on the upstream begins its answers, and ends them when it is let go. */
  function hold(): void {
    const { promise, resolve } = Promise.withResolvers<void>()
    release = resolve
    upstream.handle(() => {
      async function* body() {
        yield chat.first(tokens) + chat.piece('Hel')
        await promise
        yield chat.piece('lo.') + chat.last(tokens)
      }
      return new Response(body() as never, { headers: { 'content-type': 'text/event-stream' } })
    })
  }
  const letGo = () => {
    release()
    upstream.handle(() => sseAnswer(wholeStream(chat, tokens, ['Hel', 'lo.'])))
  }
  const upgrade = (headers: Record<string, string>) =>
    fetch(`${gateway.serving.url}/v1/responses`, { headers, proxy: false })
  const handshake = {
    ...{ upgrade: 'websocket', connection: 'Upgrade', 'sec-websocket-version': '13' },
    'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
  }
  const authorization = `Bearer ${testKey}`

  test('needs a key, and is refused by 426 where it is switched off', async () => {
    expect((await upgrade(handshake)).status).toBe(401)
    expect((await upgrade({ ...handshake, authorization: 'Bearer sk-none' })).status).toBe(401)
    await gateway.configure({ settings: { responses_websocket: false } })
    expect((await upgrade({ ...handshake, authorization })).status).toBe(426)
    expect((await upgrade(handshake)).status).toBe(401)
  })

  test('is none without Upgrade: the path is as unknown as ever', async () => {
    const answer = await upgrade({ authorization })
    expect([answer.status, await answer.text()]).toEqual([404, '404 page not found'])
  })

  test('that is not shaken hands on wholly is a 400', async () => {
    const { connection: _, ...unsaid } = handshake
    for (const headers of [
      { upgrade: 'websocket' },
      unsaid,
      { ...handshake, connection: 'close' },
    ]) {
      expect((await upgrade({ ...headers, authorization })).status).toBe(400)
    }
  })

  test('is not made of what has a body, or is no GET', async () => {
    const { hostname, port } = new URL(gateway.serving.url)
    const lines = Object.entries({ host: 'gw', ...handshake, authorization })
    const ask = (method: string, more: string) =>
      answerOf(
        { hostname, port: Number(port) },
        `${method} /v1/responses HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}${more}`,
      )
    expect(await ask('GET', '\r\n')).toStartWith('HTTP/1.1 101 ')
    expect(await ask('GET', 'content-length: 0\r\n\r\n')).toStartWith('HTTP/1.1 101 ')
    expect(await ask('GET', 'content-length: 5\r\n\r\nhello')).toStartWith('HTTP/1.1 400 ')
    const chunked = 'transfer-encoding: chunked\r\n\r\n0\r\n\r\n'
    expect(await ask('GET', chunked)).toStartWith('HTTP/1.1 400 ')
    expect(await ask('HEAD', '\r\n')).toStartWith('HTTP/1.1 404 ')
  })

  test('takes JSON with space around it', async () => {
    const client = await openSocket(gateway)
    client.sendText(` ${JSON.stringify({ type: 'response.create', model, input: 'x' })}\n`)
    expect((await client.untilEnd()).at(-1)?.type).toBe('response.completed')
    client.close()
  })

  test('a warm-up of megabytes is gone on with, too', async () => {
    const client = await openSocket(gateway)
    const input = 'x'.repeat(2_000_000)
    const warm = await client.create({ model, input, generate: false })
    const previous_response_id = warm.at(-1)?.response?.id
    const end = (await client.create({ model, input: 'Go on.', previous_response_id })).at(-1)
    expect(end?.type).toBe('response.completed')
    expect(conversationOf(upstream).length).toBeGreaterThan(input.length)
    client.close()
  })

  test('answers one at a time', async () => {
    hold()
    const client = await openSocket(gateway)
    client.send({ type: 'response.create', model, input: 'Say one.' })
    await client.until('response.output_text.delta')
    client.send({ type: 'response.processed', response_id: 'resp_1' })
    client.send({ type: 'response.create', model, input: 'Say two.' })
    const refused = await client.until('error')
    expect(refused).toMatchObject({ status: 429, error: { code: 'concurrency_limited' } })
    letGo()
    expect(await client.until('response.completed')).toMatchObject({ type: 'response.completed' })
    expect((await client.create({ model, input: 'Say three.' })).at(-1)?.type).toBe(
      'response.completed',
    )
    client.close()
  })

  test.each([
    ['no JSON', 'Hello?', 'invalid_json'],
    ['a list', '[]', 'invalid_json'],
    ['half of an object', '{"type":"response.create"', 'invalid_json'],
    [
      'more behind an object',
      '{"type":"response.create","model":"test-model","input":"x"}{}',
      'invalid_json',
    ],
    [
      'what is no value',
      '{"type":"response.create","model":"test-model","input":"x",y}',
      'invalid_json',
    ],
    [
      ...[
        'nonsense beside a request',
        '{"type":"response.create","event_id":y,"model":"m","input":"x"}',
      ],
      'invalid_json',
    ],
    [
      ...[
        'nonsense around one',
        '{"type":"response.create","response":{"input":"x"},"event_id":y}',
      ],
      'invalid_json',
    ],
    [
      'more than a request',
      `{"type":"response.create","event_id":"${'a'.repeat(70_000)}"}`,
      'invalid_json',
    ],
    ['a field twice', '{"type":"response.create","type":"response.create"}', 'invalid_json'],
    ['an unknown type', '{"type":"response.steer"}', 'invalid_value'],
    ['no type', '{"model":"test-model"}', 'invalid_value'],
    ['no model', '{"type":"response.create","input":"x"}', 'missing_parameter'],
    [
      'an unknown model',
      '{"type":"response.create","model":"none","input":"x"}',
      'model_not_found',
    ],
    [
      ...['work in the background', '{"type":"response.create","background":true,"model":"m"}'],
      'unsupported_parameter',
    ],
    [
      'a warm-up without input',
      '{"type":"response.create","generate":false,"model":"test-model"}',
      'missing_parameter',
    ],
  ])('tells what is wrong with %s, and goes on', async (_, message, code) => {
    const client = await openSocket(gateway)
    client.sendText(String(message))
    const error = await client.until('error')
    expect(error).toMatchObject({
      error: { code },
      headers: { 'x-request-id': expect.any(String) },
    })
    expect((await client.create({ model, input: 'Say one.' })).at(-1)?.type).toBe(
      'response.completed',
    )
    client.close()
  })

  test('takes the older form, and marks events with their lane', async () => {
    const client = await openSocket(gateway)
    const response = { model, input: 'Say "one".', temperature: 0.5 }
    client.send({ type: 'response.create', stream_id: 'a "lane"', response })
    const events = await client.untilEnd()
    expect(new Set(events.map(({ stream_id }) => stream_id))).toEqual(new Set(['a "lane"']))
    expect(upstream.last().json()).toMatchObject({ temperature: 0.5, stream: true })
    client.close()
  })

  test('tells beside the first event what a POST has in its headers', async () => {
    const client = await openSocket(gateway)
    const events = await client.create({ model, input: 'Say one.', truncation: 'auto' })
    expect(events[0]).toMatchObject({
      headers: { 'x-tollgate-dropped': 'truncation', 'x-request-id': expect.any(String) },
    })
    expect(events[1]).not.toHaveProperty('headers')
    client.close()
  })

  test('counts each response in the limits of its key', async () => {
    const client = await openSocket(gateway, limitedKey)
    await client.create({ model, input: 'Say one.' })
    await client.create({ model, input: 'Say one.', generate: false })
    const [refused] = await client.create({ model, input: 'Say two.' })
    expect(refused).toMatchObject({
      ...{ type: 'error', status: 429, error: { code: 'rate_limited' } },
      headers: { 'retry-after': expect.any(String) },
    })
    client.close()
  })

  // It is free: whoever sends many of them must not hold others up.
  test('reads little of a warm-up: its items when they are answered to, and 1 MiB beside them', async () => {
    const asked = upstream.requests.length
    const client = await openSocket(gateway)
    const warmUp = { model, generate: false, store: false }
    const [told] = await client.create({ ...warmUp, instructions: 'x'.repeat(1_100_000) })
    expect(told).toMatchObject({ type: 'error', status: 413, error: { code: 'body_too_large' } })
    const warm = await client.create({ ...warmUp, input: [{ role: 'nobody', content: 7 }] })
    const previous_response_id = warm.at(-1)?.response?.id
    expect(warm.at(-1)).toMatchObject({ type: 'response.completed' })
    const [refused] = await client.create({ model, input: 'Say one.', previous_response_id })
    expect(refused).toMatchObject({ type: 'error', status: 400 })
    expect(upstream.requests).toHaveLength(asked)
    const long = [{ role: 'user', content: 'Say one. '.repeat(200_000) }]
    const larger = await client.create({ ...warmUp, input: long })
    expect(larger.at(-1)).toMatchObject({ type: 'response.completed' })
    client.close()
  })

  test('ends with its key', async () => {
    const client = await openSocket(gateway)
    await gateway.configure({ token: { enabled: false } })
    const [refused] = await client.create({ model, input: 'Say one.' })
    expect(refused).toMatchObject({ type: 'error', status: 401 })
    expect((await client.closed).code).toBe(1008)
  })

  test('says nothing of WebSockets upstream, and all the rest that its handshake said', async () => {
    await using native = answering(allDialects.find(({ name }) => name === 'responses') as Dialect)
    await gateway.configure({ upstream: native.url, speaks: ['responses'] })
    const betas = 'a=1, responses_websockets=2026-02-06'
    const client = await openSocket(gateway, testKey, { 'openai-beta': betas, session_id: 's' })
    await client.create({ model, input: 'Say one.' })
    const { headers } = native.last()
    expect(headers.get('openai-beta')).toBe('a=1')
    expect(headers.get('session_id')).toBe('s')
    expect([...headers.keys()].filter((name) => /^sec-|^upgrade/.test(name))).toEqual([])
    client.close()
  })

  test('that its client ends is a client that left: the upstream is let go', async () => {
    hold()
    const client = await openSocket(gateway)
    client.send({ type: 'response.create', model, input: 'Say one.' })
    await client.until('response.output_text.delta')
    client.close()
    await upstream.last().aborted
    letGo()
  })

  test('is one of so many of its key; who closes one may open another', async () => {
    const open = await Promise.all(Array.from({ length: 256 }, () => openSocket(gateway)))
    const refused = await upgrade({ ...handshake, authorization })
    expect([refused.status, refused.headers.get('x-tollgate-reason')]).toEqual([
      ...[429, 'concurrency_limited'],
    ])
    const other = await openSocket(gateway, limitedKey)
    other.close()
    const [first, ...rest] = open
    first?.close()
    await first?.closed
    const again = await openSocket(gateway)
    for (const one of [again, ...rest]) one.close()
  })

  test('remembers nothing of another one', async () => {
    const one = await openSocket(gateway)
    const events = await one.create({ model, input: 'Say one.', store: false })
    const previous_response_id = events.at(-1)?.response?.id
    const other = await openSocket(gateway)
    const [refused] = await other.create({ model, input: 'Two.', previous_response_id })
    expect(refused).toMatchObject({
      ...{ type: 'error', status: 404, error: { code: 'previous_response_not_found' } },
    })
    one.close()
    other.close()
  })

  test('carries large events whole', async () => {
    const word = 'ä'.repeat(3_000_000)
    upstream.handle(() => sseAnswer(wholeStream(chat, tokens, [word, '.'])))
    const client = await openSocket(gateway)
    const events = await client.create({ model, input: 'Say a lot.' })
    const text = events.map((event) => String(event.delta ?? '')).join('')
    expect(text.length).toBeGreaterThanOrEqual(word.length)
    letGo()
    client.close()
  })
})

test('a connection ends after its time, and says so in the words of the vendor', async () => {
  const [chat] = foreign as [Dialect]
  await using upstream = answering(chat)
  await using gateway = await startServing({ upstream: upstream.url, socketLifeMs: 1 })
  const client = await openSocket(gateway)
  expect(await client.until('error')).toMatchObject({
    ...{ status: 400, error: { code: 'websocket_connection_limit_reached' } },
  })
  expect((await client.closed).code).toBe(1001)
})

describe('a stop', () => {
  const [chat] = foreign as [Dialect]

  test('ends connections that are idle at once, and others behind their response', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    await using upstream = startFakeUpstream(() => {
      async function* body() {
        yield chat.first(tokens) + chat.piece('Hel')
        await promise
        yield chat.piece('lo.') + chat.last(tokens)
      }
      return new Response(body() as never, { headers: { 'content-type': 'text/event-stream' } })
    })
    const gateway = await startGateway(upstream, chat)
    const idle = await openSocket(gateway)
    const busy = await openSocket(gateway)
    busy.send({ type: 'response.create', model, input: 'Say one.' })
    await busy.until('response.output_text.delta')
    const stopped = gateway.serving.stop()
    expect((await idle.closed).code).toBe(1012)
    resolve()
    await busy.until('response.completed')
    expect((await busy.closed).code).toBe(1012)
    await stopped
    await gateway[Symbol.asyncDispose]()
  })
})
