import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { Batch, Settlement, Spool } from '../../src/store/ports/records.ts'
import { StoreError, UnansweredError } from '../../src/store/ports/store-error.ts'
import { reservation } from '../store/sqlite/file-store.ts'
import {
  type CommitterScene,
  createCommitterScene,
  one,
  opening,
  reserveBy,
} from './committer-scene.ts'

// What an answer owes is committed, or in the spool, before it goes out: else it does not.

let scene: CommitterScene
let spool: ReturnType<typeof createTestSpool>
/** The store's place is taken by what this throws. */
let onBatch: (batch: Batch) => void

/** A spool in memory, which may fail. */
function createTestSpool() {
  const adds: string[][] = []
  const waiting = new Set<string>()
  const aside: string[] = []
  let isFull = false
  const idOf = ({ request }: Settlement) => request.requestId
  const methods: Spool = {
    async add(settlements) {
      const fresh = settlements.map(idOf).filter((id) => !waiting.has(id))
      if (isFull && fresh.length > 0) throw new Error('ENOSPC')
      if (fresh.length > 0) adds.push(fresh)
      for (const id of fresh) waiting.add(id)
    },
    has: (id) => waiting.has(id),
    stored(ids) {
      for (const id of ids) waiting.delete(id)
    },
    async quarantine(settlement) {
      aside.push(idOf(settlement))
    },
    count: () => waiting.size,
    hasFailed: () => isFull,
    remark: () => undefined,
  }
  return {
    ...{ ...methods, adds, aside, waiting },
    fill(isSo: boolean) {
      isFull = isSo
    },
  }
}

beforeEach(async () => {
  onBatch = () => {}
  spool = createTestSpool()
  scene = await createCommitterScene({ onBatch: (batch) => onBatch(batch), spool })
})
afterEach(() => scene[Symbol.asyncDispose]())

const silent = () => {
  throw new UnansweredError('Nothing answers.')
}
const full = () => {
  throw new StoreError('The disk is full.')
}
const said = (text: string) => scene.lines.filter(({ message }) => message === text)

test('while the store works nothing is given to the spool', async () => {
  await Promise.all([scene.committer.settle(one(1)), scene.committer.settle(one(2))])
  await scene.committer.idle()
  expect(spool.adds).toEqual([])
})

test('a thousand in a commit that is not answered are synced at once, and stored later, once', async () => {
  onBatch = silent
  const all = Array.from({ length: 1_000 }, (_, id) => scene.committer.settle(one(id)))
  await Promise.all(all)
  expect(spool.adds.map(({ length }) => length)).toEqual([1_000])
  expect(scene.committer.isBehind()).toBe(true)
  onBatch = () => {}
  await scene.committer.idle()
  expect(await scene.balance()).toBe(opening - 100_000)
  expect([spool.count(), scene.committer.isBehind()]).toEqual([0, false])
})

describe.each([
  ['silent', silent],
  ['full', full],
])('before a store that is %s', (_, trouble) => {
  test('neither stored nor spooled: it is told, and asked for again each second', async () => {
    onBatch = trouble
    spool.fill(true)
    await expect(scene.committer.settle(one(1))).rejects.toThrow(StoreError)
    scene.committer.keep(one(1))
    spool.fill(false)
    await scene.committer.idle()
    expect([...spool.waiting]).toEqual(['req_1'])
    expect(said('request not stored: it is lost if the process ends now')).toEqual([])
  })

  test('what began while it takes nothing is refused, however late its reservation fails', async () => {
    onBatch = trouble
    const asked = (id: number) => reservation({ requestId: `req_${id}`, amountNano: 100 })
    const early = reserveBy(scene.committer, asked(1))
    await expect(scene.committer.settle(one(1))).rejects.toThrow(StoreError)
    expect(await early).toBeUndefined()
    const late = reserveBy(scene.committer, asked(2))
    scene.committer.commitNow('req_2')
    const settled = scene.committer.settle(one(2))
    const ends = await Promise.allSettled([late, settled])
    expect(ends.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    expect(spool.adds).toEqual([])
  })

  test('what was under way ends whole', async () => {
    await reserveBy(scene.committer, reservation({ requestId: 'req_1', amountNano: 100 }))
    onBatch = trouble
    await scene.committer.settle(one(1))
    expect([...spool.waiting]).toEqual(['req_1'])
  })

  test('a record that carries no money waits in memory, and at the end in the spool', async () => {
    onBatch = trouble
    scene.committer.record(one(1, 0))
    while (!scene.committer.isBehind()) await Bun.sleep(1)
    expect(spool.adds).toEqual([])
    await scene.committer.idle()
    expect([...spool.waiting]).toEqual(['req_1'])
    expect(said('requests wait in the spool: the next start stores them')).toHaveLength(1)
  })
})

test('what can never be stored is refused at once, and set aside where the client has a part of it', async () => {
  await expect(scene.committer.settle(one(1, 0.5))).rejects.toThrow(RangeError)
  expect(spool.adds).toEqual([])
  scene.committer.keep(one(1, 0.5))
  scene.committer.keep(one(2))
  await scene.committer.idle()
  expect(spool.aside).toEqual(['req_1'])
  expect(await scene.balance()).toBe(opening - 100)
})
