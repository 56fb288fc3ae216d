import { expect, test } from 'bun:test'
import list from '../../data/vendor-prices.json' with { type: 'json' }
import { createContextWindows } from '../../src/catalog/model-facts.ts'
import type { PriceRow, PriceTerms } from '../../src/store/ports/catalog.ts'

const rates = { input: 3, output: 15, cacheRead: null, cacheWrite: null, cacheWrite1h: null }
const row = (model: string, above: readonly number[], contextWindow?: number): PriceRow => {
  const tiers = above.map((one) => ({ above: one, ...rates }))
  const terms: PriceTerms = {
    ...{ unit: 'tokens', base: rates, tiers },
    ...(contextWindow !== undefined && { contextWindow }),
  }
  return { id: 1, model, terms, source: 'config', note: '', validFrom: 0 }
}
const windowOf = (price: PriceRow) => createContextWindows().of(price, [])

test('a window below which no tier could ever apply is not the window of what is sold', () => {
  // The list has windows of old: it prices longer contexts than they hold.
  const tiered = list.models.filter(({ tiers }) => tiers.length > 0)
  expect(tiered.length).toBeGreaterThan(5)
  for (const { id, tiers } of tiered) {
    const above = tiers.map((tier) => tier.above)
    const contextWindow = windowOf(row(id, above)) ?? Number.POSITIVE_INFINITY
    expect([id, contextWindow > Math.max(...above)]).toEqual([id, true])
  }
})

test('the same of a price of the operator’s own, unless it says how much the model holds', () => {
  expect(windowOf(row('gpt-4o', []))).toBe(128_000)
  expect(windowOf(row('gpt-4o', [100_000]))).toBe(128_000)
  expect(windowOf(row('gpt-4o', [128_000]))).toBeNull()
  expect(windowOf(row('gpt-4o', [128_000], 128_000))).toBe(128_000)
})
