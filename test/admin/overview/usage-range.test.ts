import { describe, expect, test } from 'bun:test'
import { daysUntil, monthOf, usageRange } from '../../../src/admin/overview/service.ts'
import type { ModelDayUsage } from '../../../src/store/ports/lists.ts'

const row = (given: Partial<ModelDayUsage>): ModelDayUsage => ({
  ...{ day: '2026-11-21', model: 'a', isOther: false, requests: 1, failed: 0 },
  ...{ inputTokens: 0, outputTokens: 0, reasoningTokens: 0 },
  ...{ cacheReadTokens: 0, cacheWriteTokens: 0, cacheWrite1hTokens: 0 },
  ...{ amountNano: 0, firstByteMs: 5 },
  ...given,
})

test('days are those of UTC, up to the present one', () => {
  const days = daysUntil(Date.UTC(2026, 2, 1, 0, 0, 0), 3)
  expect(days).toEqual(['2026-02-27', '2026-02-28', '2026-03-01'])
  expect(monthOf('2026-03-01')).toBe('2026-03-01')
  expect(monthOf('2026-12-31')).toBe('2026-12-01')
})

describe('a range', () => {
  const days = ['2026-11-20', '2026-11-21']

  test('adds up beyond what a number holds', () => {
    const most = row({ amountNano: Number.MAX_SAFE_INTEGER })
    const { sum } = usageRange(
      [most, { ...most, model: 'b' }, row({ model: 'c', amountNano: 1 })],
      days,
    )
    // Twice 9007199254740991 and 1, in 10⁻⁹.
    expect(sum.amount).toBe('18014398.509481983')
  })

  test('does not know the failures of a day of which it does not know all', () => {
    const known = row({ day: '2026-11-20', failed: 2 })
    const range = usageRange([known, row({ failed: null }), row({ model: 'b', failed: 1 })], days)
    expect(range.days.map(({ failed }) => failed)).toEqual([2, null])
    expect(range.sum.failed).toBeNull()
  })

  test('has the models that cost most first, and the others last', () => {
    const { models } = usageRange(
      [
        row({ model: 'other', isOther: true, amountNano: 9 }),
        row({ model: 'cheap', amountNano: 1 }),
        row({ model: 'other', amountNano: 2 }),
        row({ model: 'dear', day: '2026-11-20', amountNano: 3 }),
      ],
      days,
    )
    expect(models.map(({ model, is_other }) => [model, is_other])).toEqual([
      ['dear', false],
      ['other', false],
      ['cheap', false],
      ['other', true],
    ])
  })

  test('has no time to the first byte where there was none', () => {
    const { models } = usageRange([row({ firstByteMs: 7 })], days)
    expect(models[0]?.days.map(({ first_byte_ms }) => first_byte_ms)).toEqual([null, 7])
  })

  test('counts what was written to a cache once, for however long', () => {
    const { sum } = usageRange([row({ cacheWriteTokens: 3, cacheWrite1hTokens: 4 })], days)
    expect(sum.cache_write_tokens).toBe(7)
  })
})
