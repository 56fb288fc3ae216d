import { expect, test } from 'bun:test'
import { createPrices } from '../../../src/app/verify/prices.ts'
import type { PriceTerms } from '../../../src/store/ports/catalog.ts'

/** A store with the same terms for each price, and how often it was asked. */
function storeOf(terms: string) {
  const asked: number[] = []
  const price = async (id: number) => {
    asked.push(id)
    if (id === 404) return undefined
    return { id, model: 'small', terms, validFrom: 0, replacedAt: null }
  }
  return { asked, price }
}

const base = { input: 1, output: 2, cacheRead: null, cacheWrite: 3, cacheWrite1h: null }
const sound: PriceTerms[] = [
  { unit: 'tokens', base, tiers: [{ above: 5, ...base }] },
  { unit: 'tokens', base, tiers: [], contextWindow: 1000 },
  { unit: 'call', perCallNano: 4 },
  { unit: 'free' },
  { unit: 'none' },
]

test.each(sound.map((terms) => [JSON.stringify(terms), terms] as const))(
  'reads %s',
  async (text, terms) => {
    expect((await createPrices(storeOf(text)).find(1))?.terms).toEqual(terms)
  },
)

test.each([
  '',
  'null',
  '{}',
  '{"unit":"tokens"}',
  '{"unit":"call","perCallNano":-1}',
  '{"unit":"call","perCallNano":1e300}',
  JSON.stringify({ unit: 'tokens', base: { ...base, input: '1' }, tiers: [] }),
])('does not charge by %s', async (text) => {
  expect((await createPrices(storeOf(text)).find(1))?.terms).toBeNull()
})

test('a price is looked up once, and one that is not there is remembered, too', async () => {
  const store = storeOf('{"unit":"free"}')
  const prices = createPrices(store)
  expect(prices.known(1)).toBeUndefined()
  await prices.find(1)
  expect(prices.known(1)).toMatchObject({ id: 1, model: 'small' })
  expect(await prices.find(404)).toBeNull()
  expect(prices.known(404)).toBeNull()
  expect(store.asked).toEqual([1, 404])
})

test('memory stays bounded with very many prices', async () => {
  const prices = createPrices(storeOf('{"unit":"free"}'))
  for (let id = 1000; id < 31_000; id++) await prices.find(id)
  let known = 0
  for (let id = 1000; id < 31_000; id++) if (prices.known(id)) known++
  expect(known).toBeLessThanOrEqual(10_000)
})
