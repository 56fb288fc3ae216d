import { describe, expect, test } from 'bun:test'
import { hoursKept } from '../../../src/catalog/availability.ts'
import { createPastHours } from '../../../src/gateway/availability/availability-windows.ts'
import { type AvailabilityBucket, bucketMs } from '../../../src/store/ports/availability.ts'
import { groupWrite, seed, now as start } from '../../store/support.ts'
import { openStore } from '../../support/empty-store.ts'

const hourMs = bucketMs.hour
const thisHour = start - (start % hourMs)
const first = thisHour - (hoursKept - 1) * hourMs

const minute = (hoursAgo: number, changes: Partial<AvailabilityBucket> = {}) => ({
  ...{ groupId: 1, model: 'small', startedAt: thisHour - hoursAgo * hourMs, succeeded: 3 },
  ...{ failed: {}, firstByte: [], firstByteMs: 0, outputTokens: 0, generationMs: 0 },
  ...changes,
})

/** Past hours over a real store; what is read is counted. */
async function startScene(
  stored: readonly AvailabilityBucket[] = [],
  readingMs = Number.POSITIVE_INFINITY,
) {
  const store = await openStore(() => start)
  await seed(store)
  await store.admin.write({ groups: [groupWrite({ name: 'second' })] })
  await store.availability.add(stored)
  let reads = 0
  let goodReads = Number.POSITIVE_INFINITY
  const past = createPastHours(
    {
      async read(...asked) {
        reads++
        if (reads > goodReads) throw new Error('the disk is gone')
        return store.availability.read(...asked)
      },
    },
    readingMs,
  )
  return {
    past,
    reads: () => reads,
    /** So many reads end well from now on. */
    breakStoreAfter(more: number) {
      goodReads = reads + more
    },
    /** Stores as the gateway does. */
    async add(...buckets: readonly AvailabilityBucket[]) {
      await store.availability.add(buckets)
      past.stored(buckets)
    },
    /** Hours ago, requests, failures. */
    hours: (groupId = 1, more: Parameters<typeof past.of>[1] = new Map()) =>
      past
        .of(groupId, more)
        .map(({ startedAt, requests, failed }) => [
          (thisHour - startedAt) / hourMs,
          requests,
          failed,
        ]),
    [Symbol.asyncDispose]: () => store.close(),
  }
}

test('35 days of hours are known, those of all models together, each group for itself', async () => {
  await using scene = await startScene([
    minute(0),
    minute(5, { failed: { upstream: 2, client: 9 } }),
    minute(5, { model: 'large', failed: { gateway: 1, model: 1 } }),
    minute(5, { groupId: 2 }),
    minute(6, { succeeded: 0, failed: { client: 4 } }),
    minute(hoursKept - 1),
    minute(hoursKept),
  ])
  await scene.past.moveOn(start)
  expect(scene.hours()).toEqual([
    [hoursKept - 1, 3, 0],
    [5, 10, 4],
    [0, 3, 0],
  ])
  expect(scene.hours(2)).toEqual([[5, 3, 0]])
  expect(scene.hours(3)).toEqual([])
  expect(scene.past.from()).toBe(first)
})

test('with very much to read, each time goes on where the last one ended', async () => {
  await using scene = await startScene([minute(0), minute(2), minute(3)], 0)
  const known = []
  for (let i = 0; i < 3; i++) {
    await scene.past.moveOn(start)
    known.push([thisHour - (scene.past.from() ?? 0), scene.hours().length])
  }
  expect(known).toEqual([
    [hourMs, 1],
    [2 * hourMs, 2],
    [3 * hourMs, 3],
  ])
})

test('each hour is read once in the life of the process', async () => {
  await using scene = await startScene([minute(4)])
  await scene.past.moveOn(start)
  expect(scene.reads()).toBe(hoursKept)
  await scene.past.moveOn(start + 7 * hourMs)
  await scene.past.moveOn(start + 8 * hourMs)
  expect(scene.reads()).toBe(hoursKept)
})

test('what is stored meanwhile counts once, whether its hour was read before or not', async () => {
  await using scene = await startScene([minute(1)])
  await scene.add(minute(1))
  await scene.past.moveOn(start)
  await scene.add(minute(1), minute(0), minute(-1))
  expect(scene.hours()).toEqual([
    [1, 9, 0],
    [0, 3, 0],
    [-1, 3, 0],
  ])
})

test('what is not stored yet is added to what is', async () => {
  await using scene = await startScene([minute(1)])
  await scene.past.moveOn(start)
  const more = new Map([
    [thisHour - hourMs, { requests: 2, failed: 1 }],
    [thisHour, { requests: 4, failed: 0 }],
  ])
  expect(scene.hours(1, more)).toEqual([
    [1, 5, 1],
    [0, 4, 0],
  ])
  expect(scene.hours()).toEqual([[1, 3, 0]])
})

describe('time goes on', () => {
  test('and hours that are too old are forgotten', async () => {
    await using scene = await startScene([minute(hoursKept - 1), minute(hoursKept - 2)])
    await scene.past.moveOn(start)
    expect(scene.hours()).toHaveLength(2)
    await scene.past.moveOn(start + hourMs)
    expect(scene.hours()).toEqual([[hoursKept - 2, 3, 0]])
    expect(scene.past.from()).toBe(first + hourMs)
    await scene.past.moveOn(start + 2 * hourMs)
    expect(scene.hours()).toEqual([])
  })

  test('or back, and earlier ones are found', async () => {
    await using scene = await startScene([minute(hoursKept), minute(-1)])
    await scene.past.moveOn(start)
    expect(scene.hours()).toEqual([[-1, 3, 0]])
    await scene.past.moveOn(start - hourMs)
    expect(scene.hours()).toEqual([
      [hoursKept, 3, 0],
      [-1, 3, 0],
    ])
  })
})

test('a store that fails half way is asked for the rest the next time, and for nothing twice', async () => {
  await using scene = await startScene([minute(0), minute(2), minute(9)])
  scene.breakStoreAfter(0)
  await expect(scene.past.moveOn(start)).rejects.toThrow('the disk is gone')
  expect([scene.past.from(), scene.hours()]).toEqual([undefined, []])
  scene.breakStoreAfter(4)
  await expect(scene.past.moveOn(start)).rejects.toThrow('the disk is gone')
  expect(scene.past.from()).toBe(thisHour - 3 * hourMs)
  expect(scene.hours()).toEqual([
    [2, 3, 0],
    [0, 3, 0],
  ])
  // One hour of these was read, the other was not.
  await scene.add(minute(2), minute(9))
  scene.breakStoreAfter(hoursKept)
  await scene.past.moveOn(start)
  expect(scene.hours()).toEqual([
    [9, 6, 0],
    [2, 6, 0],
    [0, 3, 0],
  ])
})
