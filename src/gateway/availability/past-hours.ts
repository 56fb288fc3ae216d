import {
  type Bar,
  bucketStart,
  failuresOf,
  hoursKept,
  type MeasuredHour,
  requestsOf,
} from '../../catalog/availability.ts'
import { createPauses } from '../../lib/slices.ts'
import {
  type AvailabilityBucket,
  type AvailabilityStore,
  bucketMs,
} from '../../store/ports/availability.ts'

/** So long is read at one time; the next time goes on from there. */
const usualReadingMs = 1_000

/** How groups did hour by hour, as far back as hours are looked at: no models, no times. */
export interface PastHours {
  stored(buckets: readonly AvailabilityBucket[]): void
  /** Forgets hours that are too old; reads those that are not known yet, the latest first. */
  moveOn(nowMs: number): Promise<void>
  /** Since when hours are known; undefined: none was read yet. */
  from(): number | undefined
  /** A group's hours, oldest first; `more` are not stored yet. */
  of(groupId: number, more: ReadonlyMap<number, Bar>): readonly MeasuredHour[]
}

/** Reads each hour once, in steps. Not to be used while something is being stored. */
export function createPastHours(
  store: Pick<AvailabilityStore, 'read'>,
  readingMs = usualReadingMs,
): PastHours {
  const groups = new Map<number, Map<number, Bar>>()
  let from: number | undefined

  function add(bucket: AvailabilityBucket): void {
    const requests = requestsOf(bucket)
    if (requests === 0) return
    const hours = groups.get(bucket.groupId) ?? new Map<number, Bar>()
    const start = bucketStart('hour', bucket.startedAt)
    const known = hours.get(start)
    hours.set(start, {
      requests: requests + (known?.requests ?? 0),
      failed: failuresOf(bucket) + (known?.failed ?? 0),
    })
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
    stored(buckets) {
      // What is earlier is found when its hour is read.
      for (const bucket of buckets) if (from !== undefined && bucket.startedAt >= from) add(bucket)
    },
    async moveOn(nowMs) {
      const hour = bucketStart('hour', nowMs)
      const first = hour - (hoursKept - 1) * bucketMs.hour
      if (from !== undefined && from < first) {
        forgetBefore(first)
        from = first
      }
      const endAt = performance.now() + readingMs
      const pauses = createPauses()
      // What is later than now was stored before the clock was set back.
      if (from === undefined) await read(hour, Number.MAX_SAFE_INTEGER)
      while (from !== undefined && from > first) {
        await read(from - bucketMs.hour, from)
        if (performance.now() >= endAt) break
        await pauses()
      }
    },
    from: () => from,
    of(groupId, more) {
      const all = new Map(groups.get(groupId))
      for (const [start, { requests, failed }] of more) {
        const known = all.get(start)
        all.set(start, {
          requests: requests + (known?.requests ?? 0),
          failed: failed + (known?.failed ?? 0),
        })
      }
      return [...all]
        .map(([startedAt, bar]) => ({ startedAt, ...bar }))
        .sort((a, b) => a.startedAt - b.startedAt)
    },
  }
}
