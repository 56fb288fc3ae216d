import { expect, test } from 'bun:test'
import { readSpan, readTime } from '../../src/admin/paging.ts'

const eight = Date.UTC(2026, 10, 21, 8)

test.each([
  ['2026-11-21', Date.UTC(2026, 10, 21)],
  ['2026-11-21T08:00', eight],
  ['2026-11-21T08:00:00.000', eight],
  ['2026-11-21T08:00:00Z', eight],
  ['2026-11-21T16:00:00+08:00', eight],
  ['2026-11-21T03:00:00-05:00', eight],
])('%s means the same wherever the gateway runs', (text, time) => {
  expect(readTime('since', text)).toBe(time)
})

test.each(['yesterday', '2026-11', '2026-02-30', '2026-11-21T25:00', '21 Nov 2026', ''])(
  'a time of a query is not %p, and the refusal says what is one',
  (text) => {
    expect(() => readSpan({ until: text })).toThrow(
      expect.objectContaining({ reason: 'invalid_value', details: { field: 'until' } }),
    )
  },
)
