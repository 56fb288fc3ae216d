import { expect, test } from 'bun:test'
import { findDifferences } from '../../../src/billing/receipt/explain.ts'
import type { ReceiptRows } from '../../../src/store/ports/records.ts'
import { flat, perCall, receiptOf, tampered, tiered, uncached, unused } from './rows.ts'

const sound: readonly (readonly [string, ReceiptRows])[] = [
  ['a charge by tokens', receiptOf(flat)],
  ['a charge of a tier', receiptOf(tiered, uncached(300_000, 1))],
  ['a charge without long-context prices', receiptOf(tiered, { longContextPricing: false })],
  ['a charge by calls', receiptOf(perCall, { calls: 2 })],
  ['a free one', receiptOf({ unit: 'free' })],
  ['one that used nothing', receiptOf(tiered, unused)],
  ['one that was refused', receiptOf(null, unused)],
]
test.each(sound)('%s agrees with itself', (_, rows) => {
  expect(findDifferences(rows)).toEqual([])
})

const charged = receiptOf(flat, uncached(8, 5))
const long = receiptOf(tiered, uncached(300_000, 1))
const changed: readonly (readonly [string, ReceiptRows, readonly string[]])[] = [
  [
    'another amount',
    tampered(charged, { amountNano: 9601 }),
    [
      'The formula makes 0.0000096 USD, but the amount on record is 0.000009601 USD.',
      'Ledger entry 9 took 0.0000096 USD, but the amount on record is 0.000009601 USD.',
    ],
  ],
  [
    'another count',
    tampered(charged, { outputTokens: 6 }),
    ['The formula makes 0.0000112 USD, but the amount on record is 0.0000096 USD.'],
  ],
  [
    'another multiplier',
    tampered(charged, { multiplierMillionths: 1_000_000 }),
    ['The formula makes 0.000012 USD, but the amount on record is 0.0000096 USD.'],
  ],
  [
    'another tier',
    tampered(long, { tierAbove: null }),
    ['The tier on record is "base tier", but by its context it is "tier above 200,000".'],
  ],
  [
    'an amount without a price',
    tampered(receiptOf(null, unused), { amountNano: 5 }),
    [
      'No price applied, but the amount on record is 0.000000005 USD.',
      'The amount on record is 0.000000005 USD, but the ledger has no entry for it.',
    ],
  ],
  [
    'a price that is gone',
    { ...charged, price: null },
    ['Price 3 is not on record any more, and the amount on record is 0.0000096 USD.'],
  ],
  [
    'a ledger entry that is gone',
    { ...charged, ledgerId: null, ledgerAmountNano: null, balanceAfterNano: null },
    ['The amount on record is 0.0000096 USD, but the ledger has no entry for it.'],
  ],
  [
    'another ledger entry',
    { ...charged, ledgerAmountNano: -96_000 },
    ['Ledger entry 9 took 0.000096 USD, but the amount on record is 0.0000096 USD.'],
  ],
]
test.each(changed)('finds %s', (_, rows, sentences) => {
  expect(findDifferences(rows)).toEqual(sentences)
})
