import { expect, test } from 'bun:test'
import { createLiveCatalog } from '../../src/app/live-catalog.ts'
import { catalogSteps } from '../../src/catalog/catalog.ts'
import { createSecretBox } from '../../src/lib/secrets.ts'
import { openSqliteStore } from '../../src/store/sqlite/open.ts'
import { accountWrite, channelWrite, groupWrite, now, priceWrite } from '../store/support.ts'

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

test('a catalog of 10,000 offers is built in steps, between which others get their turn', async () => {
  const store = openSqliteStore({ path: ':memory:', clock: () => now })
  const ids = Array.from({ length: 1_000 }, (_, at) => `model-${at}`)
  await store.admin.write({
    channels: [channelWrite({ name: 'main', models: ids.map((id) => ({ id, upstream: id })) })],
    groups: Array.from({ length: 10 }, (_, at) => groupWrite({ name: `group ${at}` })),
    prices: ids.map((id) => priceWrite(id, { unit: 'call', perCallNano: 1 })),
  })
  const rows = await store.catalog.load()
  const steps = catalogSteps(
    rows,
    () => [],
    () => '',
  )
  let pauses = 0
  let step = steps.next()
  for (; !step.done; pauses++) step = steps.next()
  expect(step.value.models.size).toBe(1_000)
  expect(pauses).toBeGreaterThanOrEqual(200)
  await store.close()
})
