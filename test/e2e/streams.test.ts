import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type RunningBinary, startBinary } from '../support/binary.ts'
import {
  type FakeUpstream,
  jsonAnswer,
  sseAnswer,
  startFakeUpstream,
} from '../support/fake-upstream.ts'
import { startOwnTime } from '../support/own-time.ts'
import { speaksAt, tollgateYaml, upstreamKey } from '../support/tollgate-yaml.ts'
import { ask, callBySocket, readUntil, requestIdOf } from './caller.ts'
import { allDialects, costNano, dialects, wholeStream } from './dialects.ts'
import { type Ledger, openLedger } from './ledger.ts'
import { until } from './until.ts'

const tokens = { input: 10, output: 20 }
const pieces = ['Hello', ' there']

/** Each limit of time has a channel and a key of its own, where the others are as long as usual. */
const limits = {
  'first-byte': { first_byte: '400ms' },
  idle: { idle: '500ms' },
  pausing: { idle: '1s' },
  total: { total: '3s' },
} as const
type Limit = keyof typeof limits
const limitNames = Object.keys(limits) as Limit[]
const keyOf = (limit: Limit) => `sk-test-${limit}-0123456789abcdef`

let upstream: FakeUpstream
let gateway: RunningBinary
let ledger: Ledger

beforeAll(async () => {
  upstream = startFakeUpstream(() => jsonAnswer({}))
  gateway = await startBinary({
    config: (listen) =>
      tollgateYaml({
        listen,
        upstream: upstream.url,
        moreChannels: limitNames.map((name) => ({
          ...{ name, speaks: speaksAt(upstream.url), api_key: upstreamKey, allow_private: true },
          models: ['test-model'],
          timeouts: limits[name],
        })),
        moreGroups: limitNames.map((name) => ({ name, channels: [name] })),
        moreAccounts: [
          {
            ...{ email: 'limits@example.com', balance: 10_000 },
            tokens: limitNames.map((name) => ({ name, key: keyOf(name), group: name })),
          },
        ],
      }),
  })
  ledger = openLedger(gateway.cwd)
  // The first estimate of all loads the tokenizer; the times that are looked at here are others.
  const begun = dialects.chat.first(tokens) + dialects.chat.piece('Hello there')
  upstream.handle(() => sseAnswer(begun, { ending: 'break' }))
  await (await ask(gateway.url, dialects.chat, true)).text()
})
afterAll(async () => {
  await ledger[Symbol.asyncDispose]()
  await gateway.stop()
  await upstream.stop()
})

const silence = () => new Promise<Response>(() => {})

/** A stream that sends one piece after the other, forever. */
function trickle(first: string, piece: string, pauseMs: number): Response {
  const encoder = new TextEncoder()
  async function* body() {
    yield encoder.encode(first)
    while (true) {
      await Bun.sleep(pauseMs)
      yield encoder.encode(piece)
    }
  }
  const headers = { 'content-type': 'text/event-stream' }
  return new Response(body() as unknown as Bun.BodyInit, { headers })
}

describe.each(allDialects)('$name', (dialect) => {
  test('a stream is charged before its last event leaves', async () => {
    const whole = wholeStream(dialect, tokens, pieces)
    // Kept open behind its last event: that it ends must not be what it is charged at. Gemini has no
    // last event but the end itself.
    const ending = dialect.name === 'gemini' ? 'end' : 'stall'
    for (let round = 0; round < 25; round++) {
      const cuts = round === 0 ? 'whole' : { seed: round }
      upstream.handle(() => sseAnswer(whole, { cuts, ending }))
      const answer = await ask(gateway.url, dialect, true)
      const { text, reader } = await readUntil(answer, dialect.isWhole)
      // The one turn of the event loop in which the last event came: no time for a late commit.
      const record = await ledger.record(requestIdOf(answer))
      expect(text).toBe(whole)
      expect(record).toMatchObject({ ending: 'complete', charged_nano: -costNano(tokens) })
      await reader.cancel()
    }
  })

  test('a body is charged before it leaves', async () => {
    upstream.handle(() => jsonAnswer(dialect.body(tokens)))
    for (let round = 0; round < 10; round++) {
      const answer = await ask(gateway.url, dialect, false)
      // The head has come, the body may still be on its way.
      const record = await ledger.record(requestIdOf(answer))
      expect(record).toMatchObject({ ending: 'complete', charged_nano: -costNano(tokens) })
      expect(await answer.json()).toEqual(dialect.body(tokens) as never)
    }
  })

  test.each([true, false])('an upstream that says nothing: 504 (stream: %p)', async (stream) => {
    upstream.handle(silence)
    const answer = await ask(gateway.url, dialect, stream, { key: keyOf('first-byte') })
    expect(answer.status).toBe(504)
    expect(answer.headers.get('x-tollgate-reason')).toBe('upstream_timeout')
    expect(answer.headers.get('content-type')).toStartWith('application/json')
    await until('the upstream connection to close', () => upstream.last().abortedAt !== undefined)
    const id = requestIdOf(answer)
    const record = await until('the record', () => ledger.record(id))
    expect(record).toMatchObject({
      ending: 'failed',
      status: 504,
      cause: 'upstream_timeout',
      charged_nano: null,
    })
    expect(await ledger.attempts(id)).toEqual([{ status: null, cause: 'timeout_first_byte' }])
  })

  test('an upstream that falls silent in a stream: an error event, what came is charged', async () => {
    const begun = dialect.first(tokens) + dialect.piece('Hello there')
    upstream.handle(() => sseAnswer(begun, { ending: 'stall' }))
    const started = performance.now()
    using ownTime = startOwnTime()
    const answer = await ask(gateway.url, dialect, true, { key: keyOf('idle') })
    const text = await answer.text()
    expect(performance.now() - started).toBeGreaterThanOrEqual(450)
    expect(ownTime.now()).toBeLessThan(1500)
    expect(text).toStartWith(begun)
    expect(dialect.isError(text)).toBeTrue()
    expect(dialect.isWhole(text)).toBeFalse()
    const id = requestIdOf(answer)
    const record = await ledger.record(id)
    expect(record).toMatchObject({ ending: 'cut', cause: 'upstream_timeout', estimated: 1 })
    expect(record?.amount_nano).toBeGreaterThan(0)
    expect(record?.charged_nano).toBe(-(record?.amount_nano ?? 0))
    expect(await ledger.attempts(id)).toEqual([{ status: 200, cause: 'timeout_idle' }])
    await until('the upstream connection to close', () => upstream.last().abortedAt !== undefined)
  })
})

test('a stream that never ends is cut at the total limit, with an error event', async () => {
  const dialect = dialects.messages
  upstream.handle(() => trickle(dialect.first(tokens), dialect.piece('on and '), 50))
  const started = performance.now()
  using ownTime = startOwnTime()
  const answer = await ask(gateway.url, dialect, true, { key: keyOf('total') })
  const text = await answer.text()
  expect(performance.now() - started).toBeGreaterThanOrEqual(2900)
  expect(ownTime.now()).toBeLessThan(4000)
  expect(dialect.isError(text)).toBeTrue()
  const id = requestIdOf(answer)
  expect(await ledger.record(id)).toMatchObject({
    ending: 'cut',
    cause: 'upstream_timeout',
    input_tokens: tokens.input,
    estimated: 1,
  })
  expect(await ledger.attempts(id)).toEqual([{ status: 200, cause: 'timeout_total' }])
})

test('a body that never ends is a 504 at the total limit', async () => {
  upstream.handle(() => trickle('{"a":[1', ',1', 50))
  const answer = await ask(gateway.url, dialects.chat, false, { key: keyOf('total') })
  expect(answer.status).toBe(504)
  const id = requestIdOf(answer)
  await until('the record', () => ledger.record(id))
  expect(await ledger.attempts(id)).toEqual([{ status: 200, cause: 'timeout_total' }])
})

test('a client that pauses does not trip the idle limit of a healthy upstream', async () => {
  const dialect = dialects.chat
  // More than all sockets on the way hold, some 40 MB on Linux: what they take is not waited for.
  const text = dialect.piece('0123456789'.repeat(100)).repeat(60_000)
  upstream.handle(() => sseAnswer(dialect.first(tokens) + text + dialect.last(tokens)))
  const before = (await ledger.records()).length
  using client = await callBySocket(gateway.port, dialect, true, { key: keyOf('pausing') })
  await client.pauseAtFirst()
  await Bun.sleep(1500) // longer than the idle limit of one second
  expect((await ledger.records()).length).toBe(before)
  client.resume()
  await client.closed
  expect(client.tail()).toContain('data: [DONE]')
  const records = (await ledger.records()).slice(before)
  expect(records).toMatchObject([{ ending: 'complete', charged_nano: -costNano(tokens) }])
})
