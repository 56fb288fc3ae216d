import { expect, test } from 'bun:test'
import { comparePrices } from '../../../src/app/prices/difference.ts'
import type { PriceList } from '../../../src/app/prices/price-list.ts'
import type { PriceTerms } from '../../../src/store/ports/catalog.ts'
import { priceWrite } from '../../store/support.ts'

const tokens = (input: number): Extract<PriceTerms, { unit: 'tokens' }> => ({
  unit: 'tokens',
  base: { input, output: 2, cacheRead: null, cacheWrite: null, cacheWrite1h: null },
  tiers: [],
})

/** A list with one price for every model. */
const listOf = (terms: PriceTerms): PriceList => ({
  form: 'catalog',
  models: ['m'],
  find: () => ({ terms, rounded: false }),
})

const compare = (inForce: PriceTerms, listed: PriceTerms) =>
  comparePrices(
    listOf(listed),
    { channels: [], prices: [{ ...priceWrite('m', inForce), id: 1, validFrom: 0 }] },
    { all: false },
  )

test('a list changes the price of a model, and leaves its context window as it was set', () => {
  const { writes } = compare({ ...tokens(1), contextWindow: 1000 }, tokens(3))
  expect(writes[0]?.terms).toEqual({ ...tokens(3), contextWindow: 1000 })
  expect(compare(tokens(1), tokens(3)).writes[0]?.terms).toEqual(tokens(3))
})

test('what is written replaces the price that was compared, and no later one', () => {
  expect(compare(tokens(1), tokens(3)).writes[0]?.replaces).toBe(1)
  const none = comparePrices(listOf(tokens(3)), { channels: [], prices: [] }, { all: true })
  expect(none.writes[0]?.replaces).toBeNull()
})

test('a context window is no difference of prices', () => {
  const { changes, unchanged } = compare({ ...tokens(1), contextWindow: 1000 }, tokens(1))
  expect({ changes, unchanged }).toEqual({ changes: [], unchanged: 1 })
})
