import { LRUCache } from 'lru-cache'
import { growing } from './cache-options.ts'
import type { Clock } from './clock.ts'

export interface RateOptions {
  readonly clock: Clock
  readonly burst: number
  readonly everyMs: number
}

/** Counts what comes, by key: so many at once, then one now and then. In memory, bounded. */
interface Rate {
  /** How long to wait until one may come, in milliseconds; 0: now. */
  waitMs(key: string): number
  take(key: string): void
  giveBack(key: string): void
}

/** The keys that are remembered: who drives one out has spent thousands of attempts. */
const mostKeys = 20_000

export function createRate({ clock, burst, everyMs }: RateOptions): Rate {
  /** When the key would be without any again. */
  const emptyAt = new LRUCache<string, number>(growing(mostKeys))
  const since = (key: string, now: number) => Math.max(emptyAt.get(key) ?? 0, now)
  return {
    waitMs(key) {
      const now = clock()
      return Math.max(0, since(key, now) + everyMs - (now + burst * everyMs))
    },
    take(key) {
      emptyAt.set(key, since(key, clock()) + everyMs)
    },
    giveBack(key) {
      const at = emptyAt.get(key)
      if (at !== undefined) emptyAt.set(key, at - everyMs)
    },
  }
}

const minuteMs = 60_000
/** Looks that come sooner after another tell nothing new. */
const leastMs = 1_000

/** By how much a count has grown in the last minute. `tick` is monotonic; ask often. */
export function createPerMinute(count: () => number, tick: Clock): () => number {
  const looks = [{ at: tick(), count: count() }]
  return () => {
    const now = tick()
    const counted = count()
    if (now - (looks.at(-1)?.at ?? 0) >= leastMs) looks.push({ at: now, count: counted })
    // The first that stays is a minute old, or older where nobody has looked since.
    while ((looks[1]?.at ?? now) <= now - minuteMs) looks.shift()
    return counted - (looks[0]?.count ?? counted)
  }
}
