import { afterEach, describe, expect, test } from 'bun:test'
import type {
  AvailabilityBucket,
  AvailabilityStore,
  BucketSize,
  Fault,
} from '../../src/store/ports/availability.ts'
import type { Store } from '../../src/store/ports/store.ts'
import { createDice } from '../fuzz/dice.ts'
import { lendPlace, openStore as openEmpty } from '../support/empty-store.ts'
import { groupWrite, now, seed } from './support.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

const bucket = (changes: Partial<AvailabilityBucket> = {}): AvailabilityBucket => ({
  ...{ groupId: 1, model: 'small', startedAt: now },
  ...{ succeeded: 1, failed: {}, firstByte: [0, 1], firstByteMs: 60 },
  ...{ outputTokens: 10, generationMs: 200 },
  ...changes,
})

const opened: Store[] = []
afterEach(async () => {
  for (const store of opened.splice(0)) await store.close()
})

/** A store with groups 1 and 2. */
async function openStore(coming = openEmpty(() => now)): Promise<Store> {
  const store = await coming
  opened.push(store)
  await seed(store)
  await store.admin.write({ groups: [groupWrite({ name: 'second' })] })
  return store
}

const all = (availability: AvailabilityStore, size: BucketSize) =>
  availability.read(size, 0, Number.MAX_SAFE_INTEGER)

test('minutes are read as they were added, and make an hour and a day', async () => {
  const { availability } = await openStore()
  const first = bucket({ failed: { upstream: 2 }, firstByte: [0, 1, 0, 3] })
  const later = bucket({ startedAt: now + minuteMs, failed: { client: 1 } })
  await availability.add([first, later])
  expect(await all(availability, 'minute')).toEqual([first, later])
  const sum = {
    ...{ groupId: 1, model: 'small', succeeded: 2, failed: { client: 1, upstream: 2 } },
    ...{ firstByte: [0, 2, 0, 3], firstByteMs: 120, outputTokens: 20, generationMs: 400 },
  }
  expect(await all(availability, 'hour')).toEqual([{ ...sum, startedAt: now }])
  expect(await all(availability, 'day')).toEqual([{ ...sum, startedAt: now - 8 * hourMs }])
})

test('groups and models do not mix, whatever their names are', async () => {
  const { availability } = await openStore()
  const names = ['small', 'Small', 'a"b', "it's\n", '模型', '']
  const added = [1, 2].flatMap((groupId) =>
    names.map((model, i) => bucket({ groupId, model, succeeded: groupId * 10 + i })),
  )
  await availability.add(added)
  await availability.add(added)
  const read = await all(availability, 'minute')
  expect(read).toHaveLength(12)
  for (const { groupId, model, succeeded } of added) {
    const found = read.find((one) => one.groupId === groupId && one.model === model)
    expect(found?.succeeded).toBe(2 * succeeded)
  }
})

test('one group is read by itself, from the first moment to before the last', async () => {
  const { availability } = await openStore()
  const starts = [0, 1, 2, 3].map((minutes) => now + minutes * minuteMs)
  const added = starts.flatMap((startedAt) =>
    [1, 2].map((groupId) => bucket({ groupId, startedAt, succeeded: groupId })),
  )
  await availability.add(added)
  const read = await availability.readGroup(2, 'minute', now + 1, now + 3 * minuteMs)
  expect(read).toEqual(added.filter((_, place) => [3, 5].includes(place)))
  expect(await availability.readGroup(1, 'hour', now - hourMs, now + hourMs)).toHaveLength(1)
  expect(await availability.readGroup(3, 'minute', now, now + hourMs)).toEqual([])
})

test('reading begins with the first moment and ends before the last, oldest first', async () => {
  const { availability } = await openStore()
  const starts = [3, 1, 0, 2].map((minutes) => now + minutes * minuteMs)
  await availability.add(starts.map((startedAt) => bucket({ startedAt })))
  const read = await availability.read('minute', now, now + 3 * minuteMs)
  expect(read.map(({ startedAt }) => startedAt - now)).toEqual([0, minuteMs, 2 * minuteMs])
  expect(await availability.read('minute', now + 1, now + minuteMs)).toEqual([])
})

test('a store that is opened again goes on where it ended', async () => {
  await using place = await lendPlace()
  const first = await openStore(place.open(() => now))
  await first.availability.add([bucket()])
  await first.close()
  const second = await place.open(() => now)
  await second.availability.add([bucket({ failed: { model: 1 } })])
  expect(await all(second.availability, 'minute')).toEqual([
    bucket({
      ...{ succeeded: 2, failed: { model: 1 }, firstByte: [0, 2] },
      ...{ firstByteMs: 120, outputTokens: 20, generationMs: 400 },
    }),
  ])
  await second.close()
})

test('of a transaction that fails nothing is stored', async () => {
  const { availability } = await openStore()
  await expect(availability.add([bucket(), bucket({ groupId: 99 })])).rejects.toThrow()
  expect(await all(availability, 'minute')).toEqual([])
})

const faults = ['client', 'channel', 'model', 'upstream', 'gateway'] as const

/** The sums of all buckets of a size, by group and model. */
async function sums(availability: AvailabilityStore, size: BucketSize) {
  const found: { [key: string]: number } = {}
  const add = (name: string, count: number) => {
    if (count > 0) found[name] = (found[name] ?? 0) + count
  }
  for (const { groupId, model, startedAt, ...counts } of await all(availability, size)) {
    const key = `${groupId} ${model}`
    for (const fault of faults) add(`${key} ${fault}`, counts.failed[fault] ?? 0)
    for (const [place, count] of counts.firstByte.entries()) add(`${key} ${place}`, count)
    for (const name of ['succeeded', 'firstByteMs', 'outputTokens', 'generationMs'] as const)
      add(`${key} ${name}`, counts[name])
  }
  return found
}

test.each([1, 2, 3, 4])('minutes, hours and days have the same sums (seed %d)', async (seed) => {
  const dice = createDice('availability', seed)
  const { availability } = await openStore()
  const someBucket = () =>
    bucket({
      groupId: 1 + dice.below(2),
      model: dice.pick(['a', 'b', 'c']),
      startedAt: now - dice.below(5_000) * minuteMs,
      succeeded: dice.below(9),
      failed: Object.fromEntries(
        faults.filter(() => dice.once(3)).map((fault): [Fault, number] => [fault, dice.below(4)]),
      ),
      firstByte: Array.from({ length: dice.below(16) }, () => dice.below(3)),
      firstByteMs: dice.below(10_000),
      outputTokens: dice.below(3) && dice.below(1e9),
      generationMs: dice.below(1e6),
    })
  for (let round = 0; round < 30; round++) {
    await availability.add(Array.from({ length: 1 + dice.below(40) }, someBucket))
  }
  const minutes = await sums(availability, 'minute')
  expect(Object.keys(minutes).length).toBeGreaterThan(50)
  expect(await sums(availability, 'hour')).toEqual(minutes)
  expect(await sums(availability, 'day')).toEqual(minutes)
})

test('more than one reading holds are read whole and in order', async () => {
  const { availability } = await openStore()
  const starts = [now, now + minuteMs, now + 2 * minuteMs]
  const added = starts.flatMap((startedAt) =>
    Array.from({ length: 700 }, (_, i) => bucket({ startedAt, model: `m${1_000 + i}` })),
  )
  await availability.add(added)
  expect(await all(availability, 'minute')).toEqual(added)
})

describe('removing what is old', () => {
  const kept = { minute: 2 * dayMs, hour: 35 * dayMs, day: 400 * dayMs }

  test('minutes are kept for 2 days, hours for 35, days for 400', async () => {
    const { availability } = await openStore()
    const later = now + 500 * dayMs
    // One before and one at the limit of each size; they leave hours and days behind them.
    const ages = Object.values(kept).flatMap((ageMs) => [ageMs, ageMs + dayMs])
    await availability.add(
      ages.map((ageMs) => bucket({ startedAt: later - ageMs - ((later - ageMs) % dayMs) })),
    )
    await availability.prune(later)
    for (const size of ['minute', 'hour', 'day'] as const) {
      const starts = (await all(availability, size)).map(({ startedAt }) => startedAt)
      expect(Math.min(...starts)).toBeGreaterThanOrEqual(later - kept[size])
      const added = ages.map((ageMs) => later - ageMs - ((later - ageMs) % dayMs))
      expect(new Set(starts)).toEqual(new Set(added.filter((at) => at >= later - kept[size])))
    }
  })

  test('very many go little by little, and nothing else waits for all of them', async () => {
    const { availability, admin } = await openStore()
    const minutes = Array.from({ length: 60 }, (_, minute) => now + minute * minuteMs)
    await availability.add(
      minutes.flatMap((startedAt) =>
        Array.from({ length: 1_000 }, (_, i) => bucket({ startedAt, model: `m${i}` })),
      ),
    )
    let turns = 0
    let isPruning = true
    const beside = async () => {
      while (isPruning) {
        await new Promise((resolve) => setImmediate(resolve))
        turns++
      }
    }
    const counting = beside()
    await availability.prune(now + 3 * dayMs)
    isPruning = false
    await counting
    expect(turns).toBeGreaterThan(50)
    expect(await admin.account('ann@example.com')).toBeDefined()
    expect(await all(availability, 'minute')).toHaveLength(10_000)
    await availability.prune(now + 3 * dayMs)
    expect(await all(availability, 'minute')).toHaveLength(0)
    expect(await all(availability, 'hour')).toHaveLength(1_000)
  })
})
