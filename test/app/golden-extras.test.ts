import { afterAll, beforeAll, expect, test } from 'bun:test'
import { verify } from '../../src/app/verify/verify.ts'
import { type FakeUpstream, jsonAnswer, startFakeUpstream } from '../support/fake-upstream.ts'
import { type Running, startServing } from './serving.ts'

// Bills of what vendors charge beside text tokens, through the whole app and in each vendor's own
// words. The model costs 1 in and 5 out (USD per 1M): 1,000 in and 100 out are 1,500,000 nano-USD.

const prices = {
  // The vendor of the protocol says what tools and tiers cost.
  golden: { input: 1, output: 5, cache_read: 0.1, input_audio: 7, output_audio: 20 },
  own: {
    ...{ input: 1, output: 5 },
    tools: { web_search: 20, file_search: 'free' },
    service_tiers: { priority: 1.5 },
  },
}

let upstream: FakeUpstream
let running: Running
let answer: object
beforeAll(async () => {
  upstream = startFakeUpstream(() => jsonAnswer(answer))
  running = await startServing({
    upstream: upstream.url,
    models: ['golden', 'own', 'gemini-2.5-golden', 'claude-opus-4-5'],
    onlyPrices: {
      ...{ ...prices, 'gemini-2.5-golden': prices.golden },
      'claude-opus-4-5': { input: 1, output: 5 },
    },
  })
})
afterAll(async () => {
  await running[Symbol.asyncDispose]()
  await upstream[Symbol.asyncDispose]()
})

const message = (usage: object) => ({
  ...{ id: 'msg_1', type: 'message', role: 'assistant', model: 'golden' },
  ...{ content: [{ type: 'text', text: 'hi' }], stop_reason: 'end_turn', stop_sequence: null },
  usage: { input_tokens: 1000, output_tokens: 100, ...usage },
})
const completion = (usage: object, more: object = {}) => ({
  ...{ id: 'c', object: 'chat.completion', created: 1, model: 'golden' },
  choices: [{ index: 0, message: { role: 'assistant', content: 'hi' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 1000, completion_tokens: 100, total_tokens: 1100, ...usage },
  ...more,
})
const response = (more: object) => ({
  ...{ id: 'resp_1', object: 'response', created_at: 1, status: 'completed', model: 'golden' },
  output: [],
  usage: { input_tokens: 1000, output_tokens: 100, total_tokens: 1100 },
  ...more,
})
const search = (id: string) => ({ id, type: 'web_search_call', status: 'completed' })

const user = [{ role: 'user', content: 'hi' }]
const messages = (model: string) => ({ model, max_tokens: 200, messages: user })
const chat = (model: string) => ({ model, messages: user })
const contents = { contents: [{ role: 'user', parts: [{ text: 'hi' }] }] }

type Case = readonly [name: string, path: string, body: object, answer: object, nano: number]
const cases: readonly Case[] = [
  // 1,500,000 + 3 × 10,000,000
  [
    'messages: searches',
    '/v1/messages',
    messages('golden'),
    message({ server_tool_use: { web_search_requests: 3 } }),
    31_500_000,
  ],
  // 1,500,000 × 6 × 1.1
  [
    'messages: fast, in the US',
    '/v1/messages',
    messages('golden'),
    message({ speed: 'fast', inference_geo: 'us', service_tier: 'standard' }),
    9_900_000,
  ],
  // 600 × 1,000 + 400 × 7,000 + 60 × 5,000 + 40 × 20,000
  [
    'chat: sound in and out',
    '/v1/chat/completions',
    chat('golden'),
    completion({
      prompt_tokens_details: { audio_tokens: 400, cached_tokens: 0 },
      completion_tokens_details: { audio_tokens: 40 },
    }),
    4_500_000,
  ],
  // × 1.5 by the model's own price
  [
    'chat: the priority tier',
    '/v1/chat/completions',
    chat('own'),
    completion({}, { service_tier: 'priority' }),
    2_250_000,
  ],
  // 1,500,000 + 2 × 20,000,000
  [
    'responses: searches at the model’s own price',
    '/v1/responses',
    { model: 'own', input: 'hi', tools: [{ type: 'web_search' }] },
    response({ output: [search('ws_1'), search('ws_2')] }),
    41_500_000,
  ],
  // 1,500,000 × 2
  [
    'responses: the priority tier by the vendor’s list',
    '/v1/responses',
    { model: 'golden', input: 'hi', service_tier: 'priority' },
    response({ service_tier: 'priority' }),
    3_000_000,
  ],
  // 750 × 1,000 + 250 × 7,000 + 500,000 + 35,000,000
  [
    'gemini: sound, and a prompt that was grounded',
    '/v1beta/models/gemini-2.5-golden:generateContent',
    { ...contents, tools: [{ google_search: {} }] },
    {
      modelVersion: 'gemini-2.5-flash',
      candidates: [
        {
          content: { role: 'model', parts: [{ text: 'hi' }] },
          finishReason: 'STOP',
          groundingMetadata: { webSearchQueries: ['a', 'b'] },
        },
      ],
      usageMetadata: {
        ...{ promptTokenCount: 1000, candidatesTokenCount: 100, totalTokenCount: 1100 },
        promptTokensDetails: [
          { modality: 'TEXT', tokenCount: 750 },
          { modality: 'AUDIO', tokenCount: 250 },
        ],
      },
    },
    38_000_000,
  ],
]

test.each(cases)('%s', async (_, path, body, given, nano) => {
  answer = given
  const answered = await running.ask(path, body)
  expect(answered.status).toBe(200)
  await answered.text()
  const rows = await running.instance.store.records.receipt(
    answered.headers.get('x-request-id') ?? '',
  )
  expect(rows?.request.amountNano).toBe(nano)
  expect(rows?.ledgerAmountNano).toBe(-nano)
})

test('messages: all input of a request whose header asks for a larger context than is usual', async () => {
  answer = message({ input_tokens: 900_000 })
  const beta = { 'anthropic-beta': 'prompt-caching-2024-07-31,context-1m-2025-08-07' }
  const charged = async (more: object) => {
    const asked = { ...messages('claude-opus-4-5'), model: 'claude-opus-4-5' }
    const answered = await running.ask('/v1/messages', asked, undefined, more)
    await answered.text()
    const id = answered.headers.get('x-request-id') ?? ''
    return (await running.instance.store.records.receipt(id))?.request
  }
  const large = { amountNano: 900_500_000, inputTokens: 900_000, clamped: false }
  expect(await charged(beta)).toMatchObject(large)
  // Without it the model can't have read so much.
  expect(await charged({})).toMatchObject({ inputTokens: 200_000, clamped: true })
})

test('verify works all of them out anew, and finds nothing', async () => {
  const found: unknown[] = []
  await verify({
    store: running.instance.store.verification,
    since: 0,
    tick: () => 0,
    onProgress: () => {},
    onFound: async (differences) => void found.push(...differences),
  })
  expect(found).toEqual([])
})
