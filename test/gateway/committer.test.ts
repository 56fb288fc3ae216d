import { afterEach, beforeEach, expect, test } from 'bun:test'
import { type CommitterScene, createCommitterScene, one, opening } from './committer-scene.ts'

let scene: CommitterScene
const settle = (id: number, amountNano?: number) => scene.committer.settle(one(id, amountNano))
const sizes = () => scene.batches.map(({ settle = [] }) => settle.length)
const figures = () => scene.committed.map(({ result }) => result.accounts)

beforeEach(async () => {
  scene = await createCommitterScene()
})
afterEach(() => scene[Symbol.asyncDispose]())

test('what is ready in one turn of the event loop shares one commit', async () => {
  await Promise.all([1, 2, 3].map((id) => settle(id)))
  expect(sizes()).toEqual([3])
  expect(figures()).toEqual([[{ accountId: 1, balanceNano: opening - 300 }]])
  await Promise.all([4, 5].map((id) => settle(id)))
  expect(sizes()).toEqual([3, 2])
  expect(await scene.stored()).toEqual([1, 2, 3, 4, 5].map((id) => `req_${id}`))
})

test('what comes while a commit is under way is in the next one', async () => {
  const first = settle(1).then(() => settle(2))
  await Promise.all([first, settle(3)])
  expect(sizes()).toEqual([2, 1])
})

test('it resolves only when the row is there, and the new figures are known', async () => {
  const settled = settle(1).then(() => scene.committed.length)
  expect(await scene.stored()).toEqual([])
  expect(await settled).toBe(1)
  expect(await scene.stored()).toEqual(['req_1'])
})

test('one that cannot be stored does not take the others with it', async () => {
  const results = await Promise.allSettled([settle(1), settle(2, -1), settle(3)])
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(results[1]).toMatchObject({ reason: { message: expect.stringContaining('req_2') } })
  expect(await scene.stored()).toEqual(['req_1', 'req_3'])
  expect(figures().at(-1)).toEqual([{ accountId: 1, balanceNano: opening - 200 }])
  await settle(4)
  expect(await scene.stored()).toEqual(['req_1', 'req_3', 'req_4'])
})

test('the same request twice is charged once', async () => {
  await Promise.all([settle(1), settle(1)])
  await settle(1)
  expect(figures().at(-1)).toEqual([{ accountId: 1, balanceNano: opening - 100 }])
  expect(await scene.stored()).toEqual(['req_1'])
})

test('a store that fails as a whole is not asked for each one again', async () => {
  const unlock = scene.lock()
  const results = await Promise.allSettled([1, 2, 3].map((id) => settle(id)))
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
  expect(sizes()).toEqual([3])
  unlock()
  await settle(4)
  expect(await scene.balance()).toBe(opening - 100)
})

test('a record that nobody waits for is stored, or its failure logged', async () => {
  scene.committer.record(one(1))
  scene.committer.record(one(2, -1))
  await scene.committer.idle()
  expect(await scene.stored()).toEqual(['req_1'])
  expect(scene.lines).toEqual([expect.objectContaining({ level: 'error', request_id: 'req_2' })])
})

test('idle waits for everything, also for what was added meanwhile', async () => {
  scene.committer.record(one(1))
  void settle(2).then(() => scene.committer.record(one(3)))
  await scene.committer.idle()
  expect(await scene.stored()).toEqual(['req_1', 'req_2', 'req_3'])
  await scene.committer.idle()
})
