import { createFairTurns } from '../../lib/turns.ts'
import { createLease, type MemoryBudget, neverFits } from '../memory/memory-budget.ts'
import { bodyCost, workCost } from '../memory/memory-costs.ts'
import type { Beside } from './job.ts'

/**
 * The same thread, whose jobs take memory before they begin: one at a time, as it does them, and before
 * requests that have yet to be read. Throws the 429 where there is none in time.
 */
export function withinMemory(beside: Beside, memory: MemoryBudget, waitMs: () => number): Beside {
  const inTurn = createFairTurns()
  return {
    run(owner, job, signal) {
      return inTurn(owner, async () => {
        signal.throwIfAborted()
        const lease = createLease(owner)
        const { byteLength } = job.bytes
        const cost = workCost(byteLength, job.values ?? 0)
        // The body itself stays meanwhile.
        if (bodyCost(byteLength) + cost > memory.largestBytes) throw neverFits()
        try {
          await memory.take(lease, cost, { waitMs: waitMs(), signal, isAhead: true })
          return await beside.run(owner, job, signal)
        } finally {
          memory.end(lease)
        }
      })
    },
  }
}
