import { LRUCache } from 'lru-cache'
import { growing } from './cache-options.ts'
import type { Clock } from './clock.ts'

export interface RateOptions {
  readonly clock: Clock
  /** How many may come at once. */
  readonly burst: number
  /** After that, one in so much time. */
  readonly everyMs: number
}

/** Counts what comes, by key: so many at once, then one now and then. In memory, bounded. */
export interface Rate {
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
