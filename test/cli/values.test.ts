import { expect, test } from 'bun:test'
import { parseTime, rowLimitOption } from '../../src/cli/values.ts'

test.each([
  ['30m', 30 * 60_000],
  ['12h', 12 * 3_600_000],
  ['7d', 7 * 86_400_000],
  ['2w', 14 * 86_400_000],
])('%s is an age', (age, ms) => {
  const before = Date.now()
  expect(parseTime(age)).toBeWithin(before - ms, Date.now() - ms + 1)
})

test.each([
  ['2026-11-21', Date.UTC(2026, 10, 21)],
  ['2026-11-21T08:00:00+08:00', Date.UTC(2026, 10, 21)],
])('%s is a time', (text, time) => {
  expect(parseTime(text)).toBe(time)
})

test.each(['7', '7y', 'yesterday', '-7d', '1.5h'])('%s is neither', (text) => {
  expect(() => parseTime(text)).toThrow('Write a date')
})

test('a list has from 1 row to 10,000', () => {
  const parse = (text: string) => rowLimitOption().parseArg?.(text, 50)
  expect([parse('1'), parse('10000')]).toEqual([1, 10_000])
  for (const text of ['0', '10001', '-1', '1.5'])
    expect(() => parse(text)).toThrow(/from 1 to 10000|whole number/)
})
