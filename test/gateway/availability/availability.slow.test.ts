import { describe, expect, test } from 'bun:test'
import {
  availabilityOf,
  bucketStart,
  requestsOf,
  type WindowName,
  windowStart,
  windows,
} from '../../../src/catalog/availability.ts'
import {
  type AvailabilityOutcome,
  createAvailability,
} from '../../../src/gateway/availability/availability.ts'
import { createLogger } from '../../../src/lib/log.ts'
import type { AvailabilityStore } from '../../../src/store/ports/availability.ts'
import { StoreError } from '../../../src/store/ports/store-error.ts'
import { createDice } from '../../fuzz/dice.ts'
import { groupWrite, seed, now as start } from '../../store/support.ts'
import { openStore } from '../../support/empty-store.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

const outcome = (changes: Partial<AvailabilityOutcome> = {}): AvailabilityOutcome => ({
  ...{ groupId: 1, model: 'small', fault: null },
  ...{ firstByteMs: 120, outputTokens: 10, generationMs: 500 },
  ...changes,
})

/** Availability over a real store that can be made to fail, by a clock and a timer of the test. */
async function startScene() {
  let now = start
  let isBroken = false
  let task = () => {}
  const complaints: string[] = []
  const clock = () => now
  const log = createLogger({
    sink: (line) => complaints.push(line),
    pretty: false,
    clock,
    level: 'warn',
  })
  const store = await openStore(clock)
  await seed(store)
  await store.admin.write({ groups: [groupWrite({ name: 'second' })] })
  const { availability: real } = store
  const given: AvailabilityStore = {
    ...real,
    add: async (minutes) => {
      if (isBroken) throw new StoreError('the disk is full')
      await real.add(minutes)
    },
  }
  let stops = 0
  const open = () =>
    createAvailability({
      store: given,
      clock,
      log,
      repeat: (work) => {
        task = work
        return () => {
          stops++
        }
      },
    })
  let availability = open()
  return {
    complaints,
    stored: () => real.read('minute', 0, Number.MAX_SAFE_INTEGER),
    record: (changes?: Partial<AvailabilityOutcome>) => availability.record(outcome(changes)),
    flush: () => availability.flush(),
    look: ((work) => availability.look(work)) as typeof availability.look,
    /** How many requests count in a window. */
    requests: (window: WindowName, groupId = 1, model?: string) =>
      availability.look((figures) => {
        const counts = figures.counts(window, groupId, model)
        return counts === undefined ? 0 : requestsOf(counts)
      }),
    /** The timer fires; resolves when its work is done. */
    async fire() {
      task()
      await availability.look(() => {})
    },
    breakStore(broken: boolean) {
      isBroken = broken
    },
    wait(ms: number) {
      now += ms
    },
    now: clock,
    async restart() {
      await availability.stop()
      availability = open()
    },
    stop: () => availability.stop(),
    stops: () => stops,
    [Symbol.asyncDispose]: () => store.close(),
  }
}

test('what is recorded is seen at once, and stored by the timer', async () => {
  await using scene = await startScene()
  scene.record()
  scene.record({ fault: 'upstream', firstByteMs: null })
  scene.record({ fault: 'client', firstByteMs: null })
  expect(await scene.requests('5m')).toBe(2)
  expect(await scene.stored()).toEqual([])
  await scene.fire()
  expect(await scene.stored()).toMatchObject([
    { succeeded: 1, failed: { upstream: 1, client: 1 }, startedAt: start, firstByteMs: 120 },
  ])
  expect(await scene.requests('5m')).toBe(2)
})

test('a restart goes on with the present minute instead of beginning it anew', async () => {
  await using scene = await startScene()
  scene.record()
  await scene.restart()
  scene.record({ fault: 'gateway' })
  expect(await scene.requests('1h')).toBe(2)
  await scene.restart()
  expect(await scene.stored()).toMatchObject([{ succeeded: 1, failed: { gateway: 1 } }])
  expect(await scene.requests('90d')).toBe(2)
})

test('times of failures, and tokens that came in one piece, say nothing of how fast answers are', async () => {
  await using scene = await startScene()
  scene.record({ outputTokens: 10, generationMs: 1_000.4 })
  scene.record({ outputTokens: 70, generationMs: null, firstByteMs: null })
  scene.record({ outputTokens: 70, generationMs: 0 })
  scene.record({ outputTokens: 90, fault: 'model', firstByteMs: 9_000 })
  await scene.flush()
  const [bucket] = await scene.stored()
  expect(bucket).toMatchObject({ outputTokens: 10, generationMs: 1_000, firstByteMs: 240 })
  expect(bucket?.firstByte).toEqual([0, 0, 2])
})

describe('a store that fails', () => {
  test('gets later what it did not take, and figures hold in the meantime', async () => {
    await using scene = await startScene()
    scene.record()
    expect(await scene.requests('24h')).toBe(1)
    scene.breakStore(true)
    await scene.fire()
    scene.wait(2 * minuteMs)
    scene.record({ model: 'large' })
    await scene.fire()
    expect(await scene.stored()).toEqual([])
    expect(await scene.requests('24h')).toBe(2)
    expect(scene.complaints.join()).toContain('availability counts not stored yet')
    scene.breakStore(false)
    await scene.fire()
    expect((await scene.stored()).map(({ startedAt }) => startedAt - start)).toEqual([
      0,
      2 * minuteMs,
    ])
    expect(await scene.requests('24h')).toBe(2)
  })

  test('for very long loses the oldest counts, and says so', async () => {
    await using scene = await startScene()
    scene.breakStore(true)
    for (let minute = 0; minute < 6; minute++) {
      for (let i = 0; i < 10_000; i++) scene.record({ model: `m${i}` })
      await scene.flush()
      scene.wait(minuteMs)
    }
    expect(scene.complaints.join()).toContain('"lost":10000')
    expect(await scene.requests('1h')).toBe(50_000)
  })
})

test('what can never be stored does not hold up the others', async () => {
  await using scene = await startScene()
  scene.record({ groupId: 99 })
  for (let i = 0; i < 300; i++) scene.record({ model: `m${i}` })
  await scene.flush()
  expect(await scene.stored()).toHaveLength(300)
  expect(scene.complaints.join()).toContain('can not be stored')
  expect(await scene.requests('1h')).toBe(300)
})

test('of 100,000 models in one minute 20,000 are counted, and the log tells how many are not', async () => {
  await using scene = await startScene()
  scene.breakStore(true)
  for (let i = 0; i < 100_000; i++) scene.record({ model: `m${i}` })
  await scene.flush()
  expect(scene.complaints.join()).toContain('"lost":80000')
  expect(await scene.requests('1h')).toBe(20_000)
})

test('storing very many lets others go on in between', async () => {
  await using scene = await startScene()
  for (let i = 0; i < 2_000; i++) scene.record({ model: `m${i}` })
  let turns = 0
  let isStoring = true
  const beside = async () => {
    while (isStoring) {
      await new Promise((resolve) => setImmediate(resolve))
      turns++
    }
  }
  const counting = beside()
  await scene.flush()
  isStoring = false
  await counting
  expect(turns).toBeGreaterThanOrEqual(20)
})

test('stopping stores what there is and ends the timer', async () => {
  await using scene = await startScene()
  scene.record()
  await scene.stop()
  expect(await scene.stored()).toHaveLength(1)
  expect(scene.stops()).toBe(1)
})

test('figures do not change while somebody looks at them', async () => {
  await using scene = await startScene()
  scene.record()
  const seen = scene.look(async (figures) => {
    const before = figures.counts('1h', 1)?.succeeded
    scene.record()
    const flushed = scene.flush()
    await new Promise((resolve) => setTimeout(resolve, 20))
    return { before, after: figures.counts('1h', 1)?.succeeded, flushed }
  })
  const { before, after, flushed } = await seen
  expect([before, after]).toEqual([1, 1])
  await flushed
  expect(await scene.requests('1h')).toBe(2)
})

describe('windows', () => {
  test('what has left a window does not count there any more', async () => {
    await using scene = await startScene()
    scene.record()
    await scene.flush()
    const seen = async () => [
      await scene.requests('5m'),
      await scene.requests('1h'),
      await scene.requests('24h'),
      await scene.requests('7d'),
      await scene.requests('90d'),
    ]
    const after = async (ms: number) => {
      scene.wait(ms)
      return seen()
    }
    expect(await seen()).toEqual([1, 1, 1, 1, 1])
    expect(await after(5 * minuteMs)).toEqual([0, 1, 1, 1, 1])
    expect(await after(55 * minuteMs)).toEqual([0, 0, 1, 1, 1])
    expect(await after(23 * hourMs)).toEqual([0, 0, 0, 1, 1])
    expect(await after(6 * dayMs)).toEqual([0, 0, 0, 0, 1])
    expect(await after(83 * dayMs)).toEqual([0, 0, 0, 0, 0])
    expect(await scene.look((figures) => [...figures.models(1)])).toEqual([])
  })

  test('bars are the buckets of a window, oldest first', async () => {
    await using scene = await startScene()
    scene.record({ fault: 'upstream' })
    scene.wait(3 * hourMs)
    await scene.flush()
    scene.record()
    scene.record({ fault: 'client' })
    const { hours, days } = await scene.look((figures) => ({
      hours: figures.bars('24h', 1),
      days: figures.bars('90d', 1),
    }))
    const nothing = { requests: 0, failed: 0 }
    expect(hours).toHaveLength(24)
    expect(hours.slice(-4)).toEqual([
      { requests: 1, failed: 1 },
      nothing,
      nothing,
      { requests: 1, failed: 0 },
    ])
    expect(days).toHaveLength(90)
    expect(days.slice(-2)).toEqual([nothing, { requests: 2, failed: 1 }])
    expect(await scene.look((figures) => figures.bars('24h', 2))).toEqual(
      new Array(24).fill(nothing),
    )
  })

  test('a clock that is set back and put right again leaves the figures right', async () => {
    await using scene = await startScene()
    scene.wait(2 * hourMs)
    scene.record()
    await scene.flush()
    expect(await scene.requests('5m')).toBe(1)
    scene.wait(-90 * minuteMs)
    scene.record()
    expect(await scene.requests('24h')).toBe(2)
    await scene.flush()
    expect(await scene.requests('24h')).toBe(2)
    scene.wait(90 * minuteMs)
    expect(await scene.requests('5m')).toBe(1)
    expect(await scene.requests('24h')).toBe(2)
    scene.wait(dayMs)
    expect(await scene.requests('24h')).toBe(0)
    expect(await scene.requests('7d')).toBe(2)
  })
})

test('hours are told as they were counted, before they are stored, after that, and after a restart', async () => {
  await using scene = await startScene()
  const hours = () =>
    scene.look((figures) =>
      figures
        .hours(1)
        .map(({ startedAt, requests, failed }) => [
          Math.round((scene.now() - startedAt) / hourMs),
          requests,
          failed,
        ]),
    )
  expect(await hours()).toEqual([])
  scene.record()
  scene.record({ fault: 'upstream' })
  expect(await hours()).toEqual([[0, 2, 1]])
  await scene.flush()
  expect(await hours()).toEqual([[0, 2, 1]])
  scene.record({ fault: 'client' })
  scene.record({ fault: 'model' })
  expect(await hours()).toEqual([[0, 3, 2]])
  scene.wait(30 * dayMs)
  scene.record()
  await scene.flush()
  expect(await hours()).toEqual([
    [720, 3, 2],
    [0, 1, 0],
  ])
  await scene.restart()
  // A slow machine reads the hours of 30 days in several steps.
  while ((await hours()).length < 2) await scene.fire()
  scene.wait(5 * dayMs)
  expect(await hours()).toEqual([[120, 1, 0]])
})

/** What happened, kept by the test itself. */
interface Happened extends AvailabilityOutcome {
  readonly at: number
}

describe('figures are those of a plain count, whatever was stored when', () => {
  test.each([1, 2, 3, 4])('seed %d', async (seedNumber) => {
    const dice = createDice('windows', seedNumber)
    await using scene = await startScene()
    const happened: Happened[] = []
    const steps = [1_000, minuteMs, 7 * minuteMs, hourMs, 5 * hourMs, dayMs, 9 * dayMs]
    const names = Object.keys(windows) as readonly WindowName[]
    const faults = [null, null, null, 'upstream', 'channel', 'client'] as const

    const expected = (window: WindowName, groupId: number, model: string | undefined) => {
      const since = windowStart(window, scene.now())
      const size = 'minute'
      const within = happened.filter(
        (one) =>
          one.groupId === groupId &&
          (model === undefined || one.model === model) &&
          bucketStart(size, one.at) >= since,
      )
      const succeeded = within.filter(({ fault }) => fault === null)
      const client = within.filter(({ fault }) => fault === 'client').length
      return {
        succeeded: succeeded.length,
        requests: within.length - client,
        firstByteMs: succeeded.reduce((sum, { firstByteMs }) => sum + (firstByteMs ?? 0), 0),
        client,
      }
    }

    for (let round = 0; round < 120; round++) {
      for (let i = dice.below(6); i > 0; i--) {
        const one = outcome({
          groupId: 1 + dice.below(2),
          model: dice.pick(['a', 'b']),
          fault: dice.pick(faults),
          firstByteMs: dice.below(2_000),
        })
        scene.record(one)
        happened.push({ ...one, at: scene.now() })
      }
      if (dice.once(3)) scene.breakStore(dice.once(3))
      if (dice.once(2)) await scene.flush()
      if (dice.once(2)) scene.wait(dice.pick(steps))
      if (dice.once(15)) {
        scene.breakStore(false)
        await scene.restart()
      }
      if (dice.once(2)) continue
      for (const window of names) {
        for (const groupId of [1, 2]) {
          for (const model of [undefined, 'a', 'b']) {
            const counts = await scene.look((figures) => figures.counts(window, groupId, model))
            const seen = {
              succeeded: counts?.succeeded ?? 0,
              requests: counts ? requestsOf(counts) : 0,
              firstByteMs: counts?.firstByteMs ?? 0,
              client: counts?.failed.client ?? 0,
            }
            expect({ window, groupId, model, round, ...seen }).toEqual({
              ...{ window, groupId, model, round },
              ...expected(window, groupId, model),
            })
            if (seen.requests === 0 && counts) expect(availabilityOf(counts)).toBeNull()
          }
        }
      }
    }
    expect(happened.length).toBeGreaterThan(150)
  })
})
