import { expect, test } from 'bun:test'
import { simulate } from '../../../src/app/prices/simulate.ts'
import type { CatalogStore } from '../../../src/store/ports/catalog.ts'
import type { RecordStore, StoredRequest } from '../../../src/store/ports/records.ts'
import { requestRow } from '../../store/support.ts'

const list = {
  form: 'config' as const,
  models: ['small'],
  find: () => ({ terms: { unit: 'call' as const, perCallNano: 3 }, rounded: false }),
}
const names = { account: 'a', token: 't', group: 'g', channel: 'c', attemptCount: 1 }

/** Stores of `count` requests that exist one at a time only. */
function storesOf(count: number) {
  let alive = 0
  let most = 0
  const gone = new FinalizationRegistry(() => alive--)
  async function* exportRequests(): AsyncGenerator<StoredRequest> {
    for (let id = 0; id < count; id++) {
      const row = { ...requestRow({ requestId: `r${id}` }), ...names, id, amountNano: 2 }
      gone.register(row, undefined)
      most = Math.max(most, ++alive)
      if (id % 10_000 === 0) {
        // Collected now, not when the collector pleases: then what is alive is what is held.
        Bun.gc(true)
        await new Promise((resolve) => setImmediate(resolve))
      }
      yield row
    }
  }
  const load: CatalogStore['load'] = async () => ({ channels: [], groups: [], prices: [] })
  const records = { exportRequests } as unknown as RecordStore
  const catalog = { load } as CatalogStore
  return { stores: { catalog, records }, most: () => most }
}

test('reads any number of records in bounded memory, and tells how far it is', async () => {
  const count = 300_000
  const { stores, most } = storesOf(count)
  const told: (readonly [number, boolean])[] = []
  const found = await simulate(stores, {
    list,
    progress: (read, done) => told.push([read, done]),
  })
  expect(found.total).toEqual({
    requests: count,
    charged_nano: 2 * count,
    // 3 × 0.8, rounded for each request as a charge is.
    simulated_nano: 2 * count,
    difference_nano: 0,
    percent: 0,
  })
  expect(told.slice(0, 2)).toEqual([
    [1000, false],
    [2000, false],
  ])
  expect(told.at(-1)).toEqual([count, true])
  expect(most()).toBeLessThan(count / 2)
})
