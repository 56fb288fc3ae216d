import { describe, expect, test } from 'bun:test'
import { foldUsage } from '../../../src/protocols/canonical/extras.ts'
import type { Usage } from '../../../src/protocols/canonical/usage.ts'
import { decodeOpenAiError } from '../../../src/protocols/chat/errors.ts'
import { chatReports, encodeUsage } from '../../../src/protocols/chat/usage.ts'

describe('usage', () => {
  const usage = (counts: readonly [number, number, number, number, number, number]): Usage => ({
    inputTokens: counts[0],
    outputTokens: counts[1],
    reasoningTokens: counts[2],
    cacheReadTokens: counts[3],
    cacheWriteTokens: counts[4],
    cacheWrite1hTokens: counts[5],
  })
  const cases = [
    [0, 0, 0, 0, 0, 0],
    [10, 0, 0, 0, 0, 0],
    [10, 20, 5, 0, 0, 0],
    [0, 20, 20, 7, 0, 0],
    [3, 1, 0, 1_000_000, 2_000, 0],
  ] as const

  test('that is written is read as the same', () => {
    for (const counts of cases) {
      const given = usage(counts)
      expect(foldUsage(chatReports, encodeUsage(given))).toEqual(given)
    }
  })

  test('loses only for how long the cache was written', () => {
    const read = foldUsage(chatReports, encodeUsage(usage([1, 2, 0, 3, 4, 5])))
    expect(read).toEqual(usage([1, 2, 0, 3, 9, 0]))
  })
})

describe('an error body', () => {
  const cases: readonly (readonly [name: string, body: object, error: object])[] = [
    [
      'of OpenAI',
      {
        error: { message: 'Bad', type: 'invalid_request_error', param: 'x', code: 'invalid_value' },
      },
      { message: 'Bad', code: 'invalid_value', param: 'x' },
    ],
    [
      'without a code has its type',
      { error: { message: 'Bad', type: 'server_error', param: null, code: null } },
      { message: 'Bad', code: 'server_error' },
    ],
    [
      'of OpenRouter has its status as code',
      { error: { message: 'Slow', code: 429 } },
      { message: 'Slow', status: 429 },
    ],
    [
      'of Groq',
      { error: { message: 'Bad', status_code: 400, code: 'c' } },
      { message: 'Bad', code: 'c', status: 400 },
    ],
    ['that is a text', { error: 'Bad' }, { message: 'Bad' }],
    [
      'of Mistral',
      { object: 'error', message: 'Bad', type: 'invalid', code: '1500' },
      { message: 'Bad', code: '1500' },
    ],
    ['of FastAPI', { detail: 'Not Found' }, { message: 'Not Found' }],
    [
      'of FastAPI with several',
      { detail: [{ msg: 'a' }, { loc: [] }, { msg: 'b' }] },
      { message: 'a; b' },
    ],
    ['without words', { error: {} }, { message: 'An error without a message.' }],
    ['that is none', { code: 5 }, { message: 'An error without a message.' }],
  ]
  for (const [name, body, error] of cases) {
    test(`${name} is read`, () => {
      expect(JSON.parse(JSON.stringify(decodeOpenAiError({ ...body })))).toEqual(error)
    })
  }
})
