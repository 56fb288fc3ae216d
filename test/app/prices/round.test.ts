import { expect, test } from 'bun:test'
import { toUnits } from '../../../src/app/prices/price-list.ts'
import { parseDecimal } from '../../../src/billing/money.ts'

const cases: readonly (readonly [number, number, number, boolean])[] = [
  [0, 6, 0, true],
  [0.25, 6, 250_000, true],
  [2.5e-6, 12, 2_500_000, true],
  [1.5625e-6, 12, 1_562_500, true],
  // Products of floats: 3 × 0.1 USD per 1M, and a cost that another program divided by a million.
  [0.30000000000000004, 6, 300_000, true],
  [4.5000000000000003e-7, 12, 450_000, true],
  [0.0000005, 6, 1, false],
  [0.00000049, 6, 0, false],
  [0.1234565, 6, 123_457, false],
  [1e-30, 6, 0, false],
  [1000, 6, 1_000_000_000, true],
]
test.each(cases)('%p in units of 10^-%p is %p', (value, decimals, units, exact) => {
  expect(toUnits(value, decimals)).toEqual({ units, exact })
})

test('every text of 15 digits is converted exactly', () => {
  for (let digits = 1; digits < 1e15; digits = digits * 3 + 1)
    for (const scale of [3, 6, 12, 15]) {
      const text = `${digits}e-${scale}`
      expect([text, toUnits(Number(text), scale)]).toEqual([
        text,
        { units: parseDecimal(text, scale) ?? -1, exact: true },
      ])
    }
})

test('more than a price can hold is refused', () => {
  expect(() => toUnits(1e12, 6)).toThrow('too much for a price')
})
