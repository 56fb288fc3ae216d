import type { Totals } from '../../gateway/availability/availability.ts'
import { countOpenFiles, residentMemoryBytes } from '../../lib/process-state.ts'
import type { Counters } from '../../store/ports/counters.ts'
import type { NodeLoad } from '../../store/ports/nodes.ts'
import type { RecentCounts } from '../counts.ts'
import type { Gateway } from '../gateway.ts'
import { createNodeLoad } from '../membership.ts'

/** What a worker says of itself, each second. */
export interface WorkerReport {
  readonly load: Pick<NodeLoad, 'requests' | 'streams' | 'requestsPerMinute'>
  readonly totals: Totals
  /** Attempts of the last hour, by channel. */
  readonly recent: ReadonlyMap<number, RecentCounts>
  readonly memory: {
    readonly residentBytes: number
    readonly budgetBytes: number
    readonly usedBytes: number
    readonly waiting: number
    readonly refused: number
  }
  readonly slots: { readonly requests: number; readonly connections: number }
  /** Whether settlements wait that the store did not take. */
  readonly isBehind: boolean
  readonly cpuSeconds: number
  readonly openFiles: number | undefined
}

/** The report of a process that answers requests. */
export function createReport(gateway: Gateway, counters: Counters): () => WorkerReport {
  const { forwarder, availability, memory, recent, slots } = gateway
  const tick = () => performance.now()
  const load = createNodeLoad(forwarder, counters, undefined, tick)
  const { budget } = memory
  return () => {
    const { groups, attempts, limits, refusals } = availability.totals
    const { user, system } = process.cpuUsage()
    return {
      load: load(),
      totals: { groups, attempts, limits, refusals },
      recent: recent.all(),
      memory: {
        residentBytes: residentMemoryBytes(),
        budgetBytes: budget.totalBytes,
        usedBytes: budget.usedBytes(),
        waiting: budget.waiting(),
        refused: budget.refused(),
      },
      slots: slots.refused(),
      isBehind: gateway.isBehind(),
      cpuSeconds: (user + system) / 1e6,
      openFiles: countOpenFiles(),
    }
  }
}
