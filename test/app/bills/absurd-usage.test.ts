import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { requestFields, viewOf } from '../../../src/billing/receipt/fields.ts'
import { allDialects, dialects } from '../../e2e/dialects.ts'
import { jsonAnswer, sseAnswer } from '../../support/fake-upstream.ts'
import { contextWindow, type PricedScene, startPricedScene } from './priced-scene.ts'
import { tellers } from './told-answers.ts'

let scene: PricedScene
beforeAll(async () => {
  scene = await startPricedScene()
})
afterAll(() => scene[Symbol.asyncDispose]())

describe('B11: usage above the window of the model', () => {
  test.each(allDialects.map((dialect) => [dialect.name, dialect] as const))(
    'B11: %s: is clamped to it, flagged, and told',
    async (_, dialect) => {
      const teller = tellers[dialect.name]
      const told = { input: 1_000_000, output: 500_000 }
      for (const stream of [true, false]) {
        const already = scene.complaints.length
        const request = await scene.billed(dialect, stream, () =>
          stream
            ? sseAnswer(teller.start(told) + teller.piece('hi') + teller.stop('complete', told))
            : jsonAnswer(teller.body('complete', 'hi', told)),
        )
        expect(request).toMatchObject({
          ...{
            inputTokens: contextWindow,
            outputTokens: contextWindow,
            clamped: true,
            estimated: false,
          },
          // 32,768 × 1,000 + 32,768 × 5,000
          amountNano: 196_608_000,
        })
        const [warning, ...more] = scene.complaints.slice(already)
        expect(more).toEqual([])
        expect(JSON.parse(warning ?? '{}')).toMatchObject({
          ...{
            level: 'warn',
            request_id: request.requestId,
            channel: 'main',
            context_window: contextWindow,
          },
          usage_raw: expect.stringContaining('1000000'),
        })
      }
    },
  )

  test('B11: the receipt and the export show it', async () => {
    const told = { input: 1_000_000, output: 5 }
    const request = await scene.billed(dialects.chat, false, () =>
      jsonAnswer(tellers.chat.body('complete', 'hi', told)),
    )
    const { clamped, clamped_reason, usage_raw, input_tokens, differences } = await scene.receipt(
      request.requestId,
    )
    expect([clamped, input_tokens, differences]).toEqual([true, contextWindow, []])
    expect(usage_raw).toMatchObject({ prompt_tokens: 1_000_000 })
    expect(clamped_reason).toContain('more than the model’s context window'.replace('’', "'"))
    expect(viewOf(requestFields, request)).toMatchObject({ clamped: true })
    const honest = await scene.billed(dialects.chat, false, () =>
      jsonAnswer(tellers.chat.body('complete', 'hi', { input: 10, output: 5 })),
    )
    expect(await scene.receipt(honest.requestId)).toMatchObject({
      ...{ clamped: false, clamped_reason: null },
    })
    expect(viewOf(requestFields, honest)).toMatchObject({ clamped: false })
  })

  test('B11: the window itself is not above it, one more is', async () => {
    const { chat } = tellers
    const bill = async (input: number, output: number) => {
      const { amountNano, clamped } = await scene.billed(dialects.chat, false, () =>
        jsonAnswer(chat.body('complete', 'hi', { input, output })),
      )
      return [amountNano, clamped]
    }
    expect(await bill(contextWindow, contextWindow)).toEqual([196_608_000, false])
    expect(await bill(contextWindow + 1, contextWindow)).toEqual([196_608_000, true])
    expect(await bill(contextWindow, contextWindow + 1)).toEqual([196_608_000, true])
  })

  test('B11: input and cached tokens fit into the window together', async () => {
    const absurd = { input_tokens: 10, cache_read_input_tokens: 9_000_000, output_tokens: 1 }
    const body = { ...tellers.messages.body('complete', 'hi'), usage: absurd }
    expect(await scene.billed(dialects.messages, false, () => jsonAnswer(body))).toMatchObject({
      ...{ inputTokens: 10, cacheReadTokens: contextWindow - 10, outputTokens: 1, clamped: true },
      // 10 × 1,000 + 32,758 × 100 + 1 × 5,000
      amountNano: 3_290_800,
    })
  })

  test('B11: a count that no counter can have is none: what was delivered is counted', async () => {
    const told = { input: 7, output: 1e15 }
    const body = tellers.chat.body('complete', 'one two three', told)
    expect(await scene.billed(dialects.chat, false, () => jsonAnswer(body))).toMatchObject({
      ...{ inputTokens: 7, outputTokens: 3, estimated: true },
    })
  })

  test('B11: each of several answers has a window of its own', async () => {
    const told = { input: 100, output: 2 * contextWindow }
    scene.upstream.handle(() => jsonAnswer(tellers.chat.body('complete', 'hi', told)))
    const body = { ...dialects.chat.request(false), n: 2 }
    const request = await scene.recordOf(await scene.send(dialects.chat.path(false), body))
    expect(request).toMatchObject({ outputTokens: 2 * contextWindow, clamped: false })
  })

  test('B11: the rounds of an upstream that runs tools of its own fill the window anew', async () => {
    // Three searches: the model was called four times, and the vendor adds its inputs up.
    const told = { input: 4 * contextWindow, output: 10 }
    scene.upstream.handle(() => jsonAnswer(tellers.messages.body('complete', 'hi', told)))
    const tools = [{ type: 'web_search_20250305', name: 'web_search' }]
    const { path, request } = dialects.messages
    const answer = await scene.send(path(false), { ...request(false), tools })
    expect(await scene.recordOf(answer)).toMatchObject({
      ...{ inputTokens: 4 * contextWindow, clamped: false },
    })
  })
})
