import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type RunningBinary, startBinary } from '../support/binary.ts'
import {
  type FakeUpstream,
  jsonAnswer,
  sseAnswer,
  startFakeUpstream,
} from '../support/fake-upstream.ts'
import { startOwnTime } from '../support/own-time.ts'
import { shownModels, testKey, tollgateYaml } from '../support/tollgate-yaml.ts'
import { ask, callBySocket, readUntil, requestIdOf } from './caller.ts'
import { allDialects, costNano, dialects, wholeStream } from './dialects.ts'
import { type Ledger, openLedger } from './ledger.ts'
import { until } from './until.ts'

// A client may leave at any moment. Where all that an upstream makes can be seen it is let go within a
// second, or read to its end where the group wants that, and what was used is charged once.

const tokens = { input: 1000, output: 500 }
const drainKey = 'sk-test-drain-0123456789abcdefghij'
const pieces = ['Here is ', 'the beginning ', 'of an answer.']

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
        models: shownModels,
        moreGroups: [{ name: 'draining', channels: ['main'], on_disconnect: 'drain' }],
        moreAccounts: [
          {
            email: 'drain@example.com',
            balance: 100,
            tokens: [{ name: 'drain', key: drainKey, group: 'draining' }],
          },
        ],
      }),
  })
  ledger = openLedger(gateway.cwd)
})
afterAll(async () => {
  await ledger[Symbol.asyncDispose]()
  await gateway.stop()
  await upstream.stop()
})

const recordOf = (id: string) => until(`the record of ${id}`, () => ledger.record(id))
/** The record that comes next: of a request whose id nobody has seen. */
async function nextRecord() {
  const before = (await ledger.records()).length
  return () => until('one more record', async () => (await ledger.records())[before])
}

/** How long it takes until the upstream sees its connection close, when the client does `leave`. */
async function closeLatency(leave: () => void): Promise<number> {
  const seen = upstream.last()
  using ownTime = startOwnTime()
  leave()
  await until('the upstream connection to close', () => seen.abortedAt !== undefined)
  return ownTime.now()
}

describe.each(allDialects)('$name', (dialect) => {
  const begun = dialect.first(tokens) + pieces.map(dialect.piece).join('')

  test('a client that leaves in mid-stream: upstream closed, delivered text charged', async () => {
    upstream.handle(() => sseAnswer(begun, { ending: 'stall' }))
    const leaving = new AbortController()
    const answer = await ask(gateway.url, dialect, true, { signal: leaving.signal })
    await readUntil(answer, (text) => text.includes('of an answer.'))
    const latency = await closeLatency(() => leaving.abort())
    expect(latency).toBeLessThan(1000)
    const record = await recordOf(requestIdOf(answer))
    console.log(`${dialect.name}: upstream closed ${latency.toFixed(1)} ms after the client left`)
    expect(record).toMatchObject({ ending: 'client_left', cause: 'client_left', status: 200 })
    expect(record.charged_nano).toBe(-record.amount_nano)
    expect(record.estimated).toBe(1)
    expect(record.output_tokens).toBeGreaterThan(4)
    expect(record.output_tokens).toBeLessThan(15)
    // Messages says at the start what the input was; the others have not said anything yet.
    if (dialect.name === 'messages') expect(record.input_tokens).toBe(tokens.input)
    else expect(record.input_tokens).toBeWithin(1, 50)
    expect(record.amount_nano).toBe(
      costNano({ input: record.input_tokens, output: record.output_tokens }),
    )
  })

  test('a client that leaves before the first byte: upstream closed at it, input charged', async () => {
    const arrived = Promise.withResolvers<void>()
    const go = Promise.withResolvers<void>()
    upstream.handle(async () => {
      arrived.resolve()
      await go.promise
      return sseAnswer(dialect.first(tokens), { ending: 'stall' })
    })
    const next = await nextRecord()
    const leaving = new AbortController()
    const asked = ask(gateway.url, dialect, true, { signal: leaving.signal }).catch(() => 'left')
    await arrived.promise
    leaving.abort()
    expect(await asked).toBe('left')
    expect(await closeLatency(go.resolve)).toBeLessThan(1000)
    const record = await next()
    expect(record).toMatchObject({ ending: 'client_left', charged_nano: -record.amount_nano })
    if (dialect.name === 'messages') expect(record.input_tokens).toBe(tokens.input)
    else expect(record).toMatchObject({ input_tokens: expect.any(Number), output_tokens: 0 })
    expect(record.amount_nano).toBeGreaterThan(0)
  })

  test('a client that leaves when the answer has begun: its input is charged', async () => {
    upstream.handle(() => sseAnswer(dialect.first(tokens), { ending: 'stall' }))
    const leaving = new AbortController()
    const answer = await ask(gateway.url, dialect, true, { signal: leaving.signal })
    expect(await closeLatency(() => leaving.abort())).toBeLessThan(1000)
    const record = await recordOf(requestIdOf(answer))
    expect(record).toMatchObject({ ending: 'client_left' })
    if (dialect.name === 'messages') {
      const reported = costNano({ input: tokens.input, output: 1 })
      expect(record).toMatchObject({ estimated: 0, amount_nano: reported })
    } else {
      // The upstream has read the request by now, and has not told yet what it counts.
      expect(record).toMatchObject({ estimated: 1, output_tokens: 0 })
      expect(record.amount_nano).toBe(costNano({ input: record.input_tokens, output: 0 }))
      expect(record.input_tokens).toBeGreaterThan(0)
    }
  })

  test('a client that closes when it has everything: complete, charged once', async () => {
    const whole = wholeStream(dialect, tokens, pieces)
    upstream.handle(() => sseAnswer(whole, { ending: 'stall' }))
    const leaving = new AbortController()
    const answer = await ask(gateway.url, dialect, true, { signal: leaving.signal })
    const end = dialect.name === 'gemini' ? () => false : dialect.isWhole
    await readUntil(answer, end)
    leaving.abort()
    const record = await recordOf(requestIdOf(answer))
    expect(record).toMatchObject({
      ending: 'complete',
      cause: null,
      estimated: 0,
      input_tokens: tokens.input,
      output_tokens: tokens.output,
      amount_nano: costNano(tokens),
      charged_nano: -costNano(tokens),
    })
  })

  test.each(['stream', 'body'])(
    'with drain, the %s is read to its end and charged as reported',
    async (kind) => {
      const streamed = kind === 'stream'
      const go = Promise.withResolvers<void>()
      upstream.handle(() =>
        streamed
          ? stepwise(begun, go.promise, dialect.last(tokens))
          : delayedBody(go.promise, dialect.body(tokens)),
      )
      const seen = upstream.requests.length
      const next = await nextRecord()
      const leaving = new AbortController()
      const asked = ask(gateway.url, dialect, streamed, { signal: leaving.signal, key: drainKey })
      if (streamed) await readUntil(await asked, (text) => text.includes('the beginning'))
      else await until('the upstream to be asked', () => upstream.requests.length > seen)
      leaving.abort()
      await asked.catch(() => undefined)
      await Bun.sleep(100) // time in which the upstream would be closed, if it were
      expect(upstream.last().abortedAt).toBeUndefined()
      go.resolve()
      const record = await next()
      expect(record).toMatchObject({
        estimated: 0,
        input_tokens: tokens.input,
        output_tokens: tokens.output,
        amount_nano: costNano(tokens),
        charged_nano: -costNano(tokens),
      })
    },
  )
})

/** A stream that says one thing, and another when it may. */
function stepwise(begun: string, go: Promise<void>, rest: string): Response {
  const encoder = new TextEncoder()
  async function* body() {
    yield encoder.encode(begun)
    await go
    yield encoder.encode(rest)
  }
  const headers = { 'content-type': 'text/event-stream' }
  return new Response(body() as unknown as Bun.BodyInit, { headers })
}

async function delayedBody(go: Promise<void>, body: object): Promise<Response> {
  await go
  return jsonAnswer(body)
}

test('a stream that has said its last words ends, though the upstream keeps it open', async () => {
  const dialect = dialects.chat
  upstream.handle(() => sseAnswer(wholeStream(dialect, tokens, pieces), { ending: 'stall' }))
  const answer = await ask(gateway.url, dialect, true)
  expect(dialect.isWhole(await answer.text())).toBeTrue()
  await until('the upstream connection to close', () => upstream.last().abortedAt !== undefined)
})

test('a paused client that leaves is noticed', async () => {
  const dialect = dialects.chat
  const text = dialect.piece('x'.repeat(1000))
  let sending = true
  upstream.handle(() => {
    async function* body() {
      yield new TextEncoder().encode(dialect.first(tokens))
      while (sending) yield new TextEncoder().encode(text.repeat(20))
    }
    const headers = { 'content-type': 'text/event-stream' }
    return new Response(body() as unknown as Bun.BodyInit, { headers })
  })
  const next = await nextRecord()
  using client = await callBySocket(gateway.port, dialect, true)
  await client.pauseAtFirst()
  await Bun.sleep(300) // until all buffers on the way are full
  expect(await closeLatency(() => client.leave())).toBeLessThan(1000)
  sending = false
  expect(await next()).toMatchObject({ ending: 'client_left', estimated: 1 })
})

test('a drained upstream that falls silent is let go at the idle limit', async () => {
  const dialect = dialects.messages
  await using silent = startFakeUpstream(() =>
    sseAnswer(dialect.first(tokens) + dialect.piece('Hello'), { ending: 'stall' }),
  )
  await using other = await startBinary({
    config: (listen) =>
      tollgateYaml({
        listen,
        upstream: silent.url,
        models: shownModels,
        group: { on_disconnect: 'drain' },
        channel: { timeouts: { idle: '500ms' } },
      }),
  })
  const leaving = new AbortController()
  const answer = await ask(other.url, dialect, true, { signal: leaving.signal, key: testKey })
  await readUntil(answer, (text) => text.includes('Hello'))
  leaving.abort()
  await using records = openLedger(other.cwd)
  const record = await until('the record', () => records.record(requestIdOf(answer)))
  expect(record).toMatchObject({ ending: 'client_left', input_tokens: tokens.input })
  await until('the upstream connection to close', () => silent.last().abortedAt !== undefined)
})
