import { addressKey } from '../../lib/addresses.ts'
import type { Clock } from '../../lib/clock.ts'
import type { LogFields, Logger } from '../../lib/log.ts'
import { createRate, type RateOptions } from '../../lib/rate.ts'
import { ApiError } from '../api-error.ts'
import type { SignInCore } from './core.ts'

type Throttle = ReturnType<typeof createThrottle>

/** A token bucket per key, in memory, bounded. `refusal` is the message when none is left. */
export function createThrottle(
  options: RateOptions,
  refusal = (seconds: number) => `Too many attempts. Try again in ${seconds} seconds.`,
) {
  const rate = createRate(options)
  return {
    /** Takes one attempt; throws 429 with the time to wait if none is left. */
    take(key: string): void {
      const waitMs = rate.waitMs(key)
      if (waitMs > 0) {
        const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1000))
        const message = refusal(retryAfterSeconds)
        throw new ApiError('too_many_requests', message, { retryAfterSeconds })
      }
      rate.take(key)
    },
    /** Returns an attempt that was no wrong guess. */
    release: rate.giveBack,
  }
}

export type Limits = ReturnType<typeof createLimits>

/** The limits. Those by address are lower than those by account: no single address can lock out an account. */
export const createLimits = (clock: Clock) => ({
  /** Guesses at a password or code, by address. */
  address: createThrottle({ clock, burst: 10, everyMs: 30_000 }),
  /** The same by account id or typed e-mail address. */
  account: createThrottle({ clock, burst: 20, everyMs: 15_000 }),
  /** The same by browser that has signed in before; other browsers do not use it up. */
  device: createThrottle({ clock, burst: 20, everyMs: 15_000 }),
  /** Successful sign-ins by account. */
  right: createThrottle({ clock, burst: 60, everyMs: 10_000 }),
  /** New accounts by address. */
  registration: createThrottle({ clock, burst: 5, everyMs: 600_000 }),
  /** Flows to a provider or a passkey, by address: each stores a row for a while. */
  begun: createThrottle({ clock, burst: 20, everyMs: 10_000 }),
  /** Guesses at the set-up code, by address. */
  setup: createThrottle({ clock, burst: 10, everyMs: 30_000 }),
})

interface Guess {
  readonly request: Request
  readonly account: string | undefined
  /** The browser's name, if it has signed in to that account before. */
  readonly device?: string | undefined
}

/**
 * Runs one guess, counted by address and by `account`, or by a known device alone. A correct guess is
 * returned and counted by account only.
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
  for (const [throttle, key] of counts) throttle.release(key)
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
    right.release(account)
    throw error
  }
}

/**
 * Runs a sign-in and logs a refused one: each attempt that was tried, and a count of those over the limit,
 * which could fill the log. `about` is called for the former only.
 */
export type WatchRefusals = <Result>(
  message: string,
  about: () => LogFields | Promise<LogFields>,
  work: () => Promise<Result>,
) => Promise<Result>

/** The interval at which refused attempts are counted in the log. */
const everyMs = 60_000

export function createRefusalWatch(log: Logger, clock: Clock): WatchRefusals {
  let unlogged = 0
  let loggedAt = Number.NEGATIVE_INFINITY

  function count(): void {
    unlogged++
    const now = clock()
    if (now - loggedAt < everyMs) return
    log.warn('sign-ins refused that came too often', { count: unlogged })
    unlogged = 0
    loggedAt = now
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
