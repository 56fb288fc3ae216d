import { expect, test } from 'bun:test'
import { explainCharge } from '../../../src/billing/receipt/explain.ts'
import type { ReceiptRows } from '../../../src/store/ports/records.ts'
import { flat, perCall, rates, receiptOf, tampered, tiered, uncached, unused } from './rows.ts'

const big = 9_000_000_000
const cases: readonly (readonly [string, ReceiptRows, string | undefined])[] = [
  [
    'multiplies tokens, prices and multiplier',
    receiptOf(flat, uncached(8, 5)),
    '(8 × 250000 + 5 × 2000000) × 0.8 / 1000 = 9600 nano-USD',
  ],
  [
    'has all kinds of tokens, and prices that were not set',
    receiptOf(flat),
    '(10 × 250000 + 20 × 2000000 + 3 × 25000 + 2 × 250000 + 1 × 250000) × 0.8 / 1000 = 34660 nano-USD',
  ],
  [
    'takes the prices of the tier',
    receiptOf(tiered, uncached(200_001, 1)),
    '(200001 × 500000 + 1 × 4000000) × 0.8 / 1000 = 80003600 nano-USD',
  ],
  [
    'shows the exact value where it was rounded',
    receiptOf({ ...flat, base: { ...rates, input: 1 } }, uncached(8, 0)),
    '(8 × 1) × 0.8 / 1000 = 0.0064, rounded half up to 0 nano-USD',
  ],
  [
    'is exact beyond the integers that numbers hold',
    receiptOf(flat, { ...uncached(big + 1, big), multiplierMillionths: 1_000_001 }),
    '(9000000001 × 250000 + 9000000000 × 2000000) × 1.000001 / 1000 = 20250020250250.00025, rounded half up to 20250020250250 nano-USD',
  ],
  ['counts calls', receiptOf(perCall, { calls: 3 }), '3 × 40000000 × 0.8 = 96000000 nano-USD'],
  ['is nothing for nothing', receiptOf(flat, unused), '(0) × 0.8 / 1000 = 0 nano-USD'],
  ['says that a model is free', receiptOf({ unit: 'free' }), 'free = 0 nano-USD'],
  ['is not there without a price', receiptOf(null), undefined],
]
test.each(cases)('the formula %s', (_, rows, formula) => {
  const explanation = explainCharge(rows)
  expect(explanation?.formula).toBe(formula)
  if (explanation && formula) {
    expect(explanation.amountNano).toBe(BigInt(rows.request.amountNano))
    expect(formula).toEndWith(` ${rows.request.amountNano} nano-USD`)
  }
})

test('the formula is worked out from the record, not copied from its amount', () => {
  const rows = tampered(receiptOf(flat, uncached(8, 5)), { amountNano: 1 })
  expect(explainCharge(rows)?.formula).toEndWith(' 9600 nano-USD')
})

test('a price that was removed explains nothing', () => {
  const rows = receiptOf(flat)
  const price = rows.price && { ...rows.price, terms: { unit: 'none' } as const }
  expect(explainCharge({ ...rows, price })).toBeNull()
})
