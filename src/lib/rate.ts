import { LRUCache } from 'lru-cache'
import { entryLimit } from './cache-options.ts'
import type { Clock } from './clock.ts'

export interface RateOptions {
  readonly clock: Clock
  readonly burst: number
  readonly everyMs: number
}

/** Keys that are remembered: evicting one takes thousands of attempts. */
const mostKeys = 20_000

/** A rate limit by key: a burst, then a steady rate. In memory, bounded. */
export function createRate({ clock, burst, everyMs }: RateOptions) {
  /** When the key's bucket is empty again. */
  const emptyAt = new LRUCache<string, number>(entryLimit(mostKeys))
  const since = (key: string, now: number) => Math.max(emptyAt.get(key) ?? 0, now)
  return {
    /** Milliseconds until the next event is allowed; 0: now. */
    waitMs(key: string): number {
      const now = clock()
      return Math.max(0, since(key, now) + everyMs - (now + burst * everyMs))
    },
    take(key: string): void {
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

/** The growth of a count in the last minute. `tick` is monotonic; call it often. */
export function createPerMinute(count: () => number, tick: Clock): () => number {
  const looks = [{ at: tick(), count: count() }]
  return () => {
    const now = tick()
    const counted = count()
    if (now - (looks.at(-1)?.at ?? 0) >= leastMs) looks.push({ at: now, count: counted })
    // The first sample kept is at least a minute old.
    while ((looks[1]?.at ?? now) <= now - minuteMs) looks.shift()
    return counted - (looks[0]?.count ?? counted)
  }
}
