import ipaddr from 'ipaddr.js'
import { LRUCache } from 'lru-cache'
import { growing } from '../../lib/cache-options.ts'
import type { Clock } from '../../lib/clock.ts'
import { ApiError } from '../api-error.ts'

export interface ThrottleOptions {
  readonly clock: Clock
  /** How many attempts may come at once. */
  readonly burst: number
  /** After that, one in so much time. */
  readonly everyMs: number
  /** What is told to who comes too often. */
  readonly text?: (seconds: number) => string
}

/** Counts attempts by key: so many at once, then one now and then. In memory, bounded. */
export interface Throttle {
  /** Takes one attempt; throws 429, with the time to wait, when there is none left. */
  take(key: string): void
  /** Gives one back: it was no wrong guess. */
  giveBack(key: string): void
}

/** The keys that are remembered: who drives one out has spent thousands of attempts. */
const mostKeys = 20_000

export function createThrottle({ clock, burst, everyMs, text }: ThrottleOptions): Throttle {
  /** When the key would be without any attempt again. */
  const emptyAt = new LRUCache<string, number>(growing(mostKeys))
  return {
    take(key) {
      const now = clock()
      const at = Math.max(emptyAt.get(key) ?? 0, now)
      const waitMs = at + everyMs - (now + burst * everyMs)
      if (waitMs > 0) throw tooMany(waitMs, text)
      emptyAt.set(key, at + everyMs)
    },
    giveBack(key) {
      const at = emptyAt.get(key)
      if (at !== undefined) emptyAt.set(key, at - everyMs)
    },
  }
}

/** Refuses with the time after which it may be tried again. */
export function tooMany(
  waitMs: number,
  text = (seconds: number) => `Too many attempts. Try again in ${seconds} seconds.`,
): ApiError {
  const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1000))
  return new ApiError('too_many_requests', text(retryAfterSeconds), { retryAfterSeconds })
}

/** Who asks, for counting: an address, or the network that one subscriber of IPv6 has. */
export function addressKey(address: string): string {
  if (!ipaddr.isValid(address)) return address
  const parsed = ipaddr.process(address)
  if (!(parsed instanceof ipaddr.IPv6)) return parsed.toString()
  return parsed.parts.slice(0, 4).join(':')
}
