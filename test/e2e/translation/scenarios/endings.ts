import { expect, test } from 'bun:test'
import type { ProtocolName } from '../../../../src/protocols/protocol.ts'
import type { Bench } from '../bench.ts'
import { ask, type PairNames, pairOf } from '../pair.ts'

const both = [
  ['whole', false],
  ['streamed', true],
] as const

/**
 * How clients are told that the model has refused: in its words, which OpenAI's models have, or else
 * by the reason of the end alone.
 */
const refusals: Readonly<
  Record<ProtocolName, Record<'inWords' | 'silent', { finish: string; at: 'refusal' | 'text' }>>
> = {
  chat: {
    inWords: { finish: 'stop', at: 'refusal' },
    silent: { finish: 'content_filter', at: 'refusal' },
  },
  responses: {
    inWords: { finish: 'completed', at: 'refusal' },
    silent: { finish: 'incomplete: content_filter', at: 'refusal' },
  },
  messages: {
    inWords: { finish: 'refusal', at: 'text' },
    silent: { finish: 'refusal', at: 'text' },
  },
  gemini: { inWords: { finish: 'SAFETY', at: 'text' }, silent: { finish: 'SAFETY', at: 'text' } },
}

/** Ends of answers other than the plain one. */
export function endingScenes(bench: () => Bench, names: PairNames): void {
  const pair = () => pairOf(bench(), names)
  const stop = ['END', '\n\nUser:']

  if (names.client !== 'responses' && names.upstream !== 'responses') {
    test.each(both)('T19: stop sequences arrive, and the end is told, %s', async (_, stream) => {
      const { text, finish } = await ask(pair(), 'play stop: Count.', { stop, stream })
      expect(pair().upstream.last().asked.stop).toEqual(stop)
      expect(text).toBe('One, two')
      // Only messages tells that it was a stop sequence.
      expect(finish).toBe(pair().client.ends.stop)
    })
  }

  if (names.client !== 'responses' && names.upstream === 'responses') {
    test.each(both)('T19: the answer ends at a stop sequence, %s', async (_, stream) => {
      const { text, finish } = await ask(pair(), 'play past: Count.', { stop, stream })
      expect(text).toBe('One, two')
      const isTold = names.client === 'messages'
      expect(finish).toBe(isTold ? 'stop_sequence' : pair().client.ends.stop)
    })
  }

  test.each(both)('T16: the limit of length is told, %s', async (_, stream) => {
    const wish = { maxTokens: 50, stream }
    const { text, finish } = await ask(pair(), 'play length: On.', wish, { ending: 'incomplete' })
    expect(text).toBe('So far and no')
    expect(finish).toBe(pair().client.ends.length)
    expect(pair().upstream.last().asked.maxTokens).toBe(50)
  })

  test.each(both)('a refusal is told, %s', async (_, stream) => {
    // Blocked prompts and answers of this vendor are not whole answers.
    const ending = names.upstream === 'gemini' ? 'incomplete' : 'complete'
    const shown = await ask(pair(), 'play refusal: How?', { stream }, { ending })
    const [piece] = pair().upstream.vendor.refusal.pieces
    const { finish, at } = refusals[names.client][piece ? 'inWords' : 'silent']
    const nothing = { text: '', refusal: '' }
    const words = piece?.type === 'refusal' ? { ...nothing, [at]: piece.text } : nothing
    expect(shown).toMatchObject({ finish, ...words })
  })
}
