import { stat } from 'node:fs/promises'
import { version } from '../../../package.json'
import type { GatewayNow } from '../../admin/overview/schema.ts'
import type { Clock } from '../../lib/clock.ts'
import { isoTime } from '../../lib/format.ts'
import { residentMemoryBytes } from '../../lib/process-state.ts'
import type { CoolingRow } from '../../store/ports/counters.ts'
import type { MetricsSource } from '../metrics-listen.ts'

interface GatewayNowParts {
  readonly metrics: MetricsSource
  readonly coolings: () => readonly CoolingRow[]
  /** Path of the database; undefined: it is no file. */
  readonly file: string | undefined
  readonly clock: Clock
}

/** Looks at the gateway as it is at this moment. */
export function createGatewayNow({ metrics, coolings, file, clock }: GatewayNowParts) {
  const startedAt = isoTime(clock() - Math.round(process.uptime() * 1000))
  return async (): Promise<GatewayNow> => {
    const { groups, channels, models } = metrics.catalog()
    const nameOf = (id: number) => channels.get(id)?.name ?? `channel ${id}`
    return {
      version,
      started_at: startedAt,
      requests_under_way: metrics.requestsInFlight(),
      streams_under_way: metrics.streamsInFlight(),
      memory_bytes: residentMemoryBytes(),
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
      attempts: [...metrics.totals.attempts].map(([channel, causes]) => {
        const attempts = causes.values().reduce((sum, count) => sum + count, 0)
        return { channel, attempts, failed: attempts - (causes.get('') ?? 0) }
      }),
    }
  }
}

/** With what was written to its log and not yet to it. */
async function sizeOf(path: string | undefined): Promise<number | null> {
  if (path === undefined) return null
  const sizes = await Promise.all(
    [path, `${path}-wal`].map((file) =>
      stat(file).then(
        ({ size }) => size,
        () => 0, // a log that is not there holds nothing
      ),
    ),
  )
  return sizes.reduce((sum, size) => sum + size, 0)
}
