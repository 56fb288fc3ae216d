import { describe, expect, test } from 'bun:test'
import { charge } from '../../src/billing/charge.ts'
import { goldenBills, goldenTerms } from './golden-bills.ts'

const none = { inputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, cacheWrite1hTokens: 0 }
const bill = (usage: typeof none, longContextPricing: boolean) =>
  charge({
    terms: goldenTerms,
    usage: { ...usage, outputTokens: 1000 },
    calls: 1,
    multiplierMillionths: 1_000_000,
    longContextPricing,
  })

describe('B5: golden bills', () => {
  for (const [bucket, below, at, over, off] of goldenBills)
    test(`the context is all ${bucket}`, () => {
      const of = (context: number, on: boolean) => bill({ ...none, [bucket]: context }, on)
      expect(of(199_999, true)).toEqual({ amountNano: below, tierAbove: null })
      expect(of(200_000, true)).toEqual({ amountNano: at, tierAbove: null })
      expect(of(200_001, true)).toEqual({ amountNano: over, tierAbove: 200_000 })
      expect(of(199_999, false)).toEqual({ amountNano: below, tierAbove: null })
      expect(of(200_000, false)).toEqual({ amountNano: at, tierAbove: null })
      expect(of(200_001, false)).toEqual({ amountNano: off, tierAbove: null })
    })

  test('all buckets together carry the context, and all are charged by the tier', () => {
    const spread = {
      inputTokens: 50_000,
      cacheReadTokens: 100_000,
      cacheWriteTokens: 30_000,
      cacheWrite1hTokens: 20_000,
    }
    // 50,000,000 + 10,000,000 + 37,500,000 + 40,000,000 + 5,000,000 for the output
    expect(bill(spread, true)).toEqual({ amountNano: 142_500_000, tierAbove: null })
    const over = { ...spread, cacheReadTokens: 100_001 }
    // three times as much, and one more cache read at 300
    expect(bill(over, true)).toEqual({ amountNano: 427_500_300, tierAbove: 200_000 })
    expect(bill(over, false)).toEqual({ amountNano: 142_500_100, tierAbove: null })
  })

  test('output does not carry the context', () => {
    const usage = { ...none, inputTokens: 200_000, outputTokens: 1_000_000 }
    const basis = {
      terms: goldenTerms,
      calls: 1,
      multiplierMillionths: 1_000_000,
      longContextPricing: true,
    }
    expect(charge({ ...basis, usage }).tierAbove).toBeNull()
  })
})
