import {
  type AvailabilityFigures,
  addCounts,
  type Bar,
  bucketStart,
  emptyCounts,
  failuresOf,
  hoursKept,
  isEmpty,
  type MeasuredHour,
  type OpenCounts,
  requestsOf,
  type WindowName,
  windowStart,
  windows,
} from '../../catalog/availability.ts'
import type { Clock } from '../../lib/clock.ts'
import { createPauses, inSlices } from '../../lib/slices.ts'
import {
  type AvailabilityBucket,
  type AvailabilityCounts,
  type AvailabilityStore,
  bucketMs,
} from '../../store/ports/availability.ts'

interface WindowSums {
  readonly name: WindowName
  from: number | undefined
  readonly groups: Map<number, GroupSums>
}

interface GroupSums {
  readonly all: OpenCounts
  readonly models: Map<string, OpenCounts>
  readonly bars: Map<number, Bar>
}

type Sums = readonly WindowSums[]

const windowNames = Object.keys(windows) as readonly WindowName[]
const barWindows: readonly WindowName[] = ['24h', '90d'] satisfies Parameters<
  AvailabilityFigures['bars']
>[0][]

const emptySums = (from?: number): Sums =>
  windowNames.map((name) => ({
    name,
    from: from === undefined ? undefined : windowStart(name, from),
    groups: new Map(),
  }))

/** The sums of all windows. Nothing may be stored while a window advances. */
export function createWindows(store: Pick<AvailabilityStore, 'read'>, clock: Clock) {
  const stored = emptySums()
  const past = createPastHours(store)

  /** Adds the buckets that begin in [since, until) to a window, or subtracts them. */
  async function count(window: WindowSums, since: number, until: number, times: 1 | -1) {
    const { size } = windows[window.name]
    const pauses = createPauses()
    for (let start = since; start < until; start += bucketMs[size]) {
      await countAll(window, start, start + bucketMs[size], times)
      await pauses()
    }
  }

  async function countAll(window: WindowSums, since: number, until: number, times: 1 | -1) {
    const buckets = await store.read(windows[window.name].size, since, until)
    await inSlices(each(buckets, (bucket) => add(window, bucket, times)))
  }

  async function moveOn(window: WindowSums, nowMs: number): Promise<void> {
    const { size, buckets } = windows[window.name]
    const next = windowStart(window.name, nowMs)
    const { from } = window
    if (from === next) return
    // If this fails halfway, everything is loaded again.
    window.from = undefined
    if (from !== undefined && from < next && next < from + buckets * bucketMs[size]) {
      await count(window, from, next, -1)
    } else {
      window.groups.clear()
      await count(window, next, bucketStart(size, nowMs), 1)
      // Later buckets were stored before the clock was set back.
      await countAll(window, bucketStart(size, nowMs), Number.MAX_SAFE_INTEGER, 1)
    }
    window.from = next
  }

  return {
    stored(buckets: readonly AvailabilityBucket[]): void {
      for (const window of stored) for (const bucket of buckets) addIfWithin(window, bucket)
      past.stored(buckets)
    },
    /** The present figures, `unstored` included. They hold until the next flush. */
    async figures(unstored: () => Iterable<AvailabilityBucket>): Promise<AvailabilityFigures> {
      const nowMs = clock()
      for (const window of stored) await moveOn(window, nowMs)
      await past.moveOn(nowMs)
      const fresh = emptySums(nowMs)
      const addFresh = (bucket: AvailabilityBucket) => {
        for (const window of fresh) addIfWithin(window, bucket)
      }
      await inSlices(each(unstored(), addFresh))
      return createFigures([stored, fresh], past, nowMs)
    },
  }
}

const bucketsPerStep = 50

function* each(
  buckets: Iterable<AvailabilityBucket>,
  work: (bucket: AvailabilityBucket) => void,
): Generator<void, void> {
  let done = 0
  for (const bucket of buckets) {
    work(bucket)
    if (++done % bucketsPerStep === 0) yield
  }
}

function addIfWithin(window: WindowSums, bucket: AvailabilityBucket): void {
  if (window.from !== undefined && bucket.startedAt >= window.from) add(window, bucket, 1)
}

function add({ name, groups }: WindowSums, bucket: AvailabilityBucket, times: 1 | -1): void {
  const { groupId, model, startedAt } = bucket
  const sums = groups.get(groupId) ?? { all: emptyCounts(), models: new Map(), bars: new Map() }
  const sum = sums.models.get(model) ?? emptyCounts()
  addCounts(sums.all, bucket, times)
  addCounts(sum, bucket, times)
  // Empty sums are deleted: models come and go.
  if (isEmpty(sum)) sums.models.delete(model)
  else sums.models.set(model, sum)
  if (barWindows.includes(name)) {
    const start = bucketStart(windows[name].size, startedAt)
    const change = { requests: times * requestsOf(bucket), failed: times * failuresOf(bucket) }
    const bar = sumOfBars(sums.bars.get(start), change)
    if (bar.requests === 0) sums.bars.delete(start)
    else sums.bars.set(start, bar)
  }
  if (sums.models.size === 0) groups.delete(groupId)
  else groups.set(groupId, sums)
}

/** Figures from several disjoint sums. */
function createFigures(
  layers: readonly [stored: Sums, fresh: Sums],
  past: PastHours,
  nowMs: number,
): AvailabilityFigures {
  const sumsIn = (sums: Sums, window: WindowName, groupId: number) =>
    sums.find(({ name }) => name === window)?.groups.get(groupId)
  const sumsOf = (window: WindowName, groupId: number): readonly GroupSums[] =>
    layers.flatMap((sums) => sumsIn(sums, window, groupId) ?? [])
  return {
    counts(window, groupId, model) {
      const found = sumsOf(window, groupId)
        .map(({ all, models }) => (model === undefined ? all : models.get(model)))
        .filter((sum) => sum !== undefined)
      return found.length > 1 ? sumOf(found) : found[0]
    },
    models: (groupId) =>
      new Set(sumsOf('90d', groupId).flatMap(({ models }) => [...models.keys()])),
    bars(window, groupId) {
      const { size, buckets } = windows[window]
      const found = sumsOf(window, groupId)
      return Array.from({ length: buckets }, (_, place): Bar => {
        const start = windowStart(window, nowMs) + place * bucketMs[size]
        return found.map(({ bars }) => bars.get(start) ?? noBar).reduce(sumOfBars, noBar)
      })
    },
    hours: (groupId) => past.of(groupId, sumsIn(layers[1], '24h', groupId)?.bars ?? new Map()),
    hoursFrom: past.from() ?? bucketStart('hour', nowMs),
  }
}

const noBar: Bar = { requests: 0, failed: 0 }

const sumOfBars = (a: Bar = noBar, b: Bar): Bar => ({
  requests: a.requests + b.requests,
  failed: a.failed + b.failed,
})

function sumOf(parts: readonly AvailabilityCounts[]): AvailabilityCounts {
  const sum = emptyCounts()
  for (const part of parts) addCounts(sum, part)
  return sum
}

/** How long one read may take; the next continues from there. */
const usualReadingMs = 1_000

/** Groups' availability by hour, without models and times. */
export type PastHours = ReturnType<typeof createPastHours>

/** Reads each hour once, in steps. Not to be used while a flush runs. */
export function createPastHours(
  store: Pick<AvailabilityStore, 'read'>,
  readingMs = usualReadingMs,
) {
  const groups = new Map<number, Map<number, Bar>>()
  let from: number | undefined

  function add(bucket: AvailabilityBucket): void {
    const requests = requestsOf(bucket)
    if (requests === 0) return
    const hours = groups.get(bucket.groupId) ?? new Map<number, Bar>()
    const start = bucketStart('hour', bucket.startedAt)
    hours.set(start, sumOfBars(hours.get(start), { requests, failed: failuresOf(bucket) }))
    groups.set(bucket.groupId, hours)
  }

  async function read(since: number, until: number): Promise<void> {
    for (const bucket of await store.read('hour', since, until)) add(bucket)
    from = since
  }

  function forgetBefore(start: number): void {
    for (const [groupId, hours] of groups) {
      for (const hour of hours.keys()) if (hour < start) hours.delete(hour)
      if (hours.size === 0) groups.delete(groupId)
    }
  }

  return {
    stored(buckets: readonly AvailabilityBucket[]): void {
      for (const bucket of buckets) if (from !== undefined && bucket.startedAt >= from) add(bucket)
    },
    /** Drops hours that are too old and reads missing ones, the latest first. */
    async moveOn(nowMs: number): Promise<void> {
      const hour = bucketStart('hour', nowMs)
      const first = hour - (hoursKept - 1) * bucketMs.hour
      if (from !== undefined && from < first) {
        forgetBefore(first)
        from = first
      }
      const endAt = performance.now() + readingMs
      const pauses = createPauses()
      if (from === undefined) await read(hour, Number.MAX_SAFE_INTEGER)
      while (from !== undefined && from > first) {
        await read(from - bucketMs.hour, from)
        if (performance.now() >= endAt) break
        await pauses()
      }
    },
    from: (): number | undefined => from,
    /** A group's hours, oldest first; `more` are not stored yet. */
    of(groupId: number, more: ReadonlyMap<number, Bar>): readonly MeasuredHour[] {
      const all = new Map(groups.get(groupId))
      for (const [start, bar] of more) all.set(start, sumOfBars(all.get(start), bar))
      return [...all]
        .map(([startedAt, bar]) => ({ startedAt, ...bar }))
        .sort((a, b) => a.startedAt - b.startedAt)
    },
  }
}
