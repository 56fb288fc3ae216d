import { type Repeat, repeatByTimer } from '../../lib/clock.ts'
import type { Logger } from '../../lib/log.ts'
import type { AdminStore } from '../../store/ports/admin.ts'
import {
  type ListedRequest,
  type ListStore,
  ListsBusy,
  type RequestFilter,
} from '../../store/ports/lists.ts'
import type { Sessions, SignedIn } from '../access.ts'
import { createPlaces } from '../download.ts'
import type { AllRequestsWanted } from './schema.ts'
import { filterOf, matches, type Owner } from './service.ts'
import { toAnyItem, toItem } from './view.ts'
import { Viewer } from './viewer.ts'

interface LiveParts {
  readonly lists: Pick<ListStore, 'newRequests'>
  readonly accounts: Pick<AdminStore, 'accountsNamed'>
  readonly sessions: Sessions
  readonly log: Logger
  readonly repeat?: Repeat | undefined
}

interface Asked {
  readonly who: SignedIn
  readonly wanted: AllRequestsWanted
  readonly request: Request
}

interface Watching {
  readonly asked: Asked
  readonly filter: RequestFilter
  readonly toData: (row: ListedRequest) => object
}

const pollMs = 500
const maxRows = 500
/** Shorter than the idle timeouts of proxies and of the server. */
const heartbeatMs = 10_000
const maxViewers = 50
const maxViewersEach = 8

export type LiveRequests = ReturnType<typeof createLiveRequests>

/** Live views of ending requests. One poll serves all viewers. A view ends with its session, its client or `stop`. */
export function createLiveRequests(parts: LiveParts) {
  const { lists, accounts, sessions, log, repeat = repeatByTimer } = parts
  const places = createPlaces('live views', maxViewers, maxViewersEach)
  const viewers = new Map<Viewer, Watching>()
  let stopTimers: (() => void) | undefined
  let hasStopped = false
  let lastRow: number | undefined
  let polling: Promise<void> | undefined

  /** Of more than `maxRows` only the first are shown; the next poll continues after the last. */
  async function readNew(): Promise<void> {
    const found = await lists.newRequests(lastRow, undefined, maxRows)
    for (const row of found.rows) sendToViewers(row)
    lastRow = found.lastRow
    if (found.rows.length < maxRows) return
    lastRow = (await lists.newRequests(undefined, undefined, 1)).lastRow
    for (const viewer of viewers.keys()) viewer.send({ event: 'skipped', data: '' })
  }

  function sendToViewers(row: ListedRequest): void {
    for (const [viewer, { filter, toData }] of viewers) {
      if (matches(row, filter)) viewer.send({ event: 'request', data: toData(row) })
    }
  }

  function poll(): Promise<void> {
    polling ??= readNew()
      .catch((error: unknown) => {
        if (error instanceof ListsBusy) return // the next poll reads them, too
        log.warn('console: new requests could not be read', { error: String(error) })
      })
      .finally(() => {
        polling = undefined
        if (viewers.size === 0) lastRow = undefined
      })
    return polling
  }

  async function beat(): Promise<void> {
    for (const viewer of viewers.keys()) viewer.send({ event: 'ping', data: '' })
    for (const [viewer, { asked }] of viewers) {
      if (!(await isStillIn(asked))) viewer.end('signed_out')
    }
  }

  async function isStillIn({ who, request }: Asked): Promise<boolean> {
    const now = await sessions.find(request)
    return now?.sessionId === who.sessionId && now.role === who.role
  }

  function begin(): void {
    if (stopTimers) return
    const stopPolling = repeat(() => void poll(), pollMs)
    const stopBeating = repeat(() => {
      beat().catch((error: unknown) =>
        log.warn('console: sessions could not be read', { error: String(error) }),
      )
    }, heartbeatMs)
    stopTimers = () => {
      stopPolling()
      stopBeating()
    }
  }

  function leave(viewer: Viewer, release: () => void): void {
    release()
    viewers.delete(viewer)
    if (viewers.size > 0) return
    stopTimers?.()
    stopTimers = undefined
    if (polling === undefined) lastRow = undefined
  }

  async function watch(watching: Watching): Promise<Viewer> {
    const { who, request } = watching.asked
    const { signal } = request
    const release = places.take(who)
    const viewer = new Viewer(() => leave(viewer, release))
    viewers.set(viewer, watching)
    signal.addEventListener('abort', () => void viewer.return(), { once: true })
    begin()
    // From here on no request is missed.
    if (lastRow === undefined) await poll()
    if (hasStopped) viewer.end('stopping')
    // The response to HEAD would otherwise take as long as the view lasts.
    if (signal.aborted || request.method === 'HEAD') await viewer.return()
    return viewer
  }

  function close(): void {
    hasStopped = true
    for (const viewer of viewers.keys()) viewer.end('stopping')
  }

  return {
    async watch(owner: Owner, asked: Asked): Promise<Viewer> {
      const filter = await filterOf(accounts, owner, asked.wanted)
      return watch({ asked, filter, toData: owner === 'all' ? toAnyItem : toItem })
    },
    /** Ends all views, also those not yet opened. */
    close,
    async stop(): Promise<void> {
      close()
      await polling
    },
  }
}
