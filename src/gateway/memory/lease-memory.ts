import type { Lease, MemoryBudget, Waiting } from './memory-budget.ts'
import { bodyCost, bodyOfCost } from './memory-costs.ts'

/** What is taken of the budget for a body, by its length. */
export interface BodyMemory {
  /** So many more bytes of it come. Throws the refusal. */
  take(bytes: number): void | Promise<void>
  give(bytes: number): void
  /** The longest body that there is ever room for. */
  readonly mostBytes: number
}

/** `beside`: what is taken with the first of it. */
export function leaseMemory(
  memory: MemoryBudget,
  lease: Lease,
  waiting: Waiting,
  beside = 0,
): BodyMemory {
  let first = beside
  return {
    mostBytes: bodyOfCost(memory.largestBytes - beside),
    take(bytes) {
      const cost = first + bodyCost(bytes)
      first = 0
      return memory.take(lease, cost, waiting)
    },
    give: (bytes) => memory.give(lease, bodyCost(bytes)),
  }
}
