import { describe, expect, test } from 'bun:test'
import { createCounts, foldUsage } from '../../../src/protocols/canonical/extras.ts'
import { chatReports } from '../../../src/protocols/chat/usage.ts'

const fold = (...reports: unknown[]) => {
  const counts = createCounts()
  return reports.map((report) => foldUsage(chatReports, report, counts)).at(-1)
}

describe('usage of chat completions', () => {
  test.each([
    ['OpenAI', { prompt_tokens_details: { cached_tokens: 60 } }],
    ['DeepSeek', { prompt_cache_hit_tokens: 60, prompt_cache_miss_tokens: 40 }],
    ['Moonshot', { cached_tokens: 60 }],
    ['Mistral', { num_cached_tokens: 60 }],
  ])('B4: cache reads are taken out of the prompt: %s', (_vendor, more) => {
    const usage = fold({ prompt_tokens: 100, completion_tokens: 5, total_tokens: 105, ...more })
    expect(usage).toMatchObject({ inputTokens: 40, cacheReadTokens: 60, outputTokens: 5 })
  })

  test('cache writes are taken out of the prompt', () => {
    const details = { cached_tokens: 30, cache_write_tokens: 50 }
    expect(
      fold({ prompt_tokens: 100, completion_tokens: 1, prompt_tokens_details: details }),
    ).toMatchObject({
      inputTokens: 20,
      cacheReadTokens: 30,
      cacheWriteTokens: 50,
    })
  })

  test('output that only the total knows of is output', () => {
    const details = { reasoning_tokens: 228 }
    expect(
      fold({
        prompt_tokens: 12,
        completion_tokens: 1,
        total_tokens: 241,
        completion_tokens_details: details,
      }),
    ).toMatchObject({ inputTokens: 12, outputTokens: 229, reasoningTokens: 228 })
  })

  test('parts never exceed their wholes', () => {
    expect(
      fold({
        prompt_tokens: 10,
        completion_tokens: 3,
        prompt_tokens_details: { cached_tokens: 25, cache_write_tokens: 9 },
        completion_tokens_details: { reasoning_tokens: 11 },
      }),
    ).toEqual({
      inputTokens: 0,
      outputTokens: 3,
      reasoningTokens: 3,
      cacheReadTokens: 10,
      cacheWriteTokens: 0,
      cacheWrite1hTokens: 0,
    })
  })

  test.each([
    [-1],
    [1.5],
    ['7.5'],
    ['-7'],
    ['7 tokens'],
    ['1e3'],
    [''],
    [' '],
    ['99999999999'],
    [null],
    [true],
    [{}],
    [[]],
    [1e300],
    [Number.NaN],
  ])('B11: %p is no count', (strange) => {
    expect(fold({ prompt_tokens: strange, completion_tokens: strange })).toBeUndefined()
    expect(fold({ prompt_tokens: 5, completion_tokens: strange })).toMatchObject({
      inputTokens: 5,
      outputTokens: 0,
    })
  })

  test('a later report without counts leaves the earlier one standing', () => {
    const counts = createCounts()
    foldUsage(chatReports, { prompt_tokens: 5, completion_tokens: 2 }, counts)
    expect(foldUsage(chatReports, {}, counts)).toBeUndefined()
    expect(foldUsage(chatReports, { completion_tokens: 3 }, counts)).toMatchObject({
      inputTokens: 5,
      outputTokens: 3,
    })
  })
})
