import { StoreError, UnansweredError } from '../ports/store-error.ts'
import type { Connections } from './connections.ts'
import { explainFailure, isAway, isConflict, isUnanswered } from './failures.ts'

/** Does work as often as it takes; see `createPatience`. */
export type Patience = <Result>(work: () => Promise<Result>) => Promise<Result>

/** How soon something is tried again, at first and at most. */
const retryMs = { first: 10, most: 250 }

/** How often the same transactions may stand in each other's way. */
const maxConflicts = 20

/**
 * Does `work` again where it was taken back for the sake of another transaction, and while the server
 * can't be reached: a server that is started anew is back in a second. When it has been away for
 * `patienceMs`, all who wait are told, whenever they came, and who comes then is told at once. Only for
 * work that may be done twice: whether a lost connection had committed is not known. Errors come out
 * explained, as an `UnansweredError` when one of the tries may have done it.
 */
export function createPatience({ place }: Connections, patienceMs: number): Patience {
  const absence = createAbsence(patienceMs)
  return async (work) => {
    let waitMs = retryMs.first
    let mayBeDone = false
    for (let conflicts = 0; ; ) {
      const startedTick = performance.now()
      try {
        const result = await work()
        absence.ended()
        return result
      } catch (error) {
        const again = isConflict(error)
          ? ++conflicts < maxConflicts
          : isAway(error) && absence.noted(startedTick) + waitMs < patienceMs
        mayBeDone ||= isUnanswered(error)
        if (!again) throw asUnanswered(explainFailure(error, place), mayBeDone)
      }
      await Bun.sleep(waitMs * (0.5 + Math.random()))
      waitMs = Math.min(waitMs * 2, retryMs.most)
    }
  }
}

const asUnanswered = (error: unknown, mayBeDone: boolean): unknown =>
  mayBeDone && error instanceof StoreError
    ? new UnansweredError(error.message, { cause: error })
    : error

/** For how long the server has been away, as far as anybody has asked it. */
function createAbsence(patienceMs: number) {
  let sinceTick: number | undefined
  let lastTick = 0
  return {
    ended() {
      sinceTick = undefined
    },
    /** Work that began then has not reached it; gives the milliseconds so far. */
    noted(startedTick: number): number {
      const now = performance.now()
      // Nobody has asked for so long that it may have been there meanwhile.
      if (sinceTick === undefined || startedTick - lastTick > patienceMs) sinceTick = startedTick
      lastTick = now
      return now - sinceTick
    },
  }
}
