import type { Connections } from './connections.ts'
import { explainFailure, isAway, isConflict } from './failures.ts'

/** Does work as often as it takes; see `createPatience`. */
export type Patience = <Result>(work: () => Promise<Result>) => Promise<Result>

/** How soon something is tried again, at first and at most. */
const retryMs = { first: 10, most: 250 }

/** How often the same transactions may stand in each other's way. */
const maxConflicts = 20

/**
 * Does `work` again where it was taken back for the sake of another transaction, and for `patienceMs`
 * while the server can't be reached: a server that is started anew is back in a second. Only for work
 * that may be done twice: whether a lost connection had committed is not known. Errors come out
 * explained.
 */
export function createPatience({ place }: Connections, patienceMs: number): Patience {
  return async (work) => {
    const deadline = performance.now() + patienceMs
    let waitMs = retryMs.first
    for (let conflicts = 0; ; ) {
      try {
        return await work()
      } catch (error) {
        const again = isConflict(error)
          ? ++conflicts < maxConflicts
          : isAway(error) && performance.now() + waitMs < deadline
        if (!again) throw explainFailure(error, place)
      }
      await Bun.sleep(waitMs * (0.5 + Math.random()))
      waitMs = Math.min(waitMs * 2, retryMs.most)
    }
  }
}
