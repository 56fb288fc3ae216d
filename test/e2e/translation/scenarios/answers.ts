import { expect, test } from 'bun:test'
import type { Bench } from '../bench.ts'
import { ask, converse, type PairNames, pairOf } from '../pair.ts'
import { plainText, toolsText } from '../script.ts'

const both = [
  ['whole', false],
  ['streamed', true],
] as const

/** Answers of text and calls. */
export function answerScenes(bench: () => Bench, names: PairNames): void {
  const pair = () => pairOf(bench(), names)

  test.each(both)(
    'T13, T16, T18, T19, T21: a plain answer, %s, and what was asked',
    async (_, stream) => {
      const asked = { system: 'Be short.\nAnd kind.', maxTokens: 300, temperature: 0.5 }
      const { text, finish } = await ask(pair(), 'play plain: Say it.', { ...asked, stream })
      expect(text).toBe(plainText)
      expect(finish).toBe(pair().client.ends.stop)
      expect(pair().upstream.last().asked).toMatchObject({ ...asked, stream, tools: [] })
    },
  )

  test.each(both)(
    'T3, T4, T9, T12, R8: two parallel calls and their results, %s',
    async (_, stream) => {
      const { client, upstream } = pair()
      const conversation = converse(pair(), { tools: true, stream })
      const first = await conversation.say('play tools: Weather in Paris and Oslo?')
      expect(first.text).toBe('Let me look.')
      expect(first.finish).toBe(client.ends.calls)
      expect(first.calls).toEqual([
        { id: 'call_paris', name: 'get_weather', input: { city: 'Paris' } },
        { id: 'call_oslo', name: 'get_weather', input: { city: 'Oslo' } },
      ])
      const second = await conversation.results('10 degrees', '11 degrees')
      expect(second.text).toBe(toolsText)
      expect(second.finish).toBe(client.ends.stop)
      expect(upstream.last().asked.tools).toEqual(['get_weather'])
    },
  )

  test.each(['auto', 'none', 'required', { name: 'get_weather' }] as const)(
    'T17: the choice of tools %j',
    async (toolChoice) => {
      await ask(pair(), 'play plain: Use it.', { tools: true, toolChoice })
      expect(pair().upstream.last().asked.toolChoice).toEqual(toolChoice)
    },
  )

  if (names.client !== 'gemini') {
    test('T17: at most one call at a time is asked for, or named', async () => {
      const isLost = names.upstream === 'gemini'
      const dropped = isLost ? (pair().client.sequential ?? '') : null
      const wish = { tools: true, sequential: true }
      await ask(pair(), 'play plain: Use it.', wish, { dropped })
      expect(pair().upstream.last().asked.sequential).toBe(!isLost)
    })
  }

  test.each(both)('T22: an answer by a JSON schema, %s, read by the SDK', async (_, stream) => {
    const { text, parsed } = await ask(pair(), 'play schema: I live in Paris.', {
      schema: true,
      stream,
    })
    const read = names.client === 'gemini' ? JSON.parse(text) : parsed
    expect(read).toEqual({ city: 'Paris' })
    expect(pair().upstream.last().asked.schema).toMatchObject({
      type: 'object',
      properties: { city: { type: 'string' } },
      required: ['city'],
    })
  })
}
