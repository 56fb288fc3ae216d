import type { Clock } from '../../lib/clock.ts'
import type { LogFields, Logger } from '../../lib/log.ts'
import { ApiError } from '../api-error.ts'

/** Logs sign-ins that were refused: what was tried line by line, what came too often counted. */
export interface Refusals {
  /**
   * `about` is asked for what is worth a look-up: an attempt that was not even tried is none, or people
   * could fill the log with it.
   */
  note(message: string, error: unknown, about: () => LogFields | Promise<LogFields>): Promise<void>
}

/** So often it is told how many came too often. */
const everyMs = 60_000

export function createRefusals({
  log,
  clock,
}: {
  readonly log: Logger
  readonly clock: Clock
}): Refusals {
  let untold = 0
  let toldAt = Number.NEGATIVE_INFINITY

  return {
    async note(message, error, about) {
      const reason = error instanceof ApiError ? error.reason : 'internal'
      if (reason !== 'too_many_requests' && reason !== 'unavailable') {
        log.warn(message, { ...(await about()), reason })
        return
      }
      untold++
      const now = clock()
      if (now - toldAt < everyMs) return
      log.warn('sign-ins refused that came too often', { count: untold })
      untold = 0
      toldAt = now
    },
  }
}
