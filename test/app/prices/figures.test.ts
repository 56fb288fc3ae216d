import { describe, expect, test } from 'bun:test'
import { compareFigures, percentOf } from '../../../src/app/prices/difference.ts'
import type { PriceTerms, TokenRates } from '../../../src/store/ports/catalog.ts'

const rates = (over: Partial<TokenRates> = {}): TokenRates => ({
  input: 1_000_000,
  output: 2_000_000,
  cacheRead: null,
  cacheWrite: null,
  cacheWrite1h: null,
  ...over,
})
const byTokens = (base: TokenRates, above?: number): PriceTerms => ({
  unit: 'tokens',
  base,
  tiers: above === undefined ? [] : [{ above, ...base }],
})

describe('prices are compared by what they charge', () => {
  test('a price that falls back equals the same price written out', () => {
    const written = rates({ cacheRead: 1_000_000, cacheWrite: 1_000_000, cacheWrite1h: 1_000_000 })
    expect(compareFigures(byTokens(rates()), byTokens(written))).toEqual([])
  })

  test('what falls back on a changed price changes too', () => {
    const fields = compareFigures(byTokens(rates()), byTokens(rates({ input: 1_500_000 })))
    expect(fields.map(({ field, to, percent }) => [field, to, percent])).toEqual([
      ['input', '1.5', 50],
      ['cache_read', '1.5', 50],
      ['cache_write', '1.5', 50],
      ['cache_write_1h', '1.5', 50],
    ])
  })

  test('tiers are compared by their threshold', () => {
    const fields = compareFigures(byTokens(rates(), 100), byTokens(rates(), 200))
    expect(fields).toContainEqual({
      field: 'above 200: input',
      from: null,
      to: '1',
      percent: null,
    })
    expect(fields).toContainEqual({ field: 'above 100: input', from: '1', to: null, percent: null })
    expect(fields).toHaveLength(10)
  })

  test('free and removed are told as such', () => {
    const call: PriceTerms = { unit: 'call', perCallNano: 40_000_000 }
    expect(compareFigures({ unit: 'free' }, call)).toEqual([
      { field: 'per_call', from: null, to: '0.04', percent: null },
      { field: 'free', from: '0', to: null, percent: null },
    ])
    expect(compareFigures({ unit: 'none' }, { unit: 'free' })).toHaveLength(1)
  })
})

test.each([
  [100, 125, 25],
  [3, 2, -33.3],
  [1, 1, 0],
  [0, 5, null],
  [5, 0, null],
] as const)('from %p to %p is %p percent', (from, to, percent) => {
  expect(percentOf(from, to)).toBe(percent)
})
