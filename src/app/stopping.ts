import type { Logger } from '../lib/log.ts'
import { createEnding } from './ending.ts'
import type { Gateway } from './gateway.ts'
import type { listen } from './listen.ts'

/** Limits of a stop in milliseconds, beyond `shutdown_delay` and `shutdown_grace` (see data/docs/en/01-begin.md). */
const bounds = {
  /** Time for interrupted requests to be settled; their error events follow. */
  interruptedMs: 2_000,
  /** Longer than the patience with an unavailable store: only then is the loss known. */
  settleMs: 15_000,
  closeMs: 5_000,
  /** The same after a second signal. */
  hurriedCloseMs: 500,
}

/** The step that no second signal cuts short: until it is done money may be lost. */
export const settling = 'settlements'

export type Listening = Omit<ReturnType<typeof listen>, 'url'>

interface StoppingParts {
  readonly gateway: Pick<Gateway, 'active' | 'close' | 'interruptAll' | 'settled' | 'isBehind'> & {
    /** Fails readiness; requests are still accepted. */
    drain(): void
  }
  readonly listening: Listening
  readonly delayMs: number
  readonly graceMs: number
  readonly log: Logger
}

/** The stop of a process that answers requests, in steps that each end within a limit. */
export function createStopping({ gateway, listening, log, ...times }: StoppingParts) {
  const ending = createEnding(log)
  let { delayMs, graceMs } = times
  let { closeMs } = bounds
  let closeBy = Number.POSITIVE_INFINITY

  /** Ends early when no connection is left, or at a second signal. */
  async function linger(closed: Promise<void>, lingerMs: number): Promise<void> {
    let isClosed = false
    const note = () => {
      isClosed = true
    }
    void closed.then(note, note)
    const deadline = performance.now() + lingerMs
    while (!isClosed && performance.now() < deadline && graceMs > 0) await pause()
  }

  return {
    /** Serves as before until load balancers send requests elsewhere. */
    async drain(): Promise<void> {
      gateway.drain()
      if (delayMs === 0) return
      log.info('draining', { active: gateway.active(), delay_ms: delayMs })
      const deadline = performance.now() + delayMs
      while (performance.now() < deadline && delayMs > 0) await pause()
    },
    /**
     * Takes no more requests, gives those under way the grace time, and settles all. `lingerMs`: how long
     * connections that are open may still bring requests.
     */
    async endRequests(lingerMs = 0): Promise<void> {
      log.info('stopping', { active: gateway.active(), grace_ms: graceMs })
      const closed = listening.close()
      await linger(closed, Math.min(lingerMs, graceMs))
      gateway.close()
      const deadline = performance.now() + graceMs
      while (gateway.active() > 0 && performance.now() < deadline && graceMs > 0) await pause()
      gateway.interruptAll()
      const settledBy = performance.now() + bounds.interruptedMs
      while (gateway.active() > 0 && performance.now() < settledBy) await pause()
      const active = gateway.active()
      if (active > 0) log.warn('requests have not ended; they are settled as they are', { active })
      const settle = async () => {
        await gateway.settled()
        if (gateway.isBehind()) throw new Error('some could not be stored')
      }
      await ending.step(settling, settle, bounds.settleMs)
      await Promise.race([closed, pause()])
      listening.drop()
      closeBy = performance.now() + closeMs
    },
    /** Closes a part within what is left of the time for all of them. */
    close: (what: string, work: () => unknown): Promise<void> =>
      ending.step(what, work, Math.max(pauseMs, closeBy - performance.now())),
    /** Skips the waiting. */
    hurry(): void {
      delayMs = graceMs = 0
      closeMs = bounds.hurriedCloseMs
    },
    /** What could not be ended in time. */
    left: ending.left,
    /** The step under way, as a noun; undefined: none yet. */
    waitsFor: ending.now,
  }
}

const pauseMs = 50
const pause = () => new Promise<void>((resolve) => setTimeout(resolve, pauseMs))
