import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import Anthropic from '@anthropic-ai/sdk'
import { GoogleGenAI } from '@google/genai'
import OpenAI from 'openai'
import { applyConfig } from '../../src/app/apply.ts'
import { createTollgate, type Tollgate } from '../../src/app/tollgate.ts'
import { createLogger } from '../../src/lib/log.ts'
import { createSecretBox } from '../../src/lib/secrets.ts'
import type { Store } from '../../src/store/ports/store.ts'
import { openSqliteStore } from '../../src/store/sqlite/open.ts'
import { allDialects, costNano, type Dialect, dialects, wholeStream } from '../e2e/dialects.ts'
import { geminiArray } from '../e2e/translated.ts'
import { until } from '../e2e/until.ts'
import type { FaultRequest } from '../support/fault/requests.ts'
import {
  chunk,
  end,
  httpBytes,
  httpHead,
  lastChunk,
  type Steps,
  stall,
  wait,
  write,
} from '../support/fault/steps.ts'
import { type FaultUpstream, startFaultUpstream } from '../support/fault/upstream.ts'
import { dialectOf, usualTokens, wellWhole, words } from '../support/fault/well.ts'
import { speaksAt, testKey, tollgateYaml, upstreamKey } from '../support/tollgate-yaml.ts'
import { configOf } from './serving.ts'

// S1, S2: what a client hears while its upstream is silent. Seconds are hundredths of them here;
// test/e2e/long-silence.test.ts waits for real ones.

const heartbeat = { firstMs: 250, everyMs: 150 }
/** Models that fail: what cools is left out of other tests. */
const failing = ['soon', 'late'].flatMap((when) => allDialects.map(({ name }) => `${when}-${name}`))
const comment = ': keep-alive\n\n'

let upstream: FaultUpstream
let store: Store
let tollgate: Tollgate
let server: ReturnType<typeof Bun.serve>

beforeAll(async () => {
  upstream = await startFaultUpstream()
  const channel = { api_key: upstreamKey, models: ['pair'], allow_private: true }
  const times = { first_byte: '900ms', idle: '900ms' }
  const config = configOf(
    tollgateYaml({
      ...{
        upstream: upstream.url,
        store: ':memory:',
        models: ['test-model', 'hurried', ...failing],
      },
      moreChannels: [
        { ...channel, name: 'first', speaks: speaksAt(upstream.url), timeouts: times },
        { ...channel, name: 'second', speaks: speaksAt(upstream.url), priority: 1 },
        {
          ...{ ...channel, name: 'hurried', models: ['hurried'], timeouts: times, priority: -1 },
          speaks: speaksAt(upstream.url),
        },
      ],
      group: { channels: ['main', 'first', 'second', 'hurried'] },
      channel: { models: ['test-model', ...failing] },
      prices: { pair: { input: 1, output: 2 } },
    }),
  )
  const clock = Date.now
  store = openSqliteStore({ path: ':memory:', clock })
  const secrets = createSecretBox('a secret of this test')
  await applyConfig({ store, secrets, warnings: [] }, config, { prune: false })
  const log = createLogger({ sink: () => {}, pretty: false, clock, level: 'error' })
  tollgate = await createTollgate({ config, store, secrets, log, clock, heartbeat })
  server = Bun.serve({
    ...{ hostname: '127.0.0.1', port: 0, idleTimeout: 0, development: false },
    fetch: (request) => tollgate.app.handle(request),
  })
})
afterAll(async () => {
  await server.stop(true)
  tollgate.interruptAll()
  await tollgate.settled()
  await tollgate.stop()
  await store.close()
  await upstream.stop()
})

interface Heard {
  readonly status: number
  readonly id: string
  /** Each piece as it came, and when, in milliseconds since the request. */
  readonly pieces: readonly { readonly text: string; readonly atMs: number }[]
  readonly text: string
}

async function hear(
  dialect: Dialect,
  stream: boolean,
  { model = 'test-model', signal }: { model?: string; signal?: AbortSignal } = {},
): Promise<Heard> {
  const startedAt = performance.now()
  const answer = await fetch(
    `http://127.0.0.1:${server.port}${dialect.path(stream).replace('test-model', model)}`,
    {
      method: 'POST',
      headers: { authorization: `Bearer ${testKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        ...dialect.request(stream),
        ...(dialect.name === 'gemini' ? {} : { model }),
      }),
      proxy: false,
      ...(signal && { signal }),
    },
  )
  const pieces: { text: string; atMs: number }[] = []
  const decoder = new TextDecoder()
  for await (const piece of answer.body ?? []) {
    const text = decoder.decode(piece, { stream: true })
    pieces.push({ text, atMs: performance.now() - startedAt })
  }
  const id = answer.headers.get('x-request-id') ?? ''
  return { status: answer.status, id, pieces, text: pieces.map(({ text }) => text).join('') }
}

const recordOf = (id: string) =>
  until(`the record of ${id}`, async () => {
    await tollgate.settled()
    const receipt = await fetch(`http://127.0.0.1:${server.port}/v1/receipts/${id}`, {
      headers: { authorization: `Bearer ${testKey}` },
    })
    return receipt.status === 200 && ((await receipt.json()) as Record<string, unknown>)
  })

const head = write(httpHead({ type: 'text/event-stream', framing: 'chunked' }))
const whole = (dialect: Dialect) => wholeStream(dialect, usualTokens, words)
/** A stream whose head is as late as its answer. */
const late =
  (ms: number) =>
  (request: FaultRequest): Steps => [
    wait(ms),
    head,
    write(chunk(whole(dialectOf(request)))),
    write(lastChunk),
  ]
const without = (text: string) => text.replaceAll(comment, '')
const countOf = (text: string) => text.split(comment).length - 1

/** What all four protocols have in common is looked at for all of them at the same time. */
const inEach = (look: (dialect: Dialect) => Promise<void>) => Promise.all(allDialects.map(look))

describe('S1: a stream', () => {
  test('whose upstream is silent at first: comments, and then the answer as it is', async () => {
    upstream.handle(late(900))
    await inEach(async (dialect) => {
      const { status, pieces, text } = await hear(dialect, true)
      expect(status).toBe(200)
      expect(pieces[0]?.text).toStartWith(comment)
      expect(pieces[0]?.atMs).toBeGreaterThanOrEqual(heartbeat.firstMs)
      expect(countOf(text)).toBeWithin(2, 6)
      expect(without(text)).toBe(whole(dialect))
      const beats = pieces.filter(({ text: piece }) => piece.startsWith(comment))
      for (const [at, { atMs }] of beats.slice(1).entries()) {
        expect(atMs - (beats[at]?.atMs ?? 0)).toBeGreaterThan(heartbeat.everyMs * 0.8)
      }
    })
  })

  test('that falls silent in its middle, and in the middle of an event', async () => {
    const [first, ...rest] = words
    upstream.handle((request) => {
      const dialect = dialectOf(request)
      const event = rest.map(dialect.piece).join('')
      return [
        ...[head, write(chunk(dialect.first(usualTokens) + dialect.piece(first))), wait(500)],
        ...[write(chunk(event.slice(0, 40))), wait(500), write(chunk(event.slice(40)))],
        ...[write(chunk(dialect.last(usualTokens))), write(lastChunk)],
      ]
    })
    await inEach(async (dialect) => {
      const { text } = await hear(dialect, true)
      expect(countOf(text)).toBeWithin(3, 9)
      expect(without(text)).toBe(whole(dialect))
    })
  })

  test('that fails at once has a status of its own; later it is told inside', async () => {
    const failed = httpBytes({ status: 500, body: '{"error":{"message":"out of order"}}' })
    upstream.handle([write(failed)])
    await inEach(async (dialect) => {
      const { status, text } = await hear(dialect, true, { model: `soon-${dialect.name}` })
      expect([status, countOf(text)]).toEqual([502, 0])
    })
    upstream.handle([wait(600), write(failed)])
    await inEach(async (dialect) => {
      const { status, text } = await hear(dialect, true, { model: `late-${dialect.name}` })
      expect(status).toBe(200)
      expect(dialect.isError(without(text))).toBeTrue()
      expect(text).toContain('The upstream failed.')
      expect(countOf(text)).toBeGreaterThan(0)
    })
  })

  test('that the upstream refuses late is told so, in its words', async () => {
    const refusal = '{"error":{"message":"max_tokens is too large"}}'
    upstream.handle([wait(600), write(httpBytes({ status: 400, body: refusal }))])
    await inEach(async (dialect) => {
      const { status, text } = await hear(dialect, true)
      expect([status, dialect.isError(without(text))]).toEqual([200, true])
      expect(text).toContain('max_tokens is too large')
    })
  })

  test('whose first channel stays silent: comments, and the answer of the second', async () => {
    const asked = new Map<unknown, number>()
    upstream.handle((request) => {
      asked.set(request.protocol, (asked.get(request.protocol) ?? 0) + 1)
      return asked.get(request.protocol) === 1 ? [stall] : late(0)(request)
    })
    await inEach(async (dialect) => {
      const { text } = await hear(dialect, true, { model: 'pair' })
      expect(countOf(text)).toBeGreaterThan(1)
      expect(without(text)).toBe(whole(dialect))
      expect(asked.get(dialect.name)).toBe(2)
    })
  })

  test('S7: whose client leaves in the silence: the upstream is left as well', async () => {
    upstream.handle([stall])
    const before = upstream.count()
    const leaving = new AbortController()
    const hearing = inEach(async (dialect) => {
      const left = hear(dialect, true, { signal: leaving.signal }).then(
        () => 'answered',
        () => 'left',
      )
      expect(await left).toBe('left')
    })
    await until('all to be asked', () => upstream.count() === before + allDialects.length)
    await Bun.sleep(400) // heartbeats have begun
    leaving.abort()
    await hearing
    await until('nothing to be under way', () => tollgate.active() === 0)
    await until('the upstream to be left', () => upstream.open() === 0)
  })

  test('S2: heartbeats do not hide an upstream that is dead, at once or in the middle', async () => {
    upstream.handle([stall])
    await inEach(async (dialect) => {
      const { id, text } = await hear(dialect, true, { model: 'hurried' })
      expectDead(dialect, text)
      expect(text).toContain('did not begin to answer in time')
      expect(JSON.stringify(await recordOf(id))).toContain('timeout_first_byte')
    })
    upstream.handle((request) => {
      const dialect = dialectOf(request)
      const begun = dialect.first(usualTokens) + dialect.piece(words[0])
      return [head, write(chunk(begun)), stall]
    })
    await inEach(async (dialect) => {
      const { id, text } = await hear(dialect, true, { model: 'hurried' })
      expectDead(dialect, text)
      expect(text).toContain('fell silent')
      expect(JSON.stringify(await recordOf(id))).toContain('timeout_idle')
    })
  }, 20_000)

  test('S2: a comment of the upstream itself is a sign of life, and passed on', async () => {
    const own = ': still there\n\n'
    upstream.handle((request) => {
      const dialect = dialectOf(request)
      return [
        ...[head, write(chunk(dialect.first(usualTokens)))],
        ...Array.from({ length: 6 }, () => [wait(200), write(chunk(own))]).flat(),
        ...[write(chunk(words.map(dialect.piece).join('') + dialect.last(usualTokens)))],
        write(lastChunk),
      ]
    })
    await inEach(async (dialect) => {
      const { text } = await hear(dialect, true, { model: 'hurried' })
      expect(without(text).replaceAll(own, '')).toBe(whole(dialect))
      expect(text.split(own).length).toBe(7)
    })
  })

  test('has heartbeats, and an answer that is none has not', async () => {
    upstream.handle((request) => [wait(600), write(wellWhole(dialectOf(request)))])
    await inEach(async (dialect) => {
      const { status, text } = await hear(dialect, false)
      expect([status, JSON.parse(text)]).toEqual([200, dialect.body(usualTokens)])
    })
  })
})

function expectDead(dialect: Dialect, text: string): void {
  expect(countOf(text)).toBeWithin(2, 7)
  expect(dialect.isError(without(text))).toBeTrue()
  expect(dialect.isWhole(without(text))).toBeFalse()
}

test('S1: an array of gemini has spaces between its elements', async () => {
  const elements = [dialects.gemini.piece(words[0]), dialects.gemini.last(usualTokens)].map(
    (frame) => frame.replace(/^data: /, '').trim(),
  )
  upstream.handle([
    ...[wait(600), write(httpHead({ framing: 'chunked' }))],
    ...[write(chunk(`[${elements[0]}`)), wait(500), write(chunk(`,\r\n${elements[1]}]`))],
    ...[write(lastChunk), end],
  ])
  const { status, pieces, text } = await hear(geminiArray, true)
  expect([status, pieces[0]?.text]).toEqual([200, '\n'])
  expect(JSON.parse(text)).toEqual(elements.map((element) => JSON.parse(element)))
  expect(text.trimStart()).not.toBe(text)
})

describe('S1: the vendors’ SDKs read over heartbeats', () => {
  const url = () => `http://127.0.0.1:${server.port}`
  const said = words.join('')
  const slowly = (request: FaultRequest): Steps => {
    const dialect = dialectOf(request)
    return [
      ...[wait(500), head, write(chunk(dialect.first(usualTokens) + dialect.piece(words[0])))],
      ...[wait(500), write(chunk(words.slice(1).map(dialect.piece).join('')))],
      ...[wait(500), write(chunk(dialect.last(usualTokens))), write(lastChunk)],
    ]
  }

  test('OpenAI’s, chat', async () => {
    upstream.handle(slowly)
    const client = new OpenAI({ baseURL: `${url()}/v1`, apiKey: testKey, maxRetries: 0 })
    const stream = await client.chat.completions.create({
      model: 'test-model',
      messages: [{ role: 'user', content: 'hello' }],
      stream: true,
    })
    let text = ''
    for await (const part of stream) text += part.choices[0]?.delta.content ?? ''
    expect(text).toBe(said)
  })

  test('OpenAI’s, responses', async () => {
    upstream.handle(slowly)
    const client = new OpenAI({ baseURL: `${url()}/v1`, apiKey: testKey, maxRetries: 0 })
    const stream = await client.responses.create({
      model: 'test-model',
      input: 'hello',
      stream: true,
    })
    let text = ''
    for await (const event of stream) {
      if (event.type === 'response.output_text.delta') text += event.delta
    }
    expect(text).toBe(said)
  })

  test('Anthropic’s', async () => {
    upstream.handle(slowly)
    const client = new Anthropic({ baseURL: url(), apiKey: testKey, maxRetries: 0 })
    const stream = client.messages.stream({
      ...{ model: 'test-model', max_tokens: 100 },
      messages: [{ role: 'user', content: 'hello' }],
    })
    expect(await stream.finalText()).toBe(said)
  })

  test('Google’s', async () => {
    upstream.handle(slowly)
    const client = new GoogleGenAI({ apiKey: testKey, httpOptions: { baseUrl: url() } })
    const stream = await client.models.generateContentStream({
      ...{ model: 'test-model', contents: 'hello' },
    })
    let text = ''
    for await (const part of stream) text += part.text ?? ''
    expect(text).toBe(said)
  })
})

test('what comes behind heartbeats is charged as any other answer', async () => {
  upstream.handle(late(600))
  const { id } = await hear(dialects.messages, true)
  const amount_nano = costNano(usualTokens)
  expect(await recordOf(id)).toMatchObject({ ending: 'complete', estimated: false, amount_nano })
})
