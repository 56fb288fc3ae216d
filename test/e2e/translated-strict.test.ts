import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type RunningBinary, startBinary } from '../support/binary.ts'
import {
  type FakeUpstream,
  jsonAnswer,
  sseAnswer,
  startFakeUpstream,
} from '../support/fake-upstream.ts'
import { speaksAt, testKey, tollgateYaml, upstreamKey } from '../support/tollgate-yaml.ts'
import { type Dialect, dialects, wholeStream } from './dialects.ts'
import { dialectOf, wantsStream } from './translated.ts'

// What a channel can't express: named, or refused where the client, or its token, wants it so.

const tokens = { input: 10, output: 5 }
const strictKey = 'sk-test-strict-0123456789abcdefghij'
type Protocols = readonly Dialect['name'][]
/** Groups by the protocols of their channels, in the order in which these are asked. */
const groups: Readonly<Record<string, readonly Protocols[]>> = {
  messages: [['messages']],
  both: [['chat', 'responses']],
  second: [['messages'], ['chat']],
  native: [['chat'], ['messages']],
  gemini: [['gemini']],
  fetching: [['gemini'], ['messages']],
}
const keyOf = (group: string) => `sk-test-${group}-0123456789abcdefghij`

let upstream: FakeUpstream
let gateway: RunningBinary
beforeAll(async () => {
  upstream = startFakeUpstream((request) => {
    const dialect = dialectOf(request)
    if (request.text().includes('refuse me')) return jsonAnswer({ error: { message: 'no' } }, 400)
    return wantsStream(request)
      ? sseAnswer(wholeStream(dialect, tokens, ['Hello']))
      : jsonAnswer(dialect.body(tokens))
  })
  const channels = Object.entries(groups).flatMap(([group, list]) =>
    list.map((spoken, priority) => ({
      ...{ name: `${group}-${priority}`, priority, speaks: speaksAt(upstream.url, spoken) },
      ...{ api_key: upstreamKey, models: ['test-model'], allow_private: true },
    })),
  )
  gateway = await startBinary({
    config: (listen) =>
      tollgateYaml({
        ...{ listen, upstream: upstream.url, moreChannels: channels },
        moreGroups: Object.entries(groups).map(([name, list]) => ({
          name,
          channels: list.map((_, priority) => `${name}-${priority}`),
        })),
        moreAccounts: [
          {
            ...{ email: 'other@example.com', balance: 10 },
            tokens: [
              ...Object.keys(groups).map((group) => ({ name: group, group, key: keyOf(group) })),
              { name: 'strict', group: 'messages', key: strictKey, strict: true },
            ],
          },
        ],
      }),
  })
})
afterAll(async () => {
  await gateway.stop()
  await upstream.stop()
})

interface Call {
  readonly key: string
  readonly client?: Dialect
  readonly stream?: boolean
  readonly strict?: string
  /** Added to the request. */
  readonly fields?: object
}

async function call({ key, client = dialects.chat, stream = false, strict, fields = {} }: Call) {
  upstream.clear()
  const answer = await fetch(gateway.url + client.path(stream), {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, ...(strict && { 'x-tollgate-strict': strict }) },
    body: JSON.stringify({ ...client.request(stream), ...fields }),
    proxy: false,
  })
  const text = await answer.text()
  return {
    status: answer.status,
    dropped: answer.headers.get('x-tollgate-dropped'),
    param: /"param":"([^"]*)"/.exec(text)?.[1],
    text,
    asked: upstream.requests.map((request) => dialectOf(request).name),
  }
}

const messagesKey = keyOf('messages')
const hints = { seed: 7, logit_bias: { 1: 2 }, temperature: 0.5 }

describe('what is left out is named', () => {
  test.each([false, true])('in the header of the answer (streamed: %p)', async (stream) => {
    const { status, dropped, asked } = await call({ key: messagesKey, stream, fields: hints })
    expect({ status, dropped, asked }).toEqual({
      ...{ status: 200, dropped: 'seed, logit_bias', asked: ['messages'] },
    })
  })

  test('in that of a refusal, too', async () => {
    const fields = { ...hints, messages: [{ role: 'user', content: 'refuse me' }] }
    const { status, dropped } = await call({ key: messagesKey, fields })
    expect({ status, dropped }).toEqual({ status: 400, dropped: 'seed, logit_bias' })
  })

  test('nothing is, where all is carried, or passes as it is', async () => {
    const carried = await call({ key: messagesKey, fields: { temperature: 0.5 } })
    const passed = await call({ key: testKey, fields: hints })
    expect([carried.dropped, passed.dropped]).toEqual([null, null])
  })

  test('fields of any name make a header', async () => {
    const fields = { 'a\r\nx-evil: 1': 1, 字段: 2, '': 3, [`${'long'.repeat(100)}`]: 4, 'a,b': 5 }
    const { status, dropped } = await call({ key: messagesKey, fields })
    expect(status).toBe(200)
    expect(dropped).toMatch(/^[\x20-\x7e]+$/)
    expect(dropped?.split(', ').length).toBe(5)
  })
})

describe('with x-tollgate-strict', () => {
  test.each(['true', 'TRUE', ' true '])('%j: it is a 400 that names the field', async (strict) => {
    for (const stream of [false, true]) {
      const { status, param, asked, text } = await call({
        key: messagesKey,
        strict,
        stream,
        fields: hints,
      })
      expect({ status, param, asked }).toEqual({ status: 400, param: 'seed', asked: [] })
      expect(text).toContain('"code":"unsupported_parameter"')
    }
  })

  test.each(['false', '0', '', 'yes'])('%j: it is not', async (strict) => {
    const { status, dropped } = await call({ key: messagesKey, strict, fields: hints })
    expect({ status, dropped }).toEqual({ status: 200, dropped: 'seed, logit_bias' })
  })

  test('the token may say it, and the header does not take it back', async () => {
    for (const strict of [undefined, 'false']) {
      const { status, param } = await call({
        key: strictKey,
        fields: hints,
        ...(strict && { strict }),
      })
      expect({ status, param }).toEqual({ status: 400, param: 'seed' })
    }
    const fine = await call({ key: strictKey })
    expect({ status: fine.status, dropped: fine.dropped }).toEqual({ status: 200, dropped: null })
  })

  test('what is carried passes', async () => {
    const { status } = await call({
      key: messagesKey,
      strict: 'true',
      fields: { temperature: 0.5 },
    })
    expect(status).toBe(200)
  })
})

describe('channels are chosen by what they can express', () => {
  const geminiHints = { generationConfig: { seed: 7 } }
  const asking = { client: dialects.gemini, key: keyOf('both'), fields: geminiHints }

  test('the protocol of a channel that carries most, and another when that refuses', async () => {
    const relaxed = await call(asking)
    expect([relaxed.asked, relaxed.dropped]).toEqual([['responses'], 'generationConfig.seed'])
    const strict = await call({ ...asking, strict: 'true' })
    expect([strict.asked, strict.dropped]).toEqual([['chat'], null])
  })

  test('a channel that can’t is passed over', async () => {
    const fields = { n: 2 } // messages gives one answer
    const { status, asked } = await call({ key: keyOf('second'), fields })
    expect({ status, asked }).toEqual({ status: 200, asked: ['chat'] })
    const refused = await call({ key: messagesKey, fields })
    expect([refused.status, refused.param, refused.asked]).toEqual([400, 'n', []])
  })

  test('a channel of the client’s own protocol comes first in its priority', async () => {
    const { asked, dropped } = await call({ key: keyOf('native'), strict: 'true', fields: hints })
    expect([asked, dropped]).toEqual([['chat'], null])
  })

  const image = { type: 'image_url', image_url: { url: 'http://127.0.0.1:2/x.png' } }
  const question = { role: 'user', content: [{ type: 'text', text: 'What is it?' }, image] }

  test('X1: a file that the gateway may not fetch is a 400 that names the field', async () => {
    for (const stream of [false, true]) {
      const fields = { messages: [question] }
      const { status, param, asked } = await call({ key: keyOf('gemini'), stream, fields })
      expect({ status, param, asked }).toEqual({
        ...{ status: 400, param: 'messages[0].content[1]', asked: [] },
      })
    }
  })

  test('but the next channel may fetch it by itself', async () => {
    const fields = { messages: [question] }
    const { status, asked } = await call({ key: keyOf('fetching'), fields })
    expect({ status, asked }).toEqual({ status: 200, asked: ['messages'] })
  })
})
