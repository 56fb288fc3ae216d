import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { Batch } from '../../src/store/ports/records.ts'
import { StoreError } from '../../src/store/ports/store-error.ts'
import { reservation } from '../store/sqlite/file-store.ts'
import { startOwnTime } from '../support/own-time.ts'
import {
  type CommitterScene,
  createCommitterScene,
  one,
  opening,
  reserveBy,
} from './committer-scene.ts'

// What the store can't take is taken later: once, all of it, whatever else happens meanwhile.

let scene: CommitterScene
/** The store's place is taken by what this throws. */
let onBatch: (batch: Batch) => void

beforeEach(async () => {
  onBatch = () => {}
  scene = await createCommitterScene({ onBatch: (batch) => onBatch(batch), busyTimeoutMs: 2_000 })
})
afterEach(() => scene[Symbol.asyncDispose]())

const full = () => {
  throw new StoreError('The disk is full.')
}
const turn = () => new Promise((resolve) => setImmediate(resolve))
const said = (text: string) => scene.lines.filter(({ message }) => message === text)
/** Lets everything that is asked for fail, so that it is kept. */
async function failing(ask: () => void): Promise<void> {
  onBatch = full
  ask()
  await scene.committer.idle()
  onBatch = () => {}
}

test('all that was kept is stored, once', async () => {
  await reserveBy(scene.committer, reservation({ requestId: 'req_4', amountNano: 5 }))
  await reserveBy(scene.committer, reservation({ requestId: 'req_5', amountNano: 6 }))
  await failing(() => {
    scene.committer.record(one(1))
    scene.committer.record(one(2, 0))
    scene.committer.keep(one(3, 30))
    scene.committer.keep(one(4, 40))
    scene.committer.release('req_5')
  })
  expect(await scene.stored()).toEqual([])
  await scene.committer.idle()
  await scene.committer.idle()
  expect((await scene.stored()).toSorted()).toEqual(['req_1', 'req_2', 'req_3', 'req_4'])
  expect(await scene.balance()).toBe(opening - 170)
  expect(scene.reserved()).toEqual({})
  expect(said('late requests stored')).toEqual([expect.objectContaining({ count: 5 })])
})

test('by itself, within about a second after the store works again', async () => {
  onBatch = full
  scene.committer.keep(one(1))
  while (said('requests still not stored').length === 0) await Bun.sleep(5)
  scene.committer.keep(one(2))
  onBatch = () => {}
  using time = startOwnTime()
  while ((await scene.stored()).length < 2) await Bun.sleep(5)
  expect(time.now()).toBeLessThan(2_000)
  expect(await scene.balance()).toBe(opening - 200)
})

test('however many were kept, one commit does not hold the store for long', async () => {
  const ids = Array.from({ length: 2_500 }, (_, id) => id)
  await failing(() => {
    for (const id of ids) scene.committer.keep(one(id))
  })
  const asked = scene.batches.length
  await scene.committer.idle()
  const sizes = scene.batches.slice(asked).map(({ settle = [] }) => settle.length)
  expect(sizes).toEqual([1_000, 1_000, 500])
  expect(await scene.balance()).toBe(opening - 250_000)
})

test('a charge is kept, however many failures are waiting before it', async () => {
  await failing(() => {
    for (let id = 10; id < 100_010; id++) scene.committer.keep(one(id, 0))
    scene.committer.keep(one(1, 0))
    scene.committer.keep(one(2, 30))
  })
  expect(said('request record not stored').map(({ request_id }) => request_id)).toEqual(['req_1'])
  const kept = said('request not stored: it is lost if the process ends now')
  expect(kept.length).toBe(100_001)
  expect(kept.at(-1)).toMatchObject({ request_id: 'req_2', amount_nano: 30 })
})

test('nor do very many that come in one turn, and all are answered', async () => {
  await Promise.all(Array.from({ length: 1_500 }, (_, id) => scene.committer.settle(one(id))))
  expect(scene.batches.map(({ settle = [] }) => settle.length)).toEqual([1_000, 500])
  expect(await scene.balance()).toBe(opening - 150_000)
})

test('what was stored after all, though it seemed to have failed, is charged once', async () => {
  await scene.committer.settle(one(1))
  scene.committer.keep(one(1))
  scene.committer.keep(one(2))
  await scene.committer.idle()
  expect(await scene.balance()).toBe(opening - 200)
})

test('whoever keeps account of balances is told of the late ones too', async () => {
  await failing(() => scene.committer.keep(one(1)))
  await scene.committer.idle()
  expect(scene.committed.at(-1)?.result.accounts).toEqual([
    { accountId: 1, balanceNano: opening - 100 },
  ])
})

test('one that can never be stored does not hold back the others', async () => {
  await failing(() => {
    scene.committer.keep(one(1))
    scene.committer.keep(one(2, -1))
    scene.committer.keep(one(3))
  })
  await scene.committer.idle()
  expect(await scene.stored()).toEqual(['req_1', 'req_3'])
  expect(said('request record not stored')).toEqual([
    expect.objectContaining({ level: 'error', request_id: 'req_2' }),
  ])
  const asked = scene.batches.length
  await scene.committer.idle()
  expect(scene.batches.length).toBe(asked) // it is given up
})

test('what is kept while others are being stored is not forgotten', async () => {
  scene.committer.keep(one(1))
  const unlock = scene.lock()
  const storing = scene.committer.idle() // waits for the lock, with the first one
  await turn()
  scene.committer.keep(one(2))
  unlock()
  await storing
  await scene.committer.idle()
  expect(await scene.stored()).toEqual(['req_1', 'req_2'])
  expect(await scene.balance()).toBe(opening - 200)
})

test('a store that fails again half-way keeps the rest', async () => {
  await failing(() => {
    for (const id of [1, 3, 4]) scene.committer.keep(one(id))
    scene.committer.keep(one(2, -1)) // what it takes to have them stored one by one
  })
  let singly = 0
  onBatch = ({ settle = [] }) => {
    if (settle.length === 1 && ++singly > 1) full()
  }
  await scene.committer.idle()
  expect(await scene.stored()).toEqual(['req_1'])
  onBatch = () => {}
  await scene.committer.idle()
  expect((await scene.stored()).toSorted()).toEqual(['req_1', 'req_3', 'req_4'])
  expect(await scene.balance()).toBe(opening - 300)
})

describe('at shutdown', () => {
  test('what was kept is stored before the process ends', async () => {
    await failing(() => scene.committer.keep(one(1)))
    await scene.committer.idle()
    expect(await scene.stored()).toEqual(['req_1'])
  })

  test('a store that does not work holds nobody up, and what is lost is named', async () => {
    onBatch = full
    scene.committer.keep(one(1))
    using time = startOwnTime()
    await scene.committer.idle()
    expect(time.now()).toBeLessThan(500)
    expect(said('requests still not stored')).toHaveLength(1)
    expect(said('request not stored: it is lost if the process ends now')).toMatchObject([
      { level: 'error', request_id: 'req_1', amount_nano: 100 },
    ])
  })
})
