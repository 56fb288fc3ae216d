import { createRate, type RateOptions } from '../../lib/rate.ts'
import { ApiError } from '../api-error.ts'

export { addressKey } from '../../lib/addresses.ts'

export interface ThrottleOptions extends RateOptions {
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

export function createThrottle({ text, ...options }: ThrottleOptions): Throttle {
  const rate = createRate(options)
  return {
    take(key) {
      const waitMs = rate.waitMs(key)
      if (waitMs > 0) throw tooMany(waitMs, text)
      rate.take(key)
    },
    giveBack: rate.giveBack,
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
