import { addressKey } from '../../lib/addresses.ts'
import type { Clock } from '../../lib/clock.ts'
import type { LogFields, Logger } from '../../lib/log.ts'
import { createRate, type RateOptions } from '../../lib/rate.ts'
import { ApiError } from '../api-error.ts'
import type { SignInCore } from './core.ts'

interface ThrottleOptions extends RateOptions {
  /** What is told to who comes too often. */
  readonly text?: (seconds: number) => string
}

export type Throttle = ReturnType<typeof createThrottle>

/** Counts attempts by key: so many at once, then one now and then. In memory, bounded. */
export function createThrottle({ text, ...options }: ThrottleOptions) {
  const rate = createRate(options)
  return {
    /** Takes one attempt; throws 429, with the time to wait, when there is none left. */
    take(key: string): void {
      const waitMs = rate.waitMs(key)
      if (waitMs > 0) throw tooMany(waitMs, text)
      rate.take(key)
    },
    /** Gives one back: it was no wrong guess. */
    giveBack: rate.giveBack,
  }
}

/** Refuses with the time after which it may be tried again. */
function tooMany(
  waitMs: number,
  text = (seconds: number) => `Too many attempts. Try again in ${seconds} seconds.`,
): ApiError {
  const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1000))
  return new ApiError('too_many_requests', text(retryAfterSeconds), { retryAfterSeconds })
}

export type Limits = ReturnType<typeof createLimits>

/** Attempts that are counted. By address fewer than by account: nobody locks others out alone. */
export const createLimits = (clock: Clock) => ({
  /** Guesses at a password or a code, by address. */
  address: createThrottle({ clock, burst: 10, everyMs: 30_000 }),
  /** The same by account: its id, or the e-mail address that was typed. */
  account: createThrottle({ clock, burst: 20, everyMs: 15_000 }),
  /** The same by browser, of those that have signed in before: nobody else spends these. */
  device: createThrottle({ clock, burst: 20, everyMs: 15_000 }),
  /** Successful sign-ins per account: far more than a person needs. */
  right: createThrottle({ clock, burst: 60, everyMs: 10_000 }),
  /** New accounts by address. */
  registration: createThrottle({ clock, burst: 5, everyMs: 600_000 }),
  /** Ways to a provider or a passkey, by address: each leaves a row for a while. */
  begun: createThrottle({ clock, burst: 20, everyMs: 10_000 }),
  /** Guesses at the set-up code, by address. */
  setup: createThrottle({ clock, burst: 10, everyMs: 30_000 }),
})

/** One who guesses: at an account (absent: at nobody's), maybe from a known device. */
interface Guess {
  readonly request: Request
  readonly account: string | undefined
  /** Name of the browser, where it has signed in to that account before. */
  readonly device?: string | undefined
}

/**
 * Runs one guess, counted by address and by `account`, or by a known device alone: others can't spend
 * what that has. Given back when it was right, which is counted by account alone; a refusal stays
 * counted.
 */
export async function counted<Result>(
  { limits, facts }: Pick<SignInCore, 'limits' | 'facts'>,
  { request, account, device }: Guess,
  work: () => Promise<Result>,
): Promise<Result> {
  const address = addressKey(facts.addressOf(request))
  const counts: readonly (readonly [Throttle, string])[] =
    device === undefined
      ? [
          [limits.address, address],
          ...(account === undefined ? [] : [[limits.account, account] as const]),
        ]
      : [[limits.device, device]]
  for (const [throttle, key] of counts) throttle.take(key)
  const result = await countedRight(limits, account, work)
  for (const [throttle, key] of counts) throttle.giveBack(key)
  return result
}

/** Limits successful sign-ins per account: each of them hashes a password. */
export async function countedRight<Result>(
  { right }: Pick<Limits, 'right'>,
  account: string | undefined,
  work: () => Promise<Result>,
): Promise<Result> {
  if (account === undefined) return work()
  right.take(account)
  try {
    return await work()
  } catch (error) {
    right.giveBack(account)
    throw error
  }
}

/**
 * Runs a sign-in, and logs it when it is refused: what was tried line by line, what came too often
 * counted. `about` is asked only for what is worth a look-up: an attempt that was not even tried is none,
 * or people could fill the log with it.
 */
export type WatchRefusals = <Result>(
  message: string,
  about: () => LogFields | Promise<LogFields>,
  work: () => Promise<Result>,
) => Promise<Result>

/** So often it is told how many came too often. */
const everyMs = 60_000

export function createRefusalWatch(log: Logger, clock: Clock): WatchRefusals {
  let untold = 0
  let toldAt = Number.NEGATIVE_INFINITY

  function count(): void {
    untold++
    const now = clock()
    if (now - toldAt < everyMs) return
    log.warn('sign-ins refused that came too often', { count: untold })
    untold = 0
    toldAt = now
  }

  return async (message, about, work) => {
    try {
      return await work()
    } catch (error) {
      const reason = error instanceof ApiError ? error.reason : 'internal'
      if (reason === 'too_many_requests' || reason === 'unavailable') count()
      else log.warn(message, { ...(await about()), reason })
      throw error
    }
  }
}
