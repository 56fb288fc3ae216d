import { describe, expect, test } from 'bun:test'
import {
  formatAgo,
  formatDay,
  formatDuration,
  formatDurationMark,
  formatRatio,
  formatTime,
  moneyMarks,
} from '../../../src/console/lib/format.ts'

test('a time says its year where that is not the present one', () => {
  const time = new Date(2026, 10, 22, 16, 40, 1)
  expect(formatTime(time, 'zh', new Date(2026, 0, 1))).toBe('11月22日 16:40:01')
  expect(formatTime(time, 'zh', new Date(2027, 0, 1))).toBe('2026年11月22日 16:40:01')
})

test('a day says its year where that is not the present one', () => {
  const now = new Date('2026-12-31T23:30:00Z')
  expect(formatDay('2026-01-01', 'zh', now)).toBe('1月1日')
  expect(formatDay('2025-12-31', 'zh', now)).toBe('2025年12月31日')
})

test('marks of money have as many decimals as each other', () => {
  const short = new Intl.NumberFormat('en', { notation: 'compact' })
  expect(moneyMarks([0, 0.5, 1, 1.5], short)).toEqual(['$0.00', '$0.50', '$1.00', '$1.50'])
  expect(moneyMarks([0, 5, 10], short)).toEqual(['$0', '$5', '$10'])
  expect(moneyMarks([0, 0.0025, 0.005], short)).toEqual(['$0.0000', '$0.0025', '$0.0050'])
  // As floats are added up.
  expect(moneyMarks([0.1 + 0.2], short)).toEqual(['$0.30'])
  expect(moneyMarks([0, 20_000], short)).toEqual(['$0', '$20K'])
})

describe('marks beside a scale of times', () => {
  for (const marks of [
    [0, 0.5, 1, 1.5, 2],
    [0, 250, 500, 750, 1000],
    [0, 1000, 1250, 1500],
    [0, 50_000, 100_000],
  ]) {
    test(`never read alike: ${marks.join(', ')} ms`, () => {
      const shown = marks.map(formatDurationMark).filter((mark) => mark !== '')
      expect(new Set(shown).size).toBe(shown.length)
      expect(shown.length).toBeGreaterThan(2)
    })
  }
})

test.each([
  [0, 'en', '0 seconds ago'],
  [1, 'en', '1 second ago'],
  [59, 'en', '59 seconds ago'],
  [60, 'en', '1 minute ago'],
  [7_199, 'en', '1 hour ago'],
  [4, 'zh', '4秒钟前'],
  [130, 'zh', '2分钟前'],
] as const)('%d seconds are %s %s', (seconds, language, words) => {
  expect(formatAgo(seconds, language)).toBe(words)
})

test.each([
  [null, 'no data'],
  [1, '100 %'],
  [0.99999, '99.99 %'],
  [0.9512, '95.12 %'],
  [0, '0 %'],
])('%p is %s', (ratio, text) => expect(formatRatio(ratio, 'no data')).toBe(text))

test.each([
  [999, '999 ms'],
  [59_949, '59.9 s'],
  [59_960, '1 min 0 s'],
  [119_600, '2 min 0 s'],
  [150_400, '2 min 30 s'],
])('%d ms are %s', (ms, text) => expect(formatDuration(ms)).toBe(text))
