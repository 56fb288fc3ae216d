import type { Catalog } from '../catalog/catalog.ts'
import type { RequestSlots } from '../gateway/admit/request-slots.ts'
import type { Totals } from '../gateway/availability/availability.ts'
import type { MemoryBudget } from '../gateway/memory/memory-budget.ts'
import { repeatByTimer } from '../lib/clock.ts'
import { createSingleFlight } from '../lib/concurrency.ts'
import type { Logger } from '../lib/log.ts'
import { createLagMeter, type LagMeter } from '../lib/process-state.ts'
import type { CoolingRow } from '../store/ports/counters.ts'
import type { NodeLoad } from '../store/ports/nodes.ts'
import type { Config } from './config/config.ts'
import { cannotListen } from './listen.ts'
import type { Membership } from './membership.ts'
import type { Metrics } from './metrics.ts'

/** What the metrics report, read at each request. */
export interface MetricsSource {
  readonly totals: () => Totals
  readonly catalog: () => Catalog
  readonly requestsInFlight: () => number
  /** Requests whose answer is a stream that has begun. */
  readonly streamsInFlight: () => number
  readonly spooled: () => number
  readonly coolings: () => Iterable<Pick<CoolingRow, 'channelId'>>
  readonly memory: {
    readonly budget: Pick<MemoryBudget, 'totalBytes' | 'usedBytes' | 'waiting' | 'refused'>
  }
  readonly slots: Pick<RequestSlots, 'refused'>
  /** Overdrawn accounts, at most a minute old; undefined: not known yet. */
  readonly overdrawn: () => number | undefined
  readonly load: () => NodeLoad
  /** Undefined: this is the only process. */
  readonly membership: Pick<Membership, 'id' | 'known'> | undefined
  /** Processes that answer for this one; absent: it answers all requests itself. */
  readonly workers?: {
    /** How many there should be. */
    readonly expected: number
    readonly connected: () => number
    readonly rows: () => readonly WorkerRow[]
  }
}

/** A worker as the metrics report it. */
export interface WorkerRow {
  readonly index: number
  readonly requests: number
  readonly streams: number
  readonly residentBytes: number
  readonly cpuSeconds: number
  /** Undefined without /proc. */
  readonly openFiles: number | undefined
  /** Longest delay of the event loop in the last minute. */
  readonly lagMs: number
}

export type MetricsListening = ReturnType<typeof listenMetrics>

type Address = NonNullable<Config['server']['metrics']>

/** Serves `/metrics` on an address of its own. Throws a `UserError` when it can't listen. */
export function listenMetrics(address: Address, source: MetricsSource, log: Logger) {
  const lag = createLagMeter(() => performance.now(), repeatByTimer)
  const answer = createAnswer(source, lag)
  try {
    const server = Bun.serve({
      hostname: address.host,
      port: address.port,
      reusePort: false,
      development: false,
      fetch: answer,
      error(error) {
        log.error('metrics not reported', { error })
        return plain(500, 'The metrics could not be read.')
      },
    })
    const shown = address.host.includes(':') ? `[${address.host}]` : address.host
    return {
      url: `http://${shown}:${server.port}/metrics`,
      async close(): Promise<void> {
        lag.stop()
        await server.stop(true)
      },
    }
  } catch (cause) {
    lag.stop()
    throw cannotListen({ ...address, setBy: 'server.metrics' }, cause)
  }
}

const plain = (status: number, text: string, headers: Record<string, string> = {}) =>
  new Response(`${text}\n`, { status, headers: { 'content-type': 'text/plain', ...headers } })

/** Builds the text on demand, once for all concurrent requests. */
function createAnswer(source: MetricsSource, lag: LagMeter) {
  let metrics: Promise<Metrics> | undefined
  const read = createSingleFlight(async () => {
    metrics ??= import('./metrics.ts').then(({ createMetrics }) => createMetrics(source, lag))
    const { text, contentType } = await metrics
    return { text: await text(), contentType }
  })
  return async (request: Request): Promise<Response> => {
    if (new URL(request.url).pathname !== '/metrics') return plain(404, 'Metrics are at /metrics.')
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return plain(405, 'Ask with GET.', { allow: 'GET, HEAD' })
    const { text, contentType } = await read()
    return new Response(text, { headers: { 'content-type': contentType } })
  }
}
