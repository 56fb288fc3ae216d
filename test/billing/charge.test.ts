import { describe, expect, test } from 'bun:test'
import { type ChargeBasis, charge, effectiveRates } from '../../src/billing/charge.ts'
import type { PriceTerms } from '../../src/store/ports/catalog.ts'

const noTokens = {
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  cacheWrite1hTokens: 0,
}
const rates = (input: number, output: number) => ({
  input,
  output,
  cacheRead: null,
  cacheWrite: null,
  cacheWrite1h: null,
})
const basis = (terms: PriceTerms, over: Partial<ChargeBasis> = {}): ChargeBasis => ({
  terms,
  usage: noTokens,
  calls: 1,
  multiplierMillionths: 1_000_000,
  longContextPricing: true,
  ...over,
})
const perTokens = (input: number, output: number): PriceTerms => ({
  unit: 'tokens',
  base: rates(input, output),
  tiers: [],
})

describe('charge', () => {
  test('tokens × price × multiplier, in nano-USD', () => {
    // 0.25 and 2 USD per 1M, × 0.8: 1,000 × 0.25e-6 + 500 × 2e-6 = 0.00125 USD, × 0.8 = 0.001 USD.
    const usage = { ...noTokens, inputTokens: 1_000, outputTokens: 500 }
    const charged = charge(
      basis(perTokens(250_000, 2_000_000), { usage, multiplierMillionths: 800_000 }),
    )
    expect(charged).toEqual({ amountNano: 1_000_000, tierAbove: null })
  })

  test('rounds once, half up, at the end', () => {
    // One token at 0.0005 USD per 1M is 0.5 nano-USD; at 0.000499 it is 0.499.
    const usage = { ...noTokens, inputTokens: 1 }
    expect(charge(basis(perTokens(500, 0), { usage })).amountNano).toBe(1)
    expect(charge(basis(perTokens(499, 0), { usage })).amountNano).toBe(0)
    // Two halves make one, not two rounded ones.
    const both = { ...noTokens, inputTokens: 1, outputTokens: 1 }
    expect(charge(basis(perTokens(500, 500), { usage: both })).amountNano).toBe(1)
  })

  test('each kind of token has its price, and falls back as the contract says', () => {
    const usage = {
      inputTokens: 1_000,
      outputTokens: 10_000,
      cacheReadTokens: 100_000,
      cacheWriteTokens: 1_000_000,
      cacheWrite1hTokens: 10_000_000,
    }
    const all = { input: 1000, output: 2000, cacheRead: 3000, cacheWrite: 4000, cacheWrite1h: 5000 }
    const amount = (base: typeof all | ReturnType<typeof rates>) =>
      charge(basis({ unit: 'tokens', base, tiers: [] }, { usage })).amountNano
    expect(amount(all)).toBe(1_000 + 20_000 + 300_000 + 4_000_000 + 50_000_000)
    expect(effectiveRates(rates(7, 9))).toEqual({
      input: 7,
      output: 9,
      cacheRead: 7,
      cacheWrite: 7,
      cacheWrite1h: 7,
    })
    expect(effectiveRates({ ...rates(7, 9), cacheWrite: 8 }).cacheWrite1h).toBe(8)
  })

  const tiered: PriceTerms = {
    unit: 'tokens',
    base: rates(1_000, 0),
    tiers: [
      { above: 100, ...rates(2_000, 0) },
      { above: 200, ...rates(3_000, 0) },
    ],
  }
  for (const [context, price, tierAbove] of [
    [99, 1, null],
    [100, 1, null],
    [101, 2, 100],
    [200, 2, 100],
    [201, 3, 200],
  ] as const) {
    test(`B5: a context of ${context} is charged whole at ${price} a token`, () => {
      const usage = { ...noTokens, cacheReadTokens: context - 10, inputTokens: 10 }
      const charged = charge(basis(tiered, { usage }))
      expect(charged).toEqual({ amountNano: context * price, tierAbove })
      const base = charge(basis(tiered, { usage, longContextPricing: false }))
      expect(base).toEqual({ amountNano: context, tierAbove: null })
    })
  }

  test('a price per call counts calls, with the multiplier', () => {
    const terms: PriceTerms = { unit: 'call', perCallNano: 40_000_000 }
    const charged = charge(basis(terms, { calls: 3, multiplierMillionths: 500_000 }))
    expect(charged.amountNano).toBe(60_000_000)
  })

  test('B13: free is 0 on purpose; a removed price charges nothing by accident', () => {
    expect(charge(basis({ unit: 'free' })).amountNano).toBe(0)
    expect(() => charge(basis({ unit: 'none' }))).toThrow('removed')
  })

  test('large figures stay exact', () => {
    const usage = { ...noTokens, inputTokens: 999_999_999 }
    const amount = charge(basis(perTokens(8_999_999, 0), { usage })).amountNano
    expect(BigInt(amount)).toBe(
      (999_999_999n * 8_999_999n * 1_000_000n + 500_000_000n) / 1_000_000_000n,
    )
  })
})
