import { expect, test } from 'bun:test'
import type { Bench } from '../bench.ts'
import { converse, type Expectation, type PairNames, pairOf } from '../pair.ts'
import { toolsText } from '../script.ts'

/** Reasoning that its vendor wants back. */
export function reasoningScenes(bench: () => Bench, names: PairNames): void {
  const isReasoner = names.upstream === 'chat'
  const pair = () => pairOf(bench(), names, isReasoner)
  const ids = isReasoner ? 'T1, T6, T7, T10, R8' : 'T1, T6, T8, T9, T10, R8'

  test.each([
    ['whole', false],
    ['streamed', true],
  ])(`${ids}: reasoning goes back unchanged over three turns, %s`, async (_, stream) => {
    const reasoning = isReasoner ? 'plain' : 'shown'
    const expected: Expectation = {}
    const wish = { tools: true, reasoning, maxTokens: 4000, stream } as const
    const conversation = converse(pair(), wish, expected)
    const first = await conversation.say('play reasoning: Weather in Paris and Oslo?')
    expect(first.calls).toHaveLength(2)
    expect(first.text).toBe('')
    const second = await conversation.results('10 degrees', '11 degrees')
    expect(second.text).toBe(toolsText)
    const third = await conversation.say('Which one is warmer?')
    expect(third.text).toBe('Oslo.')
    if (names.client === 'chat' && stream) return // the SDK keeps the last piece of it only
    expect([first, second, third].map(({ reasoning }) => reasoning)).toEqual([
      'Two places:\nlook both up.',
      'Both are known now.',
      'Eleven is more than ten.',
    ])
  })
}
