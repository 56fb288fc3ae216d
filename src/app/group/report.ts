import type { Totals } from '../../gateway/availability/availability.ts'
import { type Repeat, repeatByTimer } from '../../lib/clock.ts'
import {
  countOpenFiles,
  cpuMs,
  createLagMeter,
  heldMemoryBytes,
  residentMemoryBytes,
} from '../../lib/process-state.ts'
import type { Counters } from '../../store/ports/counters.ts'
import type { RecentCounts } from '../counts.ts'
import type { Gateway } from '../gateway.ts'
import { createNodeLoad, type OwnLoad } from '../membership.ts'

/** Requests that were refused as overloaded since the start, by what was short. */
export interface Refused {
  readonly memory: number
  readonly requests: number
  readonly connections: number
}

/** What a worker says of itself, each second. */
export interface WorkerReport {
  /** `memoryBytes` are without the pages of the program, which all processes share. */
  readonly load: OwnLoad
  readonly totals: Totals
  readonly refused: Refused
  /** Attempts of the last hour, by channel. */
  readonly recent: ReadonlyMap<number, RecentCounts>
  readonly memory: {
    readonly residentBytes: number
    readonly budgetBytes: number
    readonly usedBytes: number
    readonly waiting: number
  }
  /** Whether settlements wait that the store did not take. */
  readonly isBehind: boolean
  readonly cpuSeconds: number
  readonly openFiles: number | undefined
  /** Longest delay of the event loop in the last minute. */
  readonly lagMs: number
}

/** The report of a process that answers requests. */
export function createReport(
  gateway: Gateway,
  counters: Counters,
  repeat: Repeat = repeatByTimer,
): { readonly read: () => WorkerReport; readonly stop: () => void } {
  const { forwarder, availability, memory, recent, slots } = gateway
  const tick = () => performance.now()
  const load = createNodeLoad(forwarder, counters, undefined, tick)
  const lag = createLagMeter(tick, repeat)
  const { budget } = memory
  return {
    read() {
      const { groups, attempts, limits, refusals } = availability.totals
      const { requests, connections } = slots.refused()
      return {
        load: { ...load(), memoryBytes: heldMemoryBytes() },
        totals: { groups, attempts, limits, refusals },
        refused: { memory: budget.refused(), requests, connections },
        recent: recent.all(),
        memory: {
          residentBytes: residentMemoryBytes(),
          budgetBytes: budget.totalBytes,
          usedBytes: budget.usedBytes(),
          waiting: budget.waiting(),
        },
        isBehind: gateway.isBehind(),
        cpuSeconds: cpuMs() / 1000,
        openFiles: countOpenFiles(),
        lagMs: lag.longestMs(),
      }
    },
    stop: lag.stop,
  }
}
