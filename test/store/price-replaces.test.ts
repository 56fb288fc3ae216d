import { expect, test } from 'bun:test'
import type { PriceTerms } from '../../src/store/ports/catalog.ts'
import { openStore } from '../support/empty-store.ts'
import { now, priceWrite } from './support.ts'

const price = (perCallNano: number) =>
  priceWrite('small', { unit: 'call', perCallNano } satisfies PriceTerms)

test('a price is written only over the one that it was compared with', async () => {
  const store = await openStore(() => now)
  const inForce = async () => (await store.catalog.load()).prices[0]
  const write = (perCallNano: number, replaces: number | null) =>
    store.admin.write({ prices: [{ ...price(perCallNano), replaces }] })

  await write(1, 7)
  expect(await inForce()).toBeUndefined()
  await write(1, null)
  expect(await inForce()).toMatchObject({ id: 1, terms: { perCallNano: 1 } })
  await write(2, null)
  expect(await inForce()).toMatchObject({ id: 1 })
  await write(2, 1)
  expect(await inForce()).toMatchObject({ id: 2, terms: { perCallNano: 2 } })
  await write(3, 1)
  expect(await inForce()).toMatchObject({ id: 2 })
  await store.admin.write({ prices: [price(3)] })
  expect(await inForce()).toMatchObject({ id: 3, terms: { perCallNano: 3 } })
  await store.close()
})
