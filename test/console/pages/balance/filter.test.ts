import { expect, test } from 'bun:test'
import { exportAddress, readFilter } from '../../../../src/console/pages/balance/filter.ts'

test('days of the ledger are those of this place, the last one included', () => {
  expect(readFilter({ kind: 'charge', since: '2026-11-01', until: '2026-11-30' })).toEqual({
    kind: 'charge',
    since: new Date(2026, 10, 1).toISOString(),
    until: new Date(2026, 11, 1).toISOString(),
  })
})

test('what the address says wrongly is no filter', () => {
  expect(readFilter({ kind: 'gift', since: 'yesterday', until: undefined })).toEqual({})
})

test('an export is of what is listed', () => {
  const since = '2026-11-01T00:00:00.000Z'
  expect(exportAddress({ kind: 'debit', since })).toBe(
    '/api/v1/ledger/export?kind=debit&since=2026-11-01T00%3A00%3A00.000Z',
  )
})
