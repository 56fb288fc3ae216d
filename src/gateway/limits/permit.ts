import type { Clock } from '../../lib/clock.ts'
import { count, takeBack } from './sliding-window.ts'
import type { Queued, Tally } from './tally.ts'

/** A request's places within the limits of all that it counts for. */
export interface Permit {
  /**
   * The true count, once known; replaces the estimate. More than that counts from now on, less
   * makes room at once. Only the first call counts.
   */
  used(llmTokens: number): void
  /** The request has ended. Idempotent. */
  release(): void
  /** It was not made after all: gives back the request, its LLM tokens and its place. Idempotent. */
  undo(): void
}

/** Of a request that nothing limits. */
export const freePermit: Permit = { used() {}, release() {}, undo() {} }

interface PermitParts<Waiter extends Queued> {
  readonly tick: Clock
  /** Something was given back: whoever waits there may enter. */
  readonly hasRoom: (tally: Tally<Waiter>) => void
}

/** Counts a request in all tallies, from `now` on. */
export function createPermit<Waiter extends Queued>(
  { tick, hasRoom }: PermitParts<Waiter>,
  tallies: readonly Tally<Waiter>[],
  llmTokens: number,
  now: number,
): Permit {
  const entries = tallies.map((tally) => {
    tally.open++
    return count(tally.window, 1, llmTokens, now)
  })
  let isOpen = true
  let isUndone = false
  let isKnown = false

  function giveBack(requests: number, fewerLlmTokens: number): void {
    for (const [at, entry] of entries.entries()) {
      const tally = tallies[at]
      if (tally) takeBack(tally.window, entry, requests, fewerLlmTokens)
    }
  }

  function close(): void {
    if (isOpen) for (const tally of tallies) tally.open--
    isOpen = false
  }

  function letIn(): void {
    for (const tally of tallies) if (tally.queue.size > 0) hasRoom(tally)
  }

  return {
    used(trueCount) {
      if (isKnown || isUndone) return
      isKnown = true
      const more = trueCount - llmTokens
      if (more > 0) for (const tally of tallies) count(tally.window, 0, more, tick())
      if (more >= 0) return
      giveBack(0, -more)
      letIn()
    },
    release() {
      if (!isOpen) return
      close()
      letIn()
    },
    undo() {
      if (isUndone) return
      isUndone = true
      close()
      giveBack(1, llmTokens)
      letIn()
    },
  }
}
