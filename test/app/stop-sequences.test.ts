import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { type Dialect, dialects } from '../e2e/dialects.ts'
import { spoken, violations, wantsStream } from '../e2e/translated.ts'
import { type FakeUpstream, jsonAnswer, startFakeUpstream } from '../support/fake-upstream.ts'
import { speaksAt, testKey, upstreamKey } from '../support/tollgate-yaml.ts'
import { type Running, startServing } from './serving.ts'

// Responses have no stop sequences: the gateway ends the answer there, and whatever the vendor bills is paid.

const { chat, responses, messages, gemini } = dialects
const tokens = { input: 10, output: 50 }
/** One whose models reason unseen, one whose do not, and a group that has all answers read to their end. */
const models = ['test-model', 'plain-model']
const drainKey = 'sk-test-draining-0123456789abcdefghij'

let upstream: FakeUpstream
let app: Running
/** Pieces of the next answers; whether they end; what became of the last one. */
let pieces: readonly string[] = []
let isEndless = false
let wasStopped: Promise<void>

beforeAll(async () => {
  upstream = startFakeUpstream((request) => {
    if (!wantsStream(request)) {
      const body = JSON.stringify(responses.body(tokens)).replace('hello', pieces.join(''))
      return jsonAnswer(JSON.parse(body))
    }
    let stopped = () => {}
    wasStopped = new Promise((resolve) => {
      stopped = resolve
    })
    const text = responses.first(tokens) + pieces.map(responses.piece).join('')
    const stream = new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode(text))
        if (isEndless) return
        controller.enqueue(new TextEncoder().encode(responses.last(tokens)))
        controller.close()
      },
      cancel: () => stopped(),
    })
    return new Response(stream, { headers: { 'content-type': 'text/event-stream' } })
  })
  const channel = {
    ...{ name: 'main', api_key: upstreamKey, allow_private: true },
    models: ['test-model', { id: 'plain-model', upstream: 'gpt-4o' }],
    speaks: speaksAt(upstream.url, ['responses']),
  }
  app = await startServing({
    upstream: upstream.url,
    models,
    channel,
    moreGroups: [{ name: 'draining', channels: ['main'], on_disconnect: 'drain' }],
    moreAccounts: [
      {
        ...{ email: 'other@example.com', balance: 100 },
        tokens: [{ name: 'draining', group: 'draining', key: drainKey }],
      },
    ],
  })
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await upstream.stop()
})
beforeEach(() => {
  upstream.clear()
  pieces = ['one ', 'E', 'ND', ' two']
  isEndless = false
})

const stops = new Map<Dialect, object>([
  [chat, { stop: 'END' }],
  [messages, { stop_sequences: ['never', 'END'] }],
  [gemini, { generationConfig: { stopSequences: ['END'] } }],
])
const clients = [...stops.keys()]

interface Asked {
  readonly model?: string
  readonly stream?: boolean
  readonly key?: string
  readonly fields?: object
}

async function ask(
  client: Dialect,
  { model = 'test-model', stream = false, key = testKey, fields = stops.get(client) }: Asked = {},
) {
  const body = { ...client.request(stream), ...(client === gemini ? {} : { model }), ...fields }
  const path = client.path(stream).replace('test-model', model)
  const answer = await app.ask(path, body, key)
  const text = await answer.text()
  const requestId = answer.headers.get('x-request-id') ?? ''
  const receipt = async () => (await app.instance.store.records.receipt(requestId))?.request
  return { status: answer.status, dropped: answer.headers.get('x-tollgate-dropped'), text, receipt }
}

/** What the client was told of the end, and of the output. */
const endings = new Map<Dialect, (text: string) => unknown>([
  [chat, (text) => [/"finish_reason":"(\w+)"/.exec(text)?.[1]]],
  [
    messages,
    (text) => [
      ...[/"stop_reason":"(\w+)"/.exec(text)?.[1], /"stop_sequence":"(\w+)"/.exec(text)?.[1]],
    ],
  ],
  [gemini, (text) => [/"finishReason":"(\w+)"/.exec(text)?.[1]]],
])
const expectedEnd = new Map<Dialect, readonly string[]>([
  [chat, ['stop']],
  [messages, ['stop_sequence', 'END']],
  [gemini, ['STOP']],
])

describe('a stop sequence on a responses channel', () => {
  test.each(clients)('cuts a whole answer for $name', async (client) => {
    const { status, dropped, text, receipt } = await ask(client)
    expect([status, dropped]).toEqual([200, null])
    expect(text).toContain('"one "')
    expect(text).not.toContain('two')
    expect(endings.get(client)?.(text)).toEqual(expectedEnd.get(client))
    expect(await receipt()).toMatchObject({ outputTokens: 50, estimated: false })
  })

  test.each(clients)(
    'cuts a stream for $name; what is not seen is read to its end',
    async (client) => {
      const { text, receipt } = await ask(client, { stream: true })
      expect(spoken(client, text)).toBe('one ')
      expect(violations(client, text, 'complete')).toEqual([])
      expect(endings.get(client)?.(text)).toEqual(expectedEnd.get(client))
      expect(await receipt()).toMatchObject({
        ...{ ending: 'complete', inputTokens: 10, outputTokens: 50, estimated: false },
      })
    },
  )

  test.each(clients)('stops the upstream where all is seen, for $name', async (client) => {
    isEndless = true
    const { text, receipt } = await ask(client, { stream: true, model: 'plain-model' })
    await wasStopped
    expect(spoken(client, text)).toBe('one ')
    expect(violations(client, text, 'complete')).toEqual([])
    expect(endings.get(client)?.(text)).toEqual(expectedEnd.get(client))
    const request = await receipt()
    expect(request).toMatchObject({ ending: 'complete', cause: null, estimated: true })
    expect(request?.inputTokens).toBeGreaterThan(0)
    expect(request?.outputTokens).toBeGreaterThan(0)
    expect(request?.amountNano).toBeGreaterThan(0)
    if (client !== chat) return
    const told = /"prompt_tokens":(\d+),"completion_tokens":(\d+)/.exec(text)?.slice(1).map(Number)
    expect(told).toEqual([request?.inputTokens ?? 0, request?.outputTokens ?? 0])
  })

  test('a group that reads all answers to their end reads these, too', async () => {
    const { text, receipt } = await ask(chat, { stream: true, model: 'plain-model', key: drainKey })
    expect(spoken(chat, text)).toBe('one ')
    expect(await receipt()).toMatchObject({ outputTokens: 50, estimated: false })
  })

  test('that does not come changes nothing', async () => {
    pieces = ['one ', 'E', 'N', ' two', ' EN']
    for (const client of clients) {
      const { text } = await ask(client, { stream: true })
      expect(spoken(client, text)).toBe('one EN two EN')
    }
  })

  test.each<[string, unknown]>([
    ['too many', Array.from({ length: 65 }, (_, at) => `${at}`)],
    ['one that is too long', ['x'.repeat(1_001)]],
  ])('%s are refused by name', async (_, stop) => {
    const { status, text } = await ask(chat, { fields: { stop } })
    expect(status).toBe(400)
    expect(text).toContain('stop must be at most 64 texts of at most 1000 characters')
  })
})
