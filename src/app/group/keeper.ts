import type { AnyElysia } from 'elysia'
import { createMemoryCounters } from '../../gateway/limits/memory-counters.ts'
import type { Logger } from '../../lib/log.ts'
import { isProcessAlive } from '../../lib/process-state.ts'
import type { WorkerId } from '../../store/keeper/messages.ts'
import type { Counters } from '../../store/ports/counters.ts'
import type { NodeLoad } from '../../store/ports/nodes.ts'
import type { Spool } from '../../store/ports/records.ts'
import type { Store } from '../../store/ports/store.ts'
import type { RecentCounts } from '../counts.ts'
import type { OwnLoad } from '../membership.ts'
import type { MetricsSource } from '../metrics-listen.ts'
import type { Listening } from '../stopping.ts'
import { openDesk } from './desk.ts'
import { listenForPages } from './pages.ts'
import type { Given, GroupPlace } from './place.ts'
import { createReports } from './reports.ts'
import { withWorkers } from './with-workers.ts'

/** What the keeper's process must know of its group, and do for it. */
export interface KeeperMember {
  readonly place: GroupPlace
  /** The address that clients use. */
  readonly url: string
  /** A worker does not answer: it is to be killed, and started again. */
  readonly onFrozen: (worker: WorkerId) => void
  /** Called with each worker whose process has ended. */
  readonly onDied: (listener: (worker: WorkerId) => void) => void
  /** Workers that live already: this keeper takes the place of one that died. */
  readonly living: readonly WorkerId[]
  /** Resolves when no worker runs any more. */
  readonly workersEnded: () => Promise<void>
}

interface KeeperParts {
  readonly member: KeeperMember
  readonly store: Store
  /** Counters shared with other machines; undefined: the workers share the keeper's memory. */
  readonly counters: Counters | undefined
  readonly spool: Spool | undefined
  readonly log: Logger
  readonly given: () => Given | null
}

/** How long a keeper that starts anew waits for its workers: they try several times a second. */
const joinMs = 1_000
const lookMs = 5

/** The workers, as the keeper's other parts see them. */
export type Workers = ReturnType<typeof openWorkers>

/** Opens the keeper's store and counters to the workers of its group. */
export function openWorkers({ member, store, spool, log, given, ...parts }: KeeperParts) {
  const { place } = member
  const counters =
    parts.counters ??
    createMemoryCounters({ tick: () => performance.now(), processes: () => place.workers })
  const { link: address, secret } = place
  const started = Promise.withResolvers<void>()
  const desk = openDesk({
    ...{ address, secret, store, counters, spool, log, given },
    onFrozen: member.onFrozen,
    isAlive: ({ pid }) => isProcessAlive(pid),
    started: started.promise,
  })
  // What the store lends is lent on to the workers.
  const { leases: _, ...unleased } = store.records
  const reports = createReports({ desk, earlier: member.living })
  member.onDied((worker) => {
    reports.died(worker)
    desk.died(worker)
  })

  return {
    counters,
    /** The keeper's own requests go by the same commits as those of its workers. */
    store: { ...store, records: { ...unleased, ...desk.records } } satisfies Store,
    changed: desk.changed,
    /** Resolves when the workers have applied what has changed, or do not answer in time. */
    applied: () => desk.ask('applied'),
    /** Gives the workers a changed configuration. */
    give: desk.give,
    setTrouble: desk.setTrouble,
    /** Whether settlements of a worker wait that the store did not take. */
    isBehind: (): boolean => reports.all().some(({ report }) => report.isBehind),
    load: (own: OwnLoad): NodeLoad => ({
      ...reports.load(own),
      // Counters in the keeper's memory are for this node alone.
      counting: parts.counters ? own.counting : 'alone',
    }),
    recent: (own: RecentCounts, channelId: number): RecentCounts => reports.recent(own, channelId),
    /** The keeper's metrics with those of its workers. */
    over: (own: MetricsSource): MetricsSource =>
      withWorkers(own, { reports, desk, expected: place.workers }),
    /** Waits a moment for the workers that live already; gives the requests that they have under way. */
    async joined(): Promise<readonly string[]> {
      const isThere = ({ pid }: WorkerId) =>
        desk.workers().some((one) => one.pid === pid && one.isConnected)
      const deadline = performance.now() + joinMs
      const missing = () => member.living.filter((one) => !isThere(one))
      while (missing().length > 0 && performance.now() < deadline) await Bun.sleep(lookMs)
      return desk.held()
    },
    /** Commits what workers ask for from now on: leases of an earlier keeper have ended in the store. */
    begin: started.resolve,
    /** Answers what workers pass on. */
    listen(app: AnyElysia): Listening & { readonly url: string } {
      const pages = listenForPages(app, { socket: place.pages, secret }, log)
      return { ...pages, url: member.url }
    },
    async ended(): Promise<void> {
      await member.workersEnded()
      await desk.idle()
    },
    async stop(): Promise<void> {
      await reports.stop()
      desk.close()
    },
  }
}
