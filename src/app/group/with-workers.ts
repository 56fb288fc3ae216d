import type { MetricsSource, WorkerRow } from '../metrics-listen.ts'
import type { Desk } from './desk.ts'
import type { ReportedWorker, Reports } from './reports.ts'

interface GroupParts {
  readonly reports: Pick<Reports, 'all' | 'totals' | 'refused'>
  readonly desk: Pick<Desk, 'workers'>
  /** How many workers there should be. */
  readonly expected: number
}

/** The keeper's metrics with those of its workers. */
export function withWorkers(
  own: MetricsSource,
  { reports, desk, expected }: GroupParts,
): MetricsSource {
  const { budget } = own.memory
  const sum = (mine: number, of: (report: ReportedWorker['report']) => number) =>
    reports.all().reduce((total, { report }) => total + of(report), mine)
  const refused = () => reports.refused({ memory: budget.refused(), ...own.slots.refused() })
  return {
    ...own,
    totals: () => reports.totals(own.totals()),
    requestsInFlight: () => sum(own.requestsInFlight(), ({ load }) => load.requests),
    streamsInFlight: () => sum(own.streamsInFlight(), ({ load }) => load.streams),
    memory: {
      budget: {
        get totalBytes() {
          return sum(budget.totalBytes, ({ memory }) => memory.budgetBytes)
        },
        usedBytes: () => sum(budget.usedBytes(), ({ memory }) => memory.usedBytes),
        waiting: () => sum(budget.waiting(), ({ memory }) => memory.waiting),
        refused: () => refused().memory,
      },
    },
    slots: {
      refused() {
        const { requests, connections } = refused()
        return { requests, connections }
      },
    },
    workers: {
      expected,
      connected: () => desk.workers().filter(({ isConnected }) => isConnected).length,
      rows: () => reports.all().map(rowOf),
    },
  }
}

const rowOf = ({ worker, report }: ReportedWorker): WorkerRow => ({
  index: worker.index,
  requests: report.load.requests,
  streams: report.load.streams,
  residentBytes: report.memory.residentBytes,
  cpuSeconds: report.cpuSeconds,
  openFiles: report.openFiles,
  lagMs: report.lagMs,
})
