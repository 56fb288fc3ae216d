import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { Batch } from '../../src/store/ports/records.ts'
import { reservation } from '../store/sqlite/file-store.ts'
import {
  type CommitterScene,
  createCommitterScene,
  one,
  opening,
  reserveBy,
} from './committer-scene.ts'

let scene: CommitterScene

beforeEach(async () => {
  scene = await createCommitterScene()
})
afterEach(() => scene[Symbol.asyncDispose]())

const asked = (id: number, amountNano = 100) => reservation({ requestId: `req_${id}`, amountNano })
const reserve = (id: number, amountNano?: number) =>
  reserveBy(scene.committer, asked(id, amountNano))
const grow = (id: number, byNano: number) =>
  scene.committer.grow({ requestId: `req_${id}`, accountId: 1, tokenId: 1, byNano })
/** How many of each kind a batch has. */
const counts = ({ settle = [], release = [], reserve = [], grow = [] }: Batch) =>
  [settle, release, reserve, grow].map(({ length }) => length)

describe('a reservation', () => {
  test('is told to be covered or not, and what is not covered is not there', async () => {
    expect(await Promise.all([reserve(1, opening - 10), reserve(2, 11), reserve(3, 10)])).toEqual([
      undefined,
      'balance',
      undefined,
    ])
    expect(scene.reserved()).toEqual({ req_1: opening - 10, req_3: 10 })
  })

  test('resolves only when it is committed', async () => {
    const reserved = reserve(1).then(() => scene.reserved())
    expect(scene.reserved()).toEqual({})
    expect(await reserved).toEqual({ req_1: 100 })
  })

  test('that somebody waits for is committed at once, and not those beside it', async () => {
    const first = reserve(1)
    const second = reserve(2)
    scene.committer.commitNow('req_1')
    scene.committer.commitNow('req_1')
    await first
    expect(Bun.peek.status(second)).toBe('pending')
    expect(scene.reserved()).toEqual({ req_1: 100 })
    expect(await second).toBeUndefined()
    expect(scene.batches.map(counts)).toEqual([
      [0, 0, 1, 0],
      [0, 0, 1, 0],
    ])
  })

  test('that cannot be stored is told, and is not tried later', async () => {
    const unlock = scene.lock()
    await expect(reserve(1)).rejects.toThrow('is locked by another process')
    unlock()
    await scene.committer.idle()
    expect(scene.reserved()).toEqual({})
  })

  test('of an unknown account takes no other with it', async () => {
    const unknown = reserveBy(scene.committer, { ...asked(1, 0), accountId: 99 })
    const results = await Promise.allSettled([unknown, reserve(2)])
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'fulfilled'])
    expect(scene.reserved()).toEqual({ req_2: 100 })
  })

  test('of a request that ends meanwhile is left out', async () => {
    const opened = [reserve(1), reserve(2), reserve(3)]
    const settled = scene.committer.settle(one(1))
    scene.committer.record(one(2))
    scene.committer.release('req_3')
    expect(await Promise.all(opened)).toEqual([undefined, undefined, undefined])
    await settled
    await scene.committer.idle()
    expect(scene.reserved()).toEqual({})
    expect(await scene.stored()).toEqual(['req_1', 'req_2'])
    // Whoever keeps account of what is open has been told of all three.
    const ended = scene.committed.flatMap(({ batch: { settle = [], release = [] } }) => [
      ...settle.map(({ request }) => request.requestId),
      ...release,
    ])
    expect(ended.toSorted()).toEqual(['req_1', 'req_2', 'req_3'])
  })

  test('leaves nothing behind when its request ends while the store is busy with it', async () => {
    const unlock = scene.lock()
    const under = scene.committer.settle(one(9)) // the commit that waits for the lock
    await new Promise((resolve) => setImmediate(resolve))
    void reserve(1)
    scene.committer.commitNow('req_1')
    void reserve(2)
    scene.committer.commitNow('req_2')
    const settled = scene.committer.settle(one(1))
    scene.committer.release('req_2')
    unlock()
    await Promise.all([under, settled])
    await scene.committer.idle()
    expect(scene.reserved()).toEqual({})
  })
})

describe('more for a reservation', () => {
  test('is told to be covered or not', async () => {
    await reserve(1, opening - 10)
    expect(await grow(1, 11)).toBe('balance')
    expect(await Promise.all([grow(1, 10), grow(2, 0)])).toEqual([undefined, 'balance'])
    expect(scene.reserved()).toEqual({ req_1: opening })
  })

  test('that cannot be stored is told', async () => {
    await reserve(1)
    const unlock = scene.lock()
    await expect(grow(1, 5)).rejects.toThrow('is locked by another process')
    unlock()
    expect(scene.reserved()).toEqual({ req_1: 100 })
  })
})

describe('a release', () => {
  test('frees what is committed, without a record', async () => {
    await Promise.all([reserve(1), reserve(2)])
    scene.committer.release('req_1')
    await scene.committer.idle()
    expect(scene.reserved()).toEqual({ req_2: 100 })
    expect(await scene.stored()).toEqual([])
  })
})

test('in one batch, what ends makes room for what begins and grows', async () => {
  const half = opening / 2
  await Promise.all([reserve(1, half), reserve(2, half - 10), reserve(3, 10)])
  // Begun in the other order, in one turn.
  const grown = grow(3, half - 20)
  const begun = reserve(4, half - 80)
  scene.committer.commitNow('req_4')
  scene.committer.release('req_2')
  const settled = scene.committer.settle(one(1, 90))
  expect(await Promise.all([grown, begun])).toEqual([undefined, undefined])
  await settled
  expect(counts(scene.batches.at(-1) ?? {})).toEqual([1, 1, 1, 1])
  expect(scene.reserved()).toEqual({ req_3: half - 10, req_4: half - 80 })
  expect(await scene.balance()).toBe(opening - 90)
})
