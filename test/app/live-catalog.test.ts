import { expect, test } from 'bun:test'
import { createLiveCatalog } from '../../src/app/live-catalog.ts'
import { createSecretBox } from '../../src/lib/secrets.ts'
import { openSqliteStore } from '../../src/store/sqlite/open.ts'
import { accountWrite, now, priceWrite } from '../store/support.ts'

test('of two readings at once the newer one holds, however long the older one takes', async () => {
  const store = openSqliteStore({ path: ':memory:', clock: () => now })
  const setPrice = (perCallNano: number) =>
    store.admin.write({
      accounts: [accountWrite()],
      prices: [priceWrite('small', { unit: 'call', perCallNano })],
    })
  await setPrice(1)
  let slow: Promise<void> | undefined
  const reading = {
    ...store,
    catalog: {
      ...store.catalog,
      async load() {
        const rows = await store.catalog.load()
        const waits = slow
        slow = undefined
        await waits
        return rows
      },
    },
  }
  const live = await createLiveCatalog(reading, createSecretBox('secret of a test'))
  const { promise, resolve } = Promise.withResolvers<void>()
  slow = promise
  const older = live.reload()
  await Promise.resolve() // it has read by now
  await setPrice(2)
  const newer = live.reload()
  await Bun.sleep(0)
  resolve()
  await Promise.all([older, newer])
  expect(live.rows().prices.map(({ terms }) => terms)).toEqual([{ unit: 'call', perCallNano: 2 }])
  await store.close()
})
