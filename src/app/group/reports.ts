import type { Totals } from '../../gateway/availability/availability.ts'
import { type Repeat, repeatByTimer } from '../../lib/clock.ts'
import { createSingleFlight } from '../../lib/concurrency.ts'
import type { WorkerId } from '../../store/keeper/messages.ts'
import type { NodeLoad, ProcessLoad } from '../../store/ports/nodes.ts'
import type { RecentCounts } from '../counts.ts'
import type { OwnLoad } from '../membership.ts'
import type { Desk } from './desk.ts'
import type { Refused, WorkerReport } from './report.ts'
import { since, sumOf } from './totals.ts'

/** A worker with what it has last reported. */
export interface ReportedWorker {
  readonly worker: WorkerId
  readonly report: WorkerReport
}

export type Reports = ReturnType<typeof createReports>

interface ReportsParts {
  readonly desk: Pick<Desk, 'ask'>
  /** Workers that have counted before this keeper started: what they count for it begins with their first report. */
  readonly earlier: readonly WorkerId[]
  readonly repeat?: Repeat
}

type Counted = Pick<WorkerReport, 'totals' | 'refused'>

const askMs = 1_000

/** What the workers report, asked for each second, and the sums of it with the keeper's own. */
export function createReports({ desk, earlier, repeat = repeatByTimer }: ReportsParts) {
  const latest = new Map<number, ReportedWorker>()
  /** Of workers that have ended: totals never fall. */
  let ended: Counted[] = []
  /** By pid: what `earlier` workers had counted. */
  const before = new Map<number, Counted>()
  const earlierPids = new Set(earlier.map(({ pid }) => pid))
  /** Ended while the others were asked. */
  let endedNow = new Set<number>()

  const ask = createSingleFlight(async () => {
    endedNow = new Set()
    for (const { worker, value } of await desk.ask('report')) {
      if (endedNow.has(worker.pid)) continue
      const known = latest.get(worker.index)
      if (known && known.worker.pid !== worker.pid) retire(known)
      const report = value as WorkerReport
      if (earlierPids.delete(worker.pid)) before.set(worker.pid, report)
      latest.set(worker.index, { worker, report })
    }
  })
  const stop = repeat(() => void ask(), askMs)

  function retire(one: ReportedWorker): void {
    ended = [addUp([...ended, countedBy(one)])]
    before.delete(one.worker.pid)
    latest.delete(one.worker.index)
  }

  function countedBy({ worker, report }: ReportedWorker): Counted {
    const start = before.get(worker.pid)
    if (start === undefined) return report
    return {
      totals: since(start.totals, report.totals),
      refused: addRefused(report.refused, start.refused, -1),
    }
  }

  const all = () => [...latest.values()].sort((a, b) => a.worker.index - b.worker.index)
  const counted = () => [...ended, ...all().map(countedBy)]

  return {
    all,
    died({ index, pid }: WorkerId): void {
      endedNow.add(pid)
      const known = latest.get(index)
      if (known?.worker.pid === pid) retire(known)
    },
    totals: (own: Totals): Totals => sumOf([own, ...counted().map(({ totals }) => totals)]),
    /** Requests that were refused as overloaded. */
    refused: (own: Refused): Refused =>
      counted().reduce((sum, { refused }) => addRefused(sum, refused, 1), own),
    /** The node's load, with each of its processes. */
    load(own: OwnLoad): NodeLoad {
      const processes = [
        processLoad({ worker: null, pid: process.pid }, own),
        ...all().map(({ worker, report }) =>
          processLoad({ worker: worker.index, pid: worker.pid }, report.load),
        ),
      ]
      const sum = { ...own }
      for (const { load } of latest.values().map(({ report }) => report)) {
        sum.requests += load.requests
        sum.streams += load.streams
        sum.requestsPerMinute += load.requestsPerMinute
        sum.memoryBytes += load.memoryBytes
        sum.cpuPercent += load.cpuPercent
      }
      return { ...sum, processes }
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

type Figures = Pick<
  OwnLoad,
  'requests' | 'streams' | 'requestsPerMinute' | 'memoryBytes' | 'cpuPercent'
>

const processLoad = (
  id: Pick<ProcessLoad, 'worker' | 'pid'>,
  { requests, streams, requestsPerMinute, memoryBytes, cpuPercent }: Figures,
): ProcessLoad => ({ ...id, requests, streams, requestsPerMinute, memoryBytes, cpuPercent })

const addUp = (all: readonly Counted[]): Counted => ({
  totals: sumOf(all.map(({ totals }) => totals)),
  refused: all.map(({ refused }) => refused).reduce((sum, one) => addRefused(sum, one, 1)),
})

const addRefused = (sum: Refused, more: Refused, sign: 1 | -1): Refused => ({
  memory: sum.memory + sign * more.memory,
  requests: sum.requests + sign * more.requests,
  connections: sum.connections + sign * more.connections,
})
