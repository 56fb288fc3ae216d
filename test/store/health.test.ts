import { afterEach, beforeEach, expect, test } from 'bun:test'
import type { CoolingRow } from '../../src/store/ports/counters.ts'
import type { Store } from '../../src/store/ports/store.ts'
import { type LentPlace, lendPlace } from '../support/empty-store.ts'
import { channelWrite, now, seed } from './support.ts'

let place: LentPlace
let store: Store
const open = () => place.open(() => now)

beforeEach(async () => {
  place = await lendPlace()
  store = await open()
  await seed(store)
  await store.admin.write({ channels: [channelWrite({ name: 'spare' })] })
})
afterEach(async () => {
  await store.close()
  await place[Symbol.asyncDispose]()
})

function cooling(changes: Partial<CoolingRow> = {}): CoolingRow {
  const row = { channelId: 1, key: '', model: '', cause: 'connect_failed', rounds: 1 }
  return { ...row, since: now, until: now + 1_000, ...changes }
}

test('what cools outlives the process', async () => {
  const rows = [
    cooling(),
    cooling({ model: 'small-1', cause: 'model_unavailable' }),
    cooling({ key: 'mark-1', cause: 'upstream_auth' }),
    cooling({ key: 'mark-1', model: 'small-1', cause: 'upstream_rate_limited', rounds: 3 }),
    cooling({ channelId: 2 }),
  ]
  await store.health.save(rows.toReversed(), [])
  await store.close()
  store = await open()
  expect(await store.health.load()).toEqual(rows)
})

test('a row that begins again is written over, and one that ended is removed', async () => {
  const [all, one] = [cooling(), cooling({ key: 'mark-1', model: 'small-1' })]
  await store.health.save([all, one, cooling({ key: 'mark-1' })], [])
  const longer = { ...one, cause: 'upstream_failed', until: now + 9_000, rounds: 2 }
  await store.health.save([longer], [all, cooling({ key: 'unknown' })])
  expect(await store.health.load()).toEqual([cooling({ key: 'mark-1' }), longer])
})

test('a row that ends and begins again at once is there', async () => {
  await store.health.save([cooling()], [])
  await store.health.save([cooling({ rounds: 2 })], [cooling()])
  expect(await store.health.load()).toEqual([cooling({ rounds: 2 })])
})

test('a channel that is cleared has nothing left that cools; others keep theirs', async () => {
  const others = cooling({ channelId: 2 })
  await store.health.save([cooling(), cooling({ key: 'mark-1' }), others], [])
  expect(await store.health.clear(1)).toBe(2)
  expect(await store.health.clear(1)).toBe(0)
  expect(await store.health.load()).toEqual([others])
})

test('a removed channel cools no more, whatever is still told of it', async () => {
  await store.health.save([cooling({ channelId: 2 })], [])
  await store.admin.write({ remove: { channels: ['spare'] } })
  expect(await store.health.clear(2)).toBe(0)
  await store.health.save([cooling({ channelId: 2 })], [])
  expect(await store.health.load()).toEqual([])
})

test('nothing is written when one row can not be', async () => {
  await expect(store.health.save([cooling(), cooling({ channelId: 99 })], [])).rejects.toThrow()
  expect(await store.health.load()).toEqual([])
})
