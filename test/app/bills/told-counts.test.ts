import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { allDialects } from '../../e2e/dialects.ts'
import { jsonAnswer, sseAnswer } from '../../support/fake-upstream.ts'
import { type PricedScene, startPricedScene } from './priced-scene.ts'
import { tellers } from './told-answers.ts'

let scene: PricedScene
beforeAll(async () => {
  scene = await startPricedScene()
})
afterAll(() => scene[Symbol.asyncDispose]())

describe('B8: an explicit 0 is data, and a missing count is none', () => {
  describe.each(allDialects)('$name', (dialect) => {
    const teller = tellers[dialect.name]
    const bill = async (stream: boolean, told?: { input: number; output: number }) => {
      const script = () =>
        stream
          ? sseAnswer(
              teller.start(told) + teller.piece('one two three') + teller.stop('complete', told),
            )
          : jsonAnswer(teller.body('complete', 'one two three', told))
      const { inputTokens, outputTokens, estimated, amountNano } = await scene.billed(
        dialect,
        stream,
        script,
      )
      return [inputTokens, outputTokens, estimated, amountNano]
    }

    test.each([true, false])('B8: streamed: %p', async (stream) => {
      expect(await bill(stream, { input: 0, output: 0 })).toEqual([0, 0, false, 0])
      expect(await bill(stream, { input: 7, output: 0 })).toEqual([7, 0, false, 7_000])
      expect(await bill(stream, { input: 0, output: 3 })).toEqual([0, 3, false, 15_000])
      // Nothing told: "hello" is one token, the answer three.
      expect(await bill(stream)).toEqual([1, 3, true, 16_000])
    })

    const fields = { chat: 'usage', responses: 'usage', messages: 'usage', gemini: 'usageMetadata' }
    const names = {
      chat: ['prompt_tokens', 'completion_tokens'],
      responses: ['input_tokens', 'output_tokens'],
      messages: ['input_tokens', 'output_tokens'],
      gemini: ['promptTokenCount', 'candidatesTokenCount'],
    }
    const partly = async (at: 0 | 1, count: unknown) => {
      const usage = { [names[dialect.name][at] ?? '']: count }
      const body = { ...teller.body('complete', 'one two three'), [fields[dialect.name]]: usage }
      const { inputTokens, outputTokens, estimated } = await scene.billed(dialect, false, () =>
        jsonAnswer(body),
      )
      return [inputTokens, outputTokens, estimated]
    }

    test('B8: of a report with one count the other is counted here', async () => {
      expect(await partly(0, 7)).toEqual([7, 3, true])
      expect(await partly(1, 9)).toEqual([1, 9, true])
    })
  })
})
