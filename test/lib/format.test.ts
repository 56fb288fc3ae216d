import { expect, test } from 'bun:test'
import {
  counted,
  grouped,
  humanBytes,
  humanDuration,
  humanTime,
  isoTime,
  listed,
} from '../../src/lib/format.ts'

test('counts have their thousands apart, and the right number of the noun', () => {
  expect([0, 1, 2, 1234].map((count) => counted(count, 'channel'))).toEqual([
    '0 channels',
    '1 channel',
    '2 channels',
    '1,234 channels',
  ])
  expect(grouped(213_000)).toBe('213,000')
})

test('an empty list says what it means', () => {
  expect(listed([], 'all models')).toBe('all models')
  expect(listed(['a', 'b'], 'all models')).toBe('a, b')
})

test('times are UTC, for machines and for people', () => {
  const iso = isoTime(Date.UTC(2026, 10, 21, 8, 30, 12, 345))
  expect(iso).toBe('2026-11-21T08:30:12.345Z')
  expect(humanTime(iso)).toBe('2026-11-21 08:30:12 UTC')
})

test('durations are told in the unit that people would use', () => {
  expect([0, 999, 1000, 1234].map(humanDuration)).toEqual(['0 ms', '999 ms', '1 s', '1.234 s'])
})

test('sizes are told in the unit that people would use', () => {
  expect([0, 999, 1000, 1_250_000, 24_000_000_000, 5e15].map(humanBytes)).toEqual([
    '0 bytes',
    '999 bytes',
    '1.0 kB',
    '1.3 MB',
    '24 GB',
    '5000 TB',
  ])
})
