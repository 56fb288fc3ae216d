import type { Totals } from '../../gateway/availability/availability.ts'
import { type Repeat, repeatByTimer } from '../../lib/clock.ts'
import { createSingleFlight } from '../../lib/concurrency.ts'
import type { WorkerId } from '../../store/keeper/messages.ts'
import type { NodeLoad } from '../../store/ports/nodes.ts'
import type { RecentCounts } from '../counts.ts'
import type { Desk } from './desk.ts'
import type { WorkerReport } from './report.ts'
import { sumOf } from './totals.ts'

/** A worker with what it has last reported. */
export interface ReportedWorker {
  readonly worker: WorkerId
  readonly report: WorkerReport
}

export type Reports = ReturnType<typeof createReports>

const askMs = 1_000

/** What the workers report, asked for each second, and the sums of it with the keeper's own. */
export function createReports(desk: Pick<Desk, 'ask'>, repeat: Repeat = repeatByTimer) {
  const latest = new Map<number, ReportedWorker>()
  /** Of workers that have ended: totals never fall. */
  let ended: Totals | undefined

  const ask = createSingleFlight(async () => {
    for (const { worker, value } of await desk.ask('report')) {
      const known = latest.get(worker.index)
      if (known && known.worker.pid !== worker.pid) retire(known)
      latest.set(worker.index, { worker, report: value as WorkerReport })
    }
  })
  const stop = repeat(() => void ask(), askMs)

  function retire({ worker, report }: ReportedWorker): void {
    ended = sumOf(ended ? [ended, report.totals] : [report.totals])
    latest.delete(worker.index)
  }

  const all = () => [...latest.values()]

  return {
    all,
    died({ index, pid }: WorkerId): void {
      const known = latest.get(index)
      if (known?.worker.pid === pid) retire(known)
    },
    totals: (own: Totals): Totals =>
      sumOf([own, ...(ended ? [ended] : []), ...all().map(({ report }) => report.totals)]),
    load(own: Required<NodeLoad>): Required<NodeLoad> {
      const sum = { ...own }
      for (const { report } of latest.values()) {
        sum.requests += report.load.requests ?? 0
        sum.streams += report.load.streams ?? 0
        sum.requestsPerMinute += report.load.requestsPerMinute ?? 0
      }
      return sum
    },
    recent(own: RecentCounts, channelId: number): RecentCounts {
      let { attempts, failed } = own
      for (const { report } of latest.values()) {
        const more = report.recent.get(channelId)
        attempts += more?.attempts ?? 0
        failed += more?.failed ?? 0
      }
      return { attempts, failed }
    },
    async stop(): Promise<void> {
      stop()
      await ask.idle()
    },
  }
}
