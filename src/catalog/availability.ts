import {
  type AvailabilityCounts,
  type BucketSize,
  bucketMs,
  type Fault,
} from '../store/ports/availability.ts'

/** Upper bounds of the buckets of `firstByte`, in milliseconds. Stored counts depend on them. */
export const firstByteBounds = [
  50, 100, 200, 400, 700, 1_000, 1_500, 2_500, 5_000, 10_000, 20_000, 45_000, 120_000, 300_000,
] as const

export const faults = [
  'client',
  'channel',
  'model',
  'upstream',
  'gateway',
] as const satisfies readonly Fault[]

export interface OpenCounts extends AvailabilityCounts {
  succeeded: number
  failed: { [fault in Fault]?: number }
  firstByte: number[]
  firstByteMs: number
  outputTokens: number
  generationMs: number
}

export function emptyCounts(): OpenCounts {
  return {
    succeeded: 0,
    failed: {},
    firstByte: new Array(firstByteBounds.length + 1).fill(0),
    firstByteMs: 0,
    outputTokens: 0,
    generationMs: 0,
  }
}

/** Adds counts to a sum; `times` -1 subtracts them. */
export function addCounts(sum: OpenCounts, counts: AvailabilityCounts, times: 1 | -1 = 1): void {
  sum.succeeded += times * counts.succeeded
  for (const fault of faults) {
    const failed = counts.failed[fault]
    if (failed) sum.failed[fault] = (sum.failed[fault] ?? 0) + times * failed
  }
  counts.firstByte.forEach((count, place) => {
    sum.firstByte[place] = (sum.firstByte[place] ?? 0) + times * count
  })
  sum.firstByteMs += times * counts.firstByteMs
  sum.outputTokens += times * counts.outputTokens
  sum.generationMs += times * counts.generationMs
}

/** The index of the `firstByte` bucket for a time. */
export function firstBytePlace(firstByteMs: number): number {
  let place = 0
  while (firstByteMs > (firstByteBounds[place] ?? Number.POSITIVE_INFINITY)) place++
  return place
}

/** Requests that failed by a fault other than the client's. */
export function failuresOf({ failed }: AvailabilityCounts): number {
  const { channel = 0, model = 0, upstream = 0, gateway = 0 } = failed
  return channel + model + upstream + gateway
}

/** Requests without those that failed by the client's fault. */
export const requestsOf = (counts: AvailabilityCounts): number =>
  counts.succeeded + failuresOf(counts)

/** True when nothing was counted, client faults included. */
export const isEmpty = (counts: AvailabilityCounts): boolean =>
  requestsOf(counts) === 0 && !counts.failed.client

const ratioSteps = 1_000_000

/** The share of successful requests, 0 to 1, rounded down; null without requests. */
export function availabilityOf(counts: AvailabilityCounts): number | null {
  const requests = requestsOf(counts)
  if (requests === 0) return null
  return Math.floor((counts.succeeded * ratioSteps) / requests) / ratioSteps
}

/**
 * The quantile (`part`, 0 to 1) of the time to the first byte, in whole milliseconds; null without answers.
 * Interpolates linearly within a bucket; the last bound caps it.
 */
export function firstByteQuantile(counts: AvailabilityCounts, part: number): number | null {
  const total = counts.firstByte.reduce((sum, count) => sum + count, 0)
  if (total === 0) return null
  const rank = part * total
  let below = 0
  let from = 0
  for (const [place, bound] of firstByteBounds.entries()) {
    const count = counts.firstByte[place] ?? 0
    if (count > 0 && below + count >= rank) {
      return Math.round(from + ((bound - from) * (rank - below)) / count)
    }
    below += count
    from = bound
  }
  return from
}

/** Output tokens per second of generation, to a tenth; null when none was timed. */
export function tokensPerSecond({ outputTokens, generationMs }: AvailabilityCounts): number | null {
  if (generationMs === 0 || outputTokens === 0) return null
  return Math.round((outputTokens * 10_000) / generationMs) / 10
}

/** When the bucket of that size that contains a time begins. */
export const bucketStart = (size: BucketSize, timeMs: number): number =>
  timeMs - (timeMs % bucketMs[size])

/** Windows that end now: the number of buckets, including the current one. */
export const windows = {
  '5m': { size: 'minute', buckets: 5 },
  '1h': { size: 'minute', buckets: 60 },
  '24h': { size: 'hour', buckets: 24 },
  '7d': { size: 'day', buckets: 7 },
  '90d': { size: 'day', buckets: 90 },
} as const satisfies Record<string, { readonly size: BucketSize; readonly buckets: number }>
export type WindowName = keyof typeof windows

/** When the first bucket of a window that ends at `nowMs` begins. */
export function windowStart(name: WindowName, nowMs: number): number {
  const { size, buckets } = windows[name]
  return bucketStart(size, nowMs) - (buckets - 1) * bucketMs[size]
}

export interface Bar {
  readonly requests: number
  readonly failed: number
}

export interface MeasuredHour extends Bar {
  readonly startedAt: number
}

/** Hours kept one by one, including the current one: 35 days. */
export const hoursKept = 35 * 24

/** Recent availability, up to now. */
export interface AvailabilityFigures {
  /** For a group, or one model in it; undefined: nothing was counted. */
  counts(window: WindowName, groupId: number, model?: string): AvailabilityCounts | undefined
  /** The group's models with requests in the longest window, in no order. */
  models(groupId: number): Iterable<string>
  /** A group's buckets of a window, oldest first; the last is the current one. */
  bars(window: '24h' | '90d', groupId: number): readonly Bar[]
  /** A group's hours with requests since `hoursFrom`, oldest first. */
  hours(groupId: number): readonly MeasuredHour[]
  /** Start of the known hours: 35 days ago, or later while they are still being read. */
  readonly hoursFrom: number
}
