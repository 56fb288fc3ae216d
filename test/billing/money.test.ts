import { describe, expect, test } from 'bun:test'
import {
  formatDecimal,
  formatNano,
  overdrawnNano,
  parseDecimal,
  usd,
} from '../../src/billing/money.ts'
import { createRandom } from '../support/random.ts'

describe('parseDecimal', () => {
  const cases: readonly (readonly [string | number, number, number | undefined])[] = [
    ['0.25', 6, 250_000],
    [0.25, 6, 250_000],
    [0.1 + 0.2, 9, undefined],
    [1e-7, 9, 100],
    [1e-7, 6, undefined],
    ['1e-7', 7, 1],
    ['1E3', 0, 1000],
    ['1.50e1', 0, 15],
    [1e21, 0, undefined],
    ['100', 9, 100_000_000_000],
    ['0.000000001', 9, 1],
    ['0.0000000001', 9, undefined],
    ['0.0000000010', 9, 1],
    ['1.0000000', 6, 1_000_000],
    ['-2.5', 1, -25],
    ['+2.5', 1, 25],
    ['.5', 1, 5],
    ['5.', 1, 50],
    ['0', 6, 0],
    ['-0', 6, 0],
    ['0e999999999999', 6, 0],
    ['0007', 0, 7],
    ['9007199254740991', 0, 9007199254740991],
    ['9007199254740992', 0, undefined],
    ['9007199254740993', 0, undefined],
    ['-9007199254740991', 0, -9007199254740991],
    ['9007199.254740991', 9, 9007199254740991],
    ['9007199.254740992', 9, undefined],
    ['1e999999999999', 0, undefined],
    ['1e-999999999999', 9, undefined],
    ['', 6, undefined],
    ['.', 6, undefined],
    ['-', 6, undefined],
    ['e5', 6, undefined],
    [' 1', 6, undefined],
    ['1 ', 6, undefined],
    ['1,5', 6, undefined],
    ['1_000', 6, undefined],
    ['0x10', 6, undefined],
    ['1.2.3', 6, undefined],
    ['١', 6, undefined],
    [Number.NaN, 6, undefined],
    [Number.POSITIVE_INFINITY, 6, undefined],
  ]
  test.each(cases)('reads %p with %p decimals as %p', (text, decimals, expected) => {
    expect(parseDecimal(text, decimals)).toBe(expected)
  })

  test('agrees with BigInt arithmetic on any number, and says no exactly when it must', () => {
    const random = createRandom(20261121)
    const digits = (n: number) =>
      Array.from({ length: n }, () => Math.floor(random() * 10)).join('')
    let exact = 0
    let refused = 0
    for (let i = 0; i < 20_000; i++) {
      const decimals = [0, 6, 9][Math.floor(random() * 3)] ?? 0
      const whole = digits(1 + Math.floor(random() * 12))
      const fraction = digits(Math.floor(random() * 12))
      const exponent = random() < 0.3 ? Math.floor(random() * 16) - 8 : 0
      const sign = random() < 0.2 ? '-' : ''
      const text = `${sign}${whole}.${fraction}${exponent === 0 ? '' : `e${exponent}`}`

      // value × 10^(decimals + 40), as an integer whatever the exponent
      const scale = 40 + decimals + exponent - fraction.length
      const scaled = BigInt(whole + fraction) * 10n ** BigInt(scale) * (sign ? -1n : 1n)
      const isWhole = scaled % 10n ** 40n === 0n
      const units = scaled / 10n ** 40n
      const isSafe = units >= Number.MIN_SAFE_INTEGER && units <= Number.MAX_SAFE_INTEGER
      const expected = isWhole && isSafe ? Number(units) : undefined

      expect([text, parseDecimal(text, decimals)]).toEqual([text, expected])
      if (expected === undefined) refused++
      else {
        exact++
        expect(parseDecimal(formatDecimal(expected, decimals), decimals)).toBe(expected)
      }
    }
    // Both ways must have been taken often, or this test shows nothing.
    expect(exact).toBeGreaterThan(4_000)
    expect(refused).toBeGreaterThan(4_000)
  })

  test('reads JS numbers by their shortest text', () => {
    const random = createRandom(7)
    for (let i = 0; i < 5_000; i++) {
      const micro = Math.floor(random() * 1e9)
      expect(parseDecimal(Number(`${micro}e-6`), 6)).toBe(micro)
    }
  })
})

describe('formatDecimal', () => {
  test.each([
    [0, 9, '0'],
    [1, 9, '0.000000001'],
    [-1, 9, '-0.000000001'],
    [1_500_000_000, 9, '1.5'],
    [100_000_000_000, 9, '100'],
    [10, 0, '10'],
    [1_000_001, 6, '1.000001'],
    [800_000, 6, '0.8'],
    [Number.MAX_SAFE_INTEGER, 9, '9007199.254740991'],
    [123456789012345678901n, 9, '123456789012.345678901'],
    [-5n, 1, '-0.5'],
  ])('writes %p with %p decimals as %p', (value, decimals, expected) => {
    expect(formatDecimal(value, decimals)).toBe(expected)
  })

  test.each([0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53])('throws on %p', (value) => {
    expect(() => formatDecimal(value, 6)).toThrow('not an exact integer')
  })

  test('formatNano is USD', () => {
    expect(formatNano(2_345_000_000)).toBe('2.345')
  })
})

test('money has at least two decimals and all that count', () => {
  expect([0, 1, 100_000_000, 1_500_000_000, -2_000_000_000].map(usd)).toEqual([
    '0.00 USD',
    '0.000000001 USD',
    '0.10 USD',
    '1.50 USD',
    '-2.00 USD',
  ])
})

test.each([
  [5, 0, 0],
  [0, 0, 0],
  [-1, 0, 1],
  [-10, 10, 0],
  [-11, 10, 1],
  [5, 10, 0],
])('a balance of %p with a credit limit of %p is overdrawn by %p', (balance, limit, by) => {
  const account = { balanceNano: balance, creditLimitNano: limit }
  expect(overdrawnNano(account)).toBe(by)
})
