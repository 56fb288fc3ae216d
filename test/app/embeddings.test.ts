import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { GoogleGenAI } from '@google/genai'
import OpenAI from 'openai'
import { until } from '../e2e/until.ts'
import {
  type FakeHandler,
  type FakeUpstream,
  jsonAnswer,
  startFakeUpstream,
} from '../support/fake-upstream.ts'
import { testKey } from '../support/tollgate-yaml.ts'
import { type Running, startServing } from './serving.ts'

// Embeddings between chat and gemini: the vendors' own SDKs on a channel of the other protocol.

let upstream: FakeUpstream
let app: Running
let openai: OpenAI
let google: GoogleGenAI
/** What the upstream reports; undefined: nothing. */
let usage: object | undefined

const vectors = [
  [0.6, -0.8],
  [0.28, 0.96],
]
const long = [0.12345678901234568, -0.9923496584]

const handler: FakeHandler = ({ path, json }) => {
  if (path.endsWith(':batchEmbedContents')) {
    const { requests } = json() as { requests: unknown[] }
    const embeddings = requests.map((_, at) => ({ values: vectors[at % 2] }))
    return jsonAnswer({ embeddings, ...(usage && { usageMetadata: usage }) })
  }
  const { input } = json() as { input: string[] }
  const data = input.map((_, index) => ({
    object: 'embedding',
    index,
    embedding: vectors[index % 2],
  }))
  return jsonAnswer({
    object: 'list',
    data: data.toReversed(),
    model: 'v',
    ...(usage && { usage }),
  })
}

beforeAll(async () => {
  upstream = startFakeUpstream(handler)

  const channel = (name: string, speaks: object) => ({
    ...{ name, speaks, api_key: 'k', allow_private: true },
    models: [{ id: name, upstream: `vendors-${name}` }],
  })
  app = await startServing({
    upstream: upstream.url,
    moreChannels: [
      channel('on-gemini', { gemini: upstream.url }),
      channel('on-chat', { chat: `${upstream.url}/v1` }),
    ],
    group: { channels: ['main', 'on-gemini', 'on-chat'] },
    prices: { 'on-gemini': { input: 1, output: 0 }, 'on-chat': { input: 1, output: 0 } },
  })
  openai = new OpenAI({ apiKey: testKey, baseURL: `${app.serving.url}/v1`, maxRetries: 0 })
  google = new GoogleGenAI({ apiKey: testKey, httpOptions: { baseUrl: app.serving.url } })
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await upstream.stop()
})
beforeEach(() => {
  upstream.clear()
  usage = undefined
})

const requestOf = async (response: Response) => {
  const id = response.headers.get('x-request-id')
  let found: Record<string, unknown> | undefined
  await until('the record', async () => {
    const rows = await Array.fromAsync(app.instance.store.records.exportRequests({}))
    found = rows.find(({ requestId }) => requestId === id) as typeof found
    return found !== undefined
  })
  return found
}
const post = (path: string, body: object, more: Record<string, string> = {}) =>
  app.ask(path, body, testKey, more)

describe('a chat client on a gemini channel', () => {
  const ask = (body: object, more?: Record<string, string>) =>
    post('/v1/embeddings', { model: 'on-gemini', ...body }, more)

  test('gets its vectors from the SDK, which asks for base64 by itself', async () => {
    usage = { promptTokenCount: 7 }
    const answer = await openai.embeddings.create({
      ...{ model: 'on-gemini', input: ['one', 'two'], dimensions: 2 },
    })
    expect(answer.data.map(({ embedding, index }) => [index, embedding])).toEqual(
      vectors.map((vector, index) => [index, vector.map(Math.fround)]),
    )
    expect(answer.usage).toEqual({ prompt_tokens: 7, total_tokens: 7 })
    expect(answer.model).toBe('on-gemini')
    expect(upstream.last().path).toBe('/v1beta/models/vendors-on-gemini:batchEmbedContents')
    expect(upstream.last().json()).toEqual({
      requests: ['one', 'two'].map((text) => ({
        model: 'models/vendors-on-gemini',
        content: { parts: [{ text }] },
        outputDimensionality: 2,
      })),
    })
  })

  test('pays for an answer that can’t be translated, as for any that was made: nobody is asked again', async () => {
    upstream.handle(() =>
      jsonAnswer({ embeddings: [{ values: [1] }], usageMetadata: { promptTokenCount: 900 } }),
    )
    const answer = await ask({ input: ['one', 'two'] })
    upstream.handle(handler)
    expect(answer.status).toBe(502)
    expect(upstream.requests).toHaveLength(1)
    expect(await requestOf(answer)).toMatchObject({ inputTokens: 900, amountNano: 900_000 })
  })

  test('is charged as the upstream reports, or by a count that is marked as one', async () => {
    usage = { promptTokenCount: 7 }
    const told = await requestOf(await ask({ input: 'hello' }))
    expect(told).toMatchObject({ inputTokens: 7, estimated: false, amountNano: 7_000 })
    usage = undefined
    const counted = await requestOf(await ask({ input: 'hello hello hello' }))
    expect(counted).toMatchObject({ estimated: true, status: 200 })
    expect(counted?.amountNano).toBeGreaterThan(0)
    expect(counted).toMatchObject({ clientProtocol: 'chat', upstreamProtocol: 'gemini' })
  })

  test('numbers arrive as they are, but for vectors that are not of length 1', async () => {
    upstream.handle(() => jsonAnswer({ embeddings: [{ values: long }, { values: [3, 4] }] }))
    const answer = (await (
      await ask({ input: ['a', 'b'] })
    ).json()) as OpenAI.CreateEmbeddingResponse
    expect(answer.data.map(({ embedding }) => embedding)).toEqual([long, [0.6, 0.8]])
    upstream.handle(handler)
  })

  test('what the vendor has no word for is named, or refused where the request is strict', async () => {
    const body = { input: 'x', user: 'u', truncate: true }
    expect((await ask(body)).headers.get('x-tollgate-dropped')).toBe('user, truncate')
    const strict = await ask(body, { 'x-tollgate-strict': 'true' })
    expect(strict.status).toBe(400)
    expect(((await strict.json()) as { error: { param: string } }).error.param).toBe('user')
  })

  test.each([
    ['LLM tokens', { input: [1, 2, 3] }, 'input', /LLM tokens/],
    ['lists of them', { input: ['a', [1, 2]] }, 'input[1]', /LLM tokens/],
    ['an object', { input: [{ text: 'a' }] }, 'input[0]', /text/],
    ['no text', { input: [] }, 'input', /at least one/],
    ['101 texts', { input: Array.from({ length: 101 }, () => 'a') }, 'input', /at most 100/],
    ['5 MiB', { input: 'a '.repeat(2.5 * 1_048_576) }, 'input', /larger than 4 MiB/],
    ['half a dimension', { input: 'a', dimensions: 1.5 }, 'dimensions', /integer/],
    ['another format', { input: 'a', encoding_format: 'int8' }, 'encoding_format', /base64/],
  ] as const)('%s: refused by name, and nothing is asked', async (_, body, param, says) => {
    const answer = await ask(body)
    expect(answer.status).toBe(400)
    const { error } = (await answer.json()) as { error: { param: string; message: string } }
    expect([error.param, error.message]).toEqual([param, expect.stringMatching(says)])
    expect(upstream.requests).toHaveLength(0)
  })

  test('an answer with too few vectors is the upstream’s fault', async () => {
    upstream.handle(() => jsonAnswer({ embeddings: [{ values: [1] }] }))
    expect((await ask({ input: ['a', 'b'] })).status).toBe(502)
    upstream.handle(() =>
      jsonAnswer({ error: { code: 400, message: 'too long', status: 'INVALID_ARGUMENT' } }, 400),
    )
    const refused = await ask({ input: 'a' })
    expect([refused.status, await refused.text()]).toEqual([
      400,
      expect.stringContaining('too long'),
    ])
    upstream.handle(handler)
  })
})

describe('a gemini client on a chat channel', () => {
  const one = '/v1beta/models/on-chat:embedContent'
  const many = '/v1beta/models/on-chat:batchEmbedContents'
  const content = { parts: [{ text: 'hello' }] }

  test('gets its vectors from the SDK', async () => {
    usage = { prompt_tokens: 9, total_tokens: 9 }
    const answer = await google.models.embedContent({
      ...{ model: 'on-chat', contents: ['one', 'two'] },
      config: { outputDimensionality: 2, taskType: 'RETRIEVAL_QUERY' },
    })
    expect(answer.embeddings?.map(({ values }) => values)).toEqual(vectors)
    expect(upstream.last().path).toBe('/v1/embeddings')
    expect(upstream.last().json()).toEqual({
      ...{ model: 'vendors-on-chat', input: ['one', 'two'], dimensions: 2 },
      encoding_format: 'float',
    })
  })

  test('one text, or several; task types and titles are named', async () => {
    usage = { prompt_tokens: 9, total_tokens: 9 }
    const single = await post(one, { content, taskType: 'CLUSTERING', title: 't' })
    expect(single.headers.get('x-tollgate-dropped')).toBe('taskType, title')
    expect(await single.json()).toMatchObject({
      embedding: { values: vectors[0] },
      usageMetadata: { promptTokenCount: 9 },
    })
    expect(await requestOf(single)).toMatchObject({ inputTokens: 9, amountNano: 9_000 })
    const requests = [{ content }, { content, task_type: 'X', model: 'models/on-chat' }]
    const batch = await post(many, { requests })
    expect(batch.headers.get('x-tollgate-dropped')).toBe('requests[1].task_type')
    expect(((await batch.json()) as { embeddings: unknown[] }).embeddings).toHaveLength(2)
  })

  test.each([
    ['a picture', one, { content: { parts: [{ inlineData: {} }] } }, 'content.parts[0]'],
    ['no part', one, { content: { parts: [] } }, 'content.parts'],
    ['another model', one, { content, model: 'models/other' }, 'model'],
    [
      'lengths that differ',
      many,
      { requests: [{ content, outputDimensionality: 2 }, { content }] },
      'requests[1].outputDimensionality',
    ],
    ['101 texts', many, { requests: Array.from({ length: 101 }, () => ({ content })) }, 'requests'],
  ] as const)('%s: refused by name, and nothing is asked', async (_, path, body, param) => {
    const answer = await post(path, body)
    expect(answer.status).toBe(400)
    const { error } = (await answer.json()) as { error: { message: string } }
    expect(error.message.startsWith(param)).toBeTrue()
    expect(upstream.requests).toHaveLength(0)
  })
})

test('natively the bytes pass as they are', async () => {
  const body = { model: 'test-model', input: [[1, 2], [3]], encoding_format: 'base64' }
  upstream.handle(() => jsonAnswer({ object: 'list', data: [], usage: { total_tokens: 3 } }))
  expect((await post('/v1/embeddings', body)).status).toBe(200)
  expect(upstream.last().json()).toEqual(body)
  upstream.handle(handler)
})
