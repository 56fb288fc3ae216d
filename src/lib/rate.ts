import type { Clock } from './clock.ts'

export interface RateOptions {
  readonly clock: Clock
  readonly burst: number
  readonly everyMs: number
}

const mostKeys = 20_000
/** The part of the keys that goes when there are too many. */
const evictedPart = 0.1

/**
 * A rate limit by key: a burst, then a steady rate. In memory, bounded: the keys with the fewest recent events are
 * evicted first, so a crowd of other keys does not reset the count of one.
 */
export function createRate({ clock, burst, everyMs }: RateOptions) {
  /** When the key's bucket is empty again. */
  const emptyAt = new Map<string, number>()
  const since = (key: string, now: number) => Math.max(emptyAt.get(key) ?? 0, now)
  function makeRoom(): void {
    const times = Float64Array.from(emptyAt.values()).sort()
    const last = Math.max(clock(), times[Math.floor(times.length * evictedPart)] ?? 0)
    for (const [key, at] of emptyAt) if (at <= last) emptyAt.delete(key)
  }
  return {
    /** Milliseconds until the next event is allowed; 0: now. */
    waitMs(key: string): number {
      const now = clock()
      return Math.max(0, since(key, now) + everyMs - (now + burst * everyMs))
    },
    take(key: string): void {
      if (emptyAt.size >= mostKeys && !emptyAt.has(key)) makeRoom()
      emptyAt.set(key, since(key, clock()) + everyMs)
    },
    giveBack(key: string): void {
      const at = emptyAt.get(key)
      if (at !== undefined) emptyAt.set(key, at - everyMs)
    },
  }
}

const minuteMs = 60_000
/** Shortest interval between samples. */
const leastMs = 1_000

/**
 * The growth of a count in the last minute, and over how many milliseconds it was measured. `tick` is monotonic;
 * call it often.
 */
export function createGrowth(count: () => number, tick: Clock) {
  const looks = [{ at: tick(), count: count() }]
  return () => {
    const now = tick()
    const counted = count()
    if (now - (looks.at(-1)?.at ?? 0) >= leastMs) looks.push({ at: now, count: counted })
    // The first sample kept is at least a minute old.
    while ((looks[1]?.at ?? now) <= now - minuteMs) looks.shift()
    const first = looks[0] ?? { at: now, count: counted }
    return { growth: counted - first.count, overMs: now - first.at }
  }
}

/** The growth of a count in the last minute. */
export function createPerMinute(count: () => number, tick: Clock): () => number {
  const grown = createGrowth(count, tick)
  return () => grown().growth
}
