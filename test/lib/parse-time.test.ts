import { expect, test } from 'bun:test'
import { parseDateOrTime, parseDateTime } from '../../src/lib/clock.ts'

const eight = Date.UTC(2026, 10, 21, 8)

test.each([
  ['2026-11-21T08:00:00Z', eight],
  ['2026-11-21T16:00+08:00', eight],
  ['2026-11-21T08:00:00.5Z', eight + 500],
  ['2026-11-21T08:00:00', undefined],
  ['2026-02-30T08:00:00Z', undefined],
  ['2026-11-21', undefined],
  ['tomorrow', undefined],
])('%s is a date-time with its offset, or none', (text, time) => {
  expect(parseDateTime(text)).toBe(time)
  expect(parseDateOrTime(text)).toBe(text === '2026-11-21' ? Date.UTC(2026, 10, 21) : time)
})
