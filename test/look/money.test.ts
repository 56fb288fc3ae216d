import { expect, test } from 'bun:test'
import { formatUsd, shortMoney } from '../../src/look/money.ts'

test.each([
  ['0', '$0.00'],
  ['0.77', '$0.77'],
  ['1234.5', '$1,234.50'],
  ['-1234567.891', '−$1,234,567.89'],
  ['0.0042', '$0.0042'],
  ['0.004', '$0.004'],
  ['0.000123456', '$0.00012'],
  ['0.000000001', '$0.000000001'],
])('%s in short is %s', (usd, text) => {
  expect(shortMoney(usd)).toBe(text)
})

test.each([
  ['0', '$0.00'],
  ['-1234.5', '−$1,234.50'],
  ['1234567.000000001', '$1,234,567.000000001'],
])('%s USD is %s', (usd, text) => expect(formatUsd(usd)).toBe(text))
