import { expect, test } from 'bun:test'
import { changesIn, describeDifference } from '../../../src/app/verify/findings.ts'

test('names the row, what is stored and what it should be, and why', () => {
  const changes = changesIn([
    ['amount_nano', 90, 88],
    ['kind', 'credit', 'charge'],
    ['tier_above', null, 200_000],
    ['model', 'same', 'same'],
  ])
  const text = describeDifference({ kind: 'amount', row: 'ledger entry 7', changes, reason: 'so' })
  expect(text).toBe(
    'ledger entry 7: amount_nano is 90, should be 88; kind is "credit", should be "charge"; ' +
      'tier_above is null, should be 200000: so',
  )
})

test('a row that is wrong as a whole has just the reason', () => {
  expect(describeDifference({ kind: 'day', row: 'day 1', changes: [], reason: 'is missing' })).toBe(
    'day 1: is missing',
  )
})
