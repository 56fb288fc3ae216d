import { stat } from 'node:fs/promises'
import type { NodeItem, NodeService } from '../../admin/nodes/routes.ts'
import type { GatewayNow } from '../../admin/overview/schema.ts'
import { formatNano } from '../../billing/money.ts'
import { version } from '../../lib/build-info.ts'
import type { Clock } from '../../lib/clock.ts'
import { isoTime } from '../../lib/format.ts'
import { residentMemoryBytes } from '../../lib/process-state.ts'
import type { NodeLoad, NodeReservations, ProcessLoad } from '../../store/ports/nodes.ts'
import { processName } from '../membership.ts'
import { describeStore, fileOf, isOnServer } from '../store-place.ts'
import type { ConsoleParts } from './parts.ts'

/** Reports the present state of the gateway. */
export function createGatewayNow(parts: ConsoleParts) {
  const { config, metrics, coolings, clock } = parts
  const startedAt = startOf(clock)
  const file = fileOf(config().store)
  return async (): Promise<GatewayNow> => {
    const { groups, channels, models } = metrics.catalog()
    const newer = parts.newerRelease()
    const nameOf = (id: number) => channels.get(id)?.name ?? `channel ${id}`
    return {
      version,
      newer_release: newer ? { version: newer.version, notes_url: newer.notes_url ?? null } : null,
      started_at: startedAt,
      requests_under_way: metrics.requestsInFlight(),
      streams_under_way: metrics.streamsInFlight(),
      memory_bytes: metrics.load().memoryBytes ?? residentMemoryBytes(),
      database_bytes: await sizeOf(file),
      channels: channels.size,
      groups: groups.values().reduce((count, { enabled }) => count + (enabled ? 1 : 0), 0),
      models: models.size,
      cooling: coolings().map(({ channelId, model, cause, until }) => ({
        channel: nameOf(channelId),
        model: model === '' ? null : model,
        cause,
        until: isoTime(until),
      })),
      attempts: [...metrics.totals().attempts].map(([channel, causes]) => {
        const attempts = causes.values().reduce((sum, count) => sum + count, 0)
        return { channel, attempts, failed: attempts - (causes.get('') ?? 0) }
      }),
    }
  }
}

const startOf = (clock: Clock) => isoTime(clock() - Math.round(process.uptime() * 1000))

async function sizeOf(path: string | undefined): Promise<number | null> {
  if (path === undefined) return null
  const sizes = await Promise.all(
    [path, `${path}-wal`].map((file) =>
      stat(file).then(
        ({ size }) => size,
        () => 0, // a missing log is empty
      ),
    ),
  )
  return sizes.reduce((sum, size) => sum + size, 0)
}

/** Lists the nodes that serve from the database, or this process where only one can. */
export function createNodeService(
  { config, store, clock }: Pick<ConsoleParts, 'config' | 'store' | 'clock'>,
  metrics: Pick<ConsoleParts['metrics'], 'load' | 'membership' | 'workers'>,
): NodeService {
  const place = config().store
  const startedAt = startOf(clock)

  async function listed(): Promise<NodeItem[]> {
    const [nodes, reservations] = await Promise.all([
      store.nodes.list(),
      store.nodes.reservations(),
    ])
    const reserved = new Map(reservations.map((one) => [one.nodeId, one]))
    return nodes.map(({ id, name, isAlive, silentMs, load, ...node }) => ({
      ...{ name, version: node.version, is_this: id === metrics.membership?.id() },
      ...{ is_alive: isAlive, started_at: isoTime(node.startedAt) },
      silent_seconds: Math.max(0, Math.round(silentMs / 1000)),
      ...loadView(load),
      ...reservedView(reserved.get(id)),
    }))
  }

  /** This process, which is in no list. */
  async function alone(): Promise<NodeItem[]> {
    const [reserved] = await store.nodes.reservations()
    return [
      {
        ...{
          name: processName(metrics.workers !== undefined),
          version,
          is_this: true,
          is_alive: true,
        },
        ...{ started_at: startedAt, silent_seconds: 0 },
        ...loadView(metrics.load()),
        ...reservedView(reserved),
      },
    ]
  }

  return {
    async list() {
      const items = await (metrics.membership ? listed() : alone())
      return { database: describeStore(place), is_shared: isOnServer(place), items }
    },
  }
}

const loadView = ({
  requests,
  streams,
  requestsPerMinute,
  memoryBytes,
  cpuPercent,
  processes = [],
  leads,
  counting,
}: NodeLoad) => ({
  leads: leads ?? false,
  counting: counting ?? null,
  requests: requests ?? null,
  streams: streams ?? null,
  requests_per_minute: requestsPerMinute ?? null,
  memory_bytes: memoryBytes ?? null,
  cpu_percent: cpuPercent ?? null,
  processes: processes.map(processView),
})

const processView = ({ requestsPerMinute, memoryBytes, cpuPercent, ...load }: ProcessLoad) => ({
  ...{ worker: load.worker, pid: load.pid, requests: load.requests, streams: load.streams },
  requests_per_minute: requestsPerMinute,
  ...{ memory_bytes: memoryBytes, cpu_percent: cpuPercent },
})

const reservedView = (reserved: NodeReservations | undefined) => ({
  reserved_requests: reserved?.requests ?? 0,
  reserved: formatNano(reserved?.amountNano ?? 0),
})
