import { version } from '../../../package.json'
import type { NodeItem } from '../../admin/nodes/schema.ts'
import type { NodeService } from '../../admin/nodes/service.ts'
import { formatNano } from '../../billing/money.ts'
import type { Clock } from '../../lib/clock.ts'
import { isoTime } from '../../lib/format.ts'
import type { NodeLoad, NodeReservations } from '../../store/ports/nodes.ts'
import type { Store } from '../../store/ports/store.ts'
import type { Config } from '../config/config.ts'
import type { MetricsSource } from '../metrics-listen.ts'
import { processName } from '../nodes/membership.ts'
import { describeStore, isOnServer } from '../store-place.ts'

interface NodeServiceParts {
  readonly config: () => Config
  readonly store: Pick<Store, 'nodes'>
  readonly metrics: Pick<MetricsSource, 'load' | 'membership'>
  readonly clock: Clock
}

/** Looks who serves from the database; where one process alone can, at that. */
export function createNodeService(parts: NodeServiceParts): NodeService {
  const { store, metrics, clock } = parts
  const place = parts.config().store
  const startedAt = isoTime(clock() - Math.round(process.uptime() * 1000))

  /** Of all nodes, as the database knows them. */
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

  /** Of this process, which is in no list. */
  async function alone(): Promise<NodeItem[]> {
    const [reserved] = await store.nodes.reservations()
    return [
      {
        ...{ name: processName(), version, is_this: true, is_alive: true },
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

const loadView = ({ requests, streams, requestsPerMinute, leads, counting }: NodeLoad) => ({
  leads: leads ?? false,
  counting: counting ?? null,
  requests: requests ?? null,
  streams: streams ?? null,
  requests_per_minute: requestsPerMinute ?? null,
})

const reservedView = (reserved: NodeReservations | undefined) => ({
  reserved_requests: reserved?.requests ?? 0,
  reserved: formatNano(reserved?.amountNano ?? 0),
})
