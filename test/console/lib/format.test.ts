import { describe, expect, test } from 'bun:test'
import {
  formatAgo,
  formatDuration,
  formatDurationMark,
  formatRatio,
  formatUsd,
} from '../../../src/console/lib/format.ts'

test.each([
  ['0', '$0.00'],
  ['-1234.5', '−$1,234.50'],
  ['1234567.000000001', '$1,234,567.000000001'],
])('%s USD is %s', (usd, text) => expect(formatUsd(usd)).toBe(text))

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
