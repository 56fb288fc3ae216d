import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import OpenAI from 'openai'
import { dialects, wholeStream } from '../e2e/dialects.ts'
import { dialectOf, wantsStream } from '../e2e/translated.ts'
import { until } from '../e2e/until.ts'
import {
  type FakeHandler,
  type FakeUpstream,
  jsonAnswer,
  sseAnswer,
  startFakeUpstream,
} from '../support/fake-upstream.ts'
import { testKey } from '../support/tollgate-yaml.ts'
import { type Running, startServing } from './serving.ts'

// The legacy form, POST /v1/completions: native where a channel has it, else by chat completions, or by
// whatever the channel speaks. With the vendor's own SDK.

let upstream: FakeUpstream
let app: Running
let openai: OpenAI
const tokens = { input: 10, output: 5 }
const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 }
const foreign = ['chat', 'responses', 'messages', 'gemini'] as const

const textChunk = (text: string, reason: string | null = null) =>
  `data: ${JSON.stringify({
    ...{ id: 'cmpl-1', object: 'text_completion', created: 1, model: 'vendors' },
    choices: [{ text, index: 0, logprobs: null, finish_reason: reason }],
  })}\n\n`
const legacyStream = [
  textChunk('Yes'),
  textChunk('.', 'stop'),
  `data: ${JSON.stringify({ id: 'cmpl-1', object: 'text_completion', choices: [], usage })}\n\n`,
  'data: [DONE]\n\n',
].join('')
const legacyBody = {
  ...{ id: 'cmpl-1', object: 'text_completion', created: 1, model: 'vendors' },
  choices: [{ text: 'Yes.', index: 0, logprobs: null, finish_reason: 'stop' }],
  usage,
}

const answering: FakeHandler = (request) => {
  if (request.path === '/v1/completions')
    return wantsStream(request) ? sseAnswer(legacyStream) : jsonAnswer(legacyBody)
  const dialect = dialectOf(request)
  return wantsStream(request)
    ? sseAnswer(wholeStream(dialect, tokens, ['Yes', '.']))
    : jsonAnswer(dialect.body(tokens))
}

beforeAll(async () => {
  upstream = startFakeUpstream(answering)
  const channel = (name: string, speaks: object, more: object = {}) => ({
    ...{
      name,
      speaks,
      api_key: 'k',
      allow_private: true,
      models: [{ id: `on-${name}`, upstream: 'test-model' }],
      ...more,
    },
  })
  const v1 = `${upstream.url}/v1`
  app = await startServing({
    upstream: upstream.url,
    moreChannels: [
      channel('legacy', { chat: v1 }, { quirks: ['text_completions'] }),
      channel('chat', { chat: v1 }),
      channel('responses', { responses: v1 }),
      channel('messages', { messages: upstream.url }),
      channel('gemini', { gemini: upstream.url }),
    ],
    group: { channels: ['legacy', ...foreign] },
    prices: Object.fromEntries(
      ['legacy', ...foreign].map((name) => [`on-${name}`, { input: 1, output: 2 }]),
    ),
  })
  openai = new OpenAI({ apiKey: testKey, baseURL: `${app.serving.url}/v1`, maxRetries: 0 })
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await upstream.stop()
})
beforeEach(() => {
  upstream.clear()
  upstream.handle(answering)
})

const ask = (body: object, more: Record<string, string> = {}) =>
  app.ask('/v1/completions', { prompt: 'hello', ...body }, testKey, more)

async function recordOf(response: Response) {
  await response.clone().text()
  const id = response.headers.get('x-request-id')
  const rows = () => Array.fromAsync(app.instance.store.records.exportRequests({}))
  const find = async () => (await rows()).find(({ requestId }) => requestId === id)
  await until('the record', async () => (await find()) !== undefined)
  return find()
}

describe.each(['legacy', ...foreign])('on a channel of %s', (name) => {
  const model = `on-${name}`

  test('the SDK gets a whole answer, charged as one by chat completions', async () => {
    const answer = await openai.completions.create({ model, prompt: 'hello', max_tokens: 100 })
    expect(answer.object).toBe('text_completion')
    expect(answer.choices).toEqual([
      {
        text: expect.stringMatching(/^(Yes\.|hello)$/),
        index: 0,
        logprobs: null,
        finish_reason: 'stop',
      },
    ] as never)
    expect(answer.usage).toMatchObject(usage)
    const record = await recordOf(await ask({ model }))
    expect(record).toMatchObject({
      ...{ clientProtocol: 'chat', inputTokens: 10, outputTokens: 5, amountNano: 20_000 },
      estimated: false,
    })
  })

  test('and a stream, with the usage where it is asked for', async () => {
    const stream = await openai.completions.create({
      ...{ model, prompt: ['hello'], stream: true, stream_options: { include_usage: true } },
    })
    const chunks = await Array.fromAsync(stream)
    expect(chunks.every(({ object }) => object === 'text_completion')).toBeTrue()
    expect(chunks.map(({ choices }) => choices[0]?.text ?? '').join('')).toBe('Yes.')
    expect(chunks.flatMap(({ choices }) => choices[0]?.finish_reason ?? [])).toEqual(['stop'])
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage })

    const plain = await ask({ model, stream: true })
    const text = await plain.text()
    expect(text).toEndWith('data: [DONE]\n\n')
    expect(text).not.toContain('total_tokens')
  })

  test('an answer without a limit has 16 LLM tokens at most', async () => {
    await ask({ model })
    const sent = JSON.stringify(upstream.last().json())
    expect(sent).toMatch(
      /"(max_tokens|max_completion_tokens|max_output_tokens|maxOutputTokens)":16\b/,
    )
  })

  test('errors are in the shape of chat', async () => {
    upstream.handle(() => jsonAnswer({ error: { message: 'no', type: 'x', code: 1 } }, 500))
    const { status, error } = await openai.completions
      .create({ model, prompt: 'hello' })
      .then(() => ({ status: 200, error: undefined }))
      .catch((thrown) => thrown)
    expect([status, (error as { type: string }).type]).toEqual([502, 'api_error'])
  })
})

describe('by chat completions', () => {
  test('the prompt is the only message, and settings go with it', async () => {
    const settings = {
      temperature: 0.5,
      top_p: 0.9,
      stop: ['x'],
      seed: 7,
      user: 'u',
      service_tier: 'priority',
    }
    const answer = await ask({ model: 'on-chat', ...settings, n: 1, best_of: 1, tools: [{}] })
    expect(answer.headers.get('x-tollgate-dropped')).toBe('tools')
    expect(upstream.last().path).toBe('/v1/chat/completions')
    expect(upstream.last().json()).toMatchObject({
      ...settings,
      messages: [{ role: 'user', content: 'hello' }],
    })
  })

  test('n answers side by side', async () => {
    upstream.handle(() => {
      const body = dialects.chat.body(tokens) as { choices: object[] }
      return jsonAnswer({
        ...body,
        choices: [0, 1].map((index) => ({ ...body.choices[0], index })),
      })
    })
    const answer = await openai.completions.create({ model: 'on-chat', prompt: 'hello', n: 2 })
    expect(answer.choices.map(({ index, text }) => [index, text])).toEqual([
      [0, 'hello'],
      [1, 'hello'],
    ])
    expect(upstream.last().json()).toMatchObject({ n: 2 })
  })

  test.each([
    ['LLM tokens', { prompt: [1, 2, 3] }, 'prompt'],
    ['several prompts', { prompt: ['a', 'b'] }, 'prompt'],
    ['no prompt', { prompt: '' }, 'prompt'],
    ['suffix', { suffix: 'the end' }, 'suffix'],
    ['echo', { echo: true }, 'echo'],
    ['best_of', { best_of: 3 }, 'best_of'],
    ['logprobs', { logprobs: 2 }, 'logprobs'],
    ['max_tokens of 0', { max_tokens: 0 }, 'max_tokens'],
    ['what has no price', { service_tier: 'unheard-of' }, 'service_tier'],
  ] as const)('%s: refused by name, and nothing is asked', async (_, body, param) => {
    const answer = await ask({ model: 'on-chat', ...body })
    expect(answer.status).toBe(400)
    expect(((await answer.json()) as { error: { param: string } }).error.param).toBe(param)
    expect(upstream.requests).toHaveLength(0)
  })
})

describe('natively', () => {
  test('the bytes pass as they are, but for the limit of the answer', async () => {
    const body = { model: 'test-model', prompt: [[1, 2]], echo: true, logprobs: 2, max_tokens: 5 }
    expect((await ask({ ...body, model: 'on-legacy' })).status).toBe(200)
    expect(upstream.last().path).toBe('/v1/completions')
    expect(upstream.last().json()).toEqual(body)
    await ask({ model: 'on-legacy' })
    expect(upstream.last().json()).toMatchObject({ max_tokens: 16 })
  })

  test('what is neither text nor LLM tokens is refused: nobody knows what it counts as', async () => {
    for (const prompt of [[{ image: 'x' }], [1, 'a'], [[1, {}]], [[]]]) {
      const answer = await ask({ model: 'on-legacy', prompt })
      expect([prompt, answer.status, upstream.requests.length]).toEqual([prompt, 400, 0])
    }
  })

  test('a prompt that is read by another thread goes the same way', async () => {
    const prompt = Array.from({ length: 40_000 }, (_, at) => at)
    const body = { model: 'test-model', prompt, max_tokens: 5 }
    expect((await ask({ ...body, model: 'on-legacy' })).status).toBe(200)
    expect(upstream.last().json()).toEqual(body)
    const text = 'word '.repeat(400_000)
    const long = await ask({ model: 'on-chat', prompt: text, max_tokens: 5 })
    expect(long.status).toBe(200)
    const { messages } = upstream.last().json() as { messages: { content: string }[] }
    expect(messages[0]?.content === text).toBeTrue()
  })

  test('several prompts are refused: each would be a context of its own', async () => {
    const answer = await ask({ model: 'on-legacy', prompt: [[1], [2]] })
    expect([answer.status, upstream.requests.length]).toEqual([400, 0])
  })

  test('the best of several answers is reckoned as all of them', async () => {
    upstream.handle(() => jsonAnswer({ ...legacyBody, usage: undefined }))
    const record = await recordOf(await ask({ model: 'on-legacy', best_of: 4 }))
    expect(record).toMatchObject({ estimated: true, status: 200 })
  })
})

test('an answer that outgrows the money ends with an error of chat, and no [DONE]', async () => {
  const keyOf = (name: string) => `sk-little-${name}-0123456789abcdef`
  const emailOf = (name: string) => `little-${name}@example.com`
  const channel = (name: string, more: object = {}) => ({
    ...{ name, speaks: { chat: `${upstream.url}/v1` }, api_key: 'k', allow_private: true },
    models: [{ id: `on-${name}`, upstream: 'gpt-4o' }],
    ...more,
  })
  const names = ['chat', 'legacy'] as const
  await app.configure({
    moreAccounts: names.map((name) => ({
      ...{ email: emailOf(name), balance: 0.0003 },
      tokens: [{ name: 'little', key: keyOf(name), group: 'default' }],
    })),
    moreChannels: [channel('chat'), channel('legacy', { quirks: ['text_completions'] })],
    group: { channels: [...names] },
  })
  // The upstream does not keep to the limit of 16.
  upstream.handle((request) => {
    const isLegacy = request.path === '/v1/completions'
    const piece = isLegacy ? textChunk(' word') : dialects.chat.piece(' word')
    return sseAnswer((isLegacy ? '' : dialects.chat.first(tokens)) + piece.repeat(4000))
  })
  for (const name of names) {
    const asked = { model: `on-${name}`, prompt: 'hi', stream: true }
    const answer = await app.ask('/v1/completions', asked, keyOf(name))
    expect(answer.status).toBe(200)
    const text = await answer.text()
    expect(text.slice(text.lastIndexOf('data: '))).toMatch(/^data: \{"error":\{.*balance/)
    expect(text.split('word').length).toBeLessThan(1000)
    const account = await app.instance.store.admin.account(emailOf(name))
    expect(account?.balanceNano).toBeGreaterThan(-100_000)
    expect(account?.balanceNano).toBeLessThan(200_000)
  }
})

test('money is set aside as for chat completions: who can not pay is refused before', async () => {
  const poor = { ...{ email: 'poor@example.com', balance: 0.0000001 } }
  await app.configure({
    moreAccounts: [
      { ...poor, tokens: [{ name: 'p', key: 'sk-poor-0123456789abcdef', group: 'default' }] },
    ],
    moreChannels: [
      {
        ...{
          name: 'chat',
          speaks: { chat: `${upstream.url}/v1` },
          api_key: 'k',
          allow_private: true,
        },
        models: ['on-chat'],
      },
    ],
    group: { channels: ['chat'] },
  })
  const answer = await app.ask(
    '/v1/completions',
    { model: 'on-chat', prompt: 'hello' },
    'sk-poor-0123456789abcdef',
  )
  expect([answer.status, answer.headers.get('x-tollgate-reason')]).toEqual([401, 'balance'])
  expect(upstream.requests).toHaveLength(0)
})
