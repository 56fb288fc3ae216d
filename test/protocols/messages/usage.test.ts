import { describe, expect, test } from 'bun:test'
import { createCounts, foldUsage } from '../../../src/protocols/canonical/extras.ts'
import { messagesReports } from '../../../src/protocols/messages/usage.ts'

const fold = (...reports: unknown[]) => {
  const counts = createCounts()
  return reports.map((report) => foldUsage(messagesReports, report, counts)).at(-1)
}
const split = (fiveMinutes: number, oneHour: number) => ({
  ephemeral_5m_input_tokens: fiveMinutes,
  ephemeral_1h_input_tokens: oneHour,
})

describe('usage of messages', () => {
  test('input excludes the cache, and output includes thinking', () => {
    expect(
      fold({
        input_tokens: 3,
        cache_read_input_tokens: 50,
        cache_creation_input_tokens: 20,
        output_tokens: 9,
        output_tokens_details: { thinking_tokens: 4 },
      }),
    ).toEqual({
      inputTokens: 3,
      outputTokens: 9,
      reasoningTokens: 4,
      cacheReadTokens: 50,
      cacheWriteTokens: 20,
      cacheWrite1hTokens: 0,
    })
  })

  test.each([
    ['a 1-hour write', 70, split(0, 70), [0, 70]],
    ['both lives', 70, split(30, 40), [30, 40]],
    ['a split that knows less than the sum', 70, split(0, 40), [30, 40]],
    ['a split that claims more than the sum', 70, split(50, 60), [10, 60]],
    ['a 1-hour write that claims more than the sum', 70, split(0, 80), [0, 70]],
    ['a split without a sum', undefined, split(5, 6), [5, 6]],
    ['a sum without a split', 70, null, [70, 0]],
  ])('B3: %s', (_name, sum, cache_creation, [fiveMinutes, oneHour]) => {
    const usage = fold({ input_tokens: 1, cache_creation_input_tokens: sum, cache_creation })
    expect(usage).toMatchObject({ cacheWriteTokens: fiveMinutes, cacheWrite1hTokens: oneHour })
  })

  test('B3: {5m:0,1h:n} then {5m:n,1h:0} charges n once, with the sum or without', () => {
    for (const sum of [{ cache_creation_input_tokens: 900 }, {}]) {
      const usage = fold(
        { input_tokens: 1, ...sum, cache_creation: split(0, 900) },
        { output_tokens: 1, ...sum, cache_creation: split(900, 0) },
      )
      expect((usage?.cacheWriteTokens ?? 0) + (usage?.cacheWrite1hTokens ?? 0)).toBe(900)
    }
  })

  test('a later split of nothing does not take the life away', () => {
    const usage = fold(
      { input_tokens: 1, cache_creation_input_tokens: 9, cache_creation: split(0, 9) },
      { output_tokens: 1, cache_creation: split(0, 0) },
    )
    expect(usage).toMatchObject({ cacheWriteTokens: 0, cacheWrite1hTokens: 9 })
  })

  test('a compaction is charged beside the message; message_start has told its input already', () => {
    const iterations = [
      { type: 'compaction', input_tokens: 60_000, output_tokens: 500 },
      { type: 'message', input_tokens: 600, output_tokens: 2800 },
    ]
    const usage = fold(
      { input_tokens: 60_000, output_tokens: 5 },
      { input_tokens: 600, output_tokens: 2800, iterations },
    )
    expect(usage).toMatchObject({ inputTokens: 60_600, outputTokens: 3300 })
  })

  test('an advisor is another model: its tokens are not this one’s', () => {
    const iterations = [
      { type: 'message', input_tokens: 100, output_tokens: 10 },
      { type: 'advisor_message', model: 'other', input_tokens: 900, output_tokens: 90 },
      { type: 'message', input_tokens: 120, output_tokens: 12 },
    ]
    const usage = fold({ input_tokens: 220, output_tokens: 22, iterations })
    expect(usage).toMatchObject({ inputTokens: 220, outputTokens: 22 })
  })

  test('reports without a count are no usage', () => {
    for (const report of [undefined, null, {}, { input_tokens: -1 }, { output_tokens: '9x' }, []]) {
      expect(fold(report)).toBeUndefined()
    }
  })
})
