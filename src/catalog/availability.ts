import {
  type AvailabilityCounts,
  type BucketSize,
  bucketMs,
  type Fault,
} from '../store/ports/availability.ts'

/** Upper ends, in milliseconds, of the places of `firstByte`. Stored counts rely on them. */
export const firstByteBounds = [
  50, 100, 200, 400, 700, 1_000, 1_500, 2_500, 5_000, 10_000, 20_000, 45_000, 120_000, 300_000,
] as const

/** All faults, in the order in which they are shown. */
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

/** Adds counts to a sum, or takes away what was added before (`times` -1). */
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

/** The place of `firstByte` that counts a time. */
export function firstBytePlace(firstByteMs: number): number {
  let place = 0
  while (firstByteMs > (firstByteBounds[place] ?? Number.POSITIVE_INFINITY)) place++
  return place
}

/** Requests that failed by another fault than their client's own. */
export function failuresOf({ failed }: AvailabilityCounts): number {
  const { channel = 0, model = 0, upstream = 0, gateway = 0 } = failed
  return channel + model + upstream + gateway
}

/** Requests that count: all but those that failed by their client's own fault. */
export const requestsOf = (counts: AvailabilityCounts): number =>
  counts.succeeded + failuresOf(counts)

/** True when nothing was counted, failures of clients included. */
export const isEmpty = (counts: AvailabilityCounts): boolean =>
  requestsOf(counts) === 0 && !counts.failed.client

const ratioSteps = 1_000_000

/** The part of requests that was answered well, 0 to 1, rounded down; null when there were none. */
export function availabilityOf(counts: AvailabilityCounts): number | null {
  const requests = requestsOf(counts)
  if (requests === 0) return null
  return Math.floor((counts.succeeded * ratioSteps) / requests) / ratioSteps
}

/**
 * The time, in whole milliseconds, within which a part (0 to 1) of the answers had begun; null
 * without answers. Times are taken to be spread evenly between two bounds, and to end at the last.
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

/** Output tokens a second while answers were coming, to a tenth; null when none was timed. */
export function tokensPerSecond({ outputTokens, generationMs }: AvailabilityCounts): number | null {
  if (generationMs === 0 || outputTokens === 0) return null
  return Math.round((outputTokens * 10_000) / generationMs) / 10
}

/** When the bucket of that size that holds a time begins. */
export const bucketStart = (size: BucketSize, timeMs: number): number =>
  timeMs - (timeMs % bucketMs[size])

/** Spans of time that end now: so many buckets, the present one included. */
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

/** So many hours are looked back on one by one, the present one included: 35 days. */
export const hoursKept = 35 * 24

/** How well requests were answered lately, up to this moment. */
export interface AvailabilityFigures {
  /** Of a group, or of one model in it; undefined: nothing was counted. */
  counts(window: WindowName, groupId: number, model?: string): AvailabilityCounts | undefined
  /** The models of a group that were asked for within the longest window, in no order. */
  models(groupId: number): Iterable<string>
  /** A group's buckets of a window, oldest first; the last one is the present one. */
  bars(window: '24h' | '90d', groupId: number): readonly Bar[]
  /** A group's hours since `hoursFrom` in which there were requests, oldest first. */
  hours(groupId: number): readonly MeasuredHour[]
  /** Since when hours are known: 35 days, or less while they are still being read. */
  readonly hoursFrom: number
}
