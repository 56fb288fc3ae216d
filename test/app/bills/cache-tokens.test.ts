import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { allDialects, dialects } from '../../e2e/dialects.ts'
import { jsonAnswer, sseAnswer } from '../../support/fake-upstream.ts'
import { type PricedScene, startPricedScene } from './priced-scene.ts'
import { tellers } from './told-answers.ts'

let scene: PricedScene
beforeAll(async () => {
  scene = await startPricedScene()
})
afterAll(() => scene[Symbol.asyncDispose]())

const sse = (...events: readonly object[]) =>
  sseAnswer(
    events
      .map((one) => `event: ${'type' in one && one.type}\ndata: ${JSON.stringify(one)}\n\n`)
      .join(''),
  )

describe('B3: cache writes for 5 minutes and for an hour are charged once', () => {
  const split = (fiveMinutes: number, oneHour: number) => ({
    cache_creation: {
      ephemeral_5m_input_tokens: fiveMinutes,
      ephemeral_1h_input_tokens: oneHour,
    },
  })
  const written = (cache_creation_input_tokens: number) => ({ cache_creation_input_tokens })
  const start = (usage: object) => ({
    type: 'message_start',
    message: { id: 'msg_1', type: 'message', role: 'assistant', content: [], usage },
  })
  const end = (usage: object) => [
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage },
    { type: 'message_stop' },
  ]
  const first = { input_tokens: 10, output_tokens: 1 }
  const last = { output_tokens: 20 }
  // 10 × 1,000 + 20 × 5,000, without the cache.
  const rest = 110_000

  test.each([
    // The last word on their life counts: 900 × 1,250, not 900 × 1,250 + 900 × 2,000.
    [
      '1h, then 5m',
      { ...written(900), ...split(0, 900) },
      { ...written(900), ...split(900, 0) },
      1_125_000,
    ],
    ['the same without their sum', split(0, 900), split(900, 0), 1_125_000],
    // 900 × 2,000
    [
      '5m, then 1h',
      { ...written(900), ...split(900, 0) },
      { ...written(900), ...split(0, 900) },
      1_800_000,
    ],
    ['the same without their sum, turned', split(900, 0), split(0, 900), 1_800_000],
    // A last report of zeros, or without a split, takes nothing back: 900 × 2,000.
    ['1h, then zeros', { ...written(900), ...split(0, 900) }, split(0, 0), 1_800_000],
    ['1h, then the sum alone', { ...written(900), ...split(0, 900) }, written(900), 1_800_000],
    // Never more than was written: 600 × 2,000 and the other 100 of 700 × 1,250.
    ['a split above the sum', { ...written(700), ...split(500, 600) }, {}, 1_325_000],
    // What has no stated life lives 5 minutes: 200 × 2,000 and 700 × 1,250.
    ['a split below the sum', { ...written(900), ...split(100, 200) }, {}, 1_275_000],
    // Both lives in one answer: 300 × 1,250 + 600 × 2,000.
    [
      'both',
      { ...written(900), ...split(300, 600) },
      { ...written(900), ...split(300, 600) },
      1_575_000,
    ],
  ])('B3: %s', async (_, atFirst, atLast, cacheNano) => {
    const streamed = await scene.billed(dialects.messages, true, () =>
      sse(start({ ...first, ...atFirst }), ...end({ ...last, ...atLast })),
    )
    expect(streamed.amountNano).toBe(rest + cacheNano)
    const merged = { ...first, ...last, ...atFirst, ...atLast }
    const { amountNano } = await scene.billed(dialects.messages, false, () =>
      jsonAnswer({
        ...{ id: 'msg_1', type: 'message', role: 'assistant', stop_reason: 'end_turn' },
        ...{ content: [{ type: 'text', text: 'hi' }], usage: merged },
      }),
    )
    // Unstreamed there is the last word alone; zeros then mean that the sum has no stated life.
    const hasZeros = JSON.stringify(atLast) === JSON.stringify(split(0, 0))
    expect(amountNano).toBe(rest + (hasZeros ? 1_125_000 : cacheNano))
  })
})

describe('B4: cache reads at their price, and every token in one count only', () => {
  // 1,000 tokens of context, of which 600 were read from the cache, and 50 of output. Three of the
  // protocols count the cached ones among the input, messages beside it.
  const usage = {
    chat: {
      usage: {
        ...{ prompt_tokens: 1000, completion_tokens: 50, total_tokens: 1050 },
        prompt_tokens_details: { cached_tokens: 600 },
      },
    },
    responses: {
      usage: {
        ...{ input_tokens: 1000, output_tokens: 50, total_tokens: 1050 },
        input_tokens_details: { cached_tokens: 600 },
      },
    },
    messages: { usage: { input_tokens: 400, cache_read_input_tokens: 600, output_tokens: 50 } },
    gemini: {
      usageMetadata: {
        ...{ promptTokenCount: 1000, candidatesTokenCount: 50, totalTokenCount: 1050 },
        cachedContentTokenCount: 600,
      },
    },
  }
  const last = {
    chat: (more: object) => [{ choices: [], ...more }],
    responses: (more: object) => [
      { type: 'response.completed', response: { id: 'resp_1', status: 'completed', ...more } },
    ],
    messages: (more: object) => [
      { type: 'message_delta', delta: { stop_reason: 'end_turn' }, ...more },
      { type: 'message_stop' },
    ],
    gemini: (more: object) => [{ candidates: [{ finishReason: 'STOP' }], ...more }],
  }
  // 400 × 1,000 + 600 × 100 + 50 × 5,000
  const right = { inputTokens: 400, cacheReadTokens: 600, outputTokens: 50, amountNano: 710_000 }

  for (const dialect of allDialects) {
    test(`B4: ${dialect.name}`, async () => {
      const { name } = dialect
      const told = { input: 0, output: 0 }
      const body = { ...tellers[name].body('complete', 'hi', told), ...usage[name] }
      expect(await scene.billed(dialect, false, () => jsonAnswer(body))).toMatchObject(right)
      const begin = tellers[name].start() + tellers[name].piece('hi')
      const end = last[name](usage[name]).map((one) => `data: ${JSON.stringify(one)}\n\n`)
      const done = name === 'chat' ? 'data: [DONE]\n\n' : ''
      const whole = begin + end.join('') + done
      expect(await scene.billed(dialect, true, () => sseAnswer(whole))).toMatchObject(right)
    })
  }
})
