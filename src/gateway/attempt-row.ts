import type { Channel } from '../catalog/catalog.ts'
import type { Clock } from '../lib/clock.ts'
import { toJsonText } from '../protocols/canonical/json-text.ts'
import type { AttemptRow } from '../store/ports/records.ts'
import type { Exchange } from './exchange.ts'
import type { Watch } from './watchdog.ts'

export interface AttemptRowParts {
  readonly clock: Clock
  readonly tick: Clock
  /** Told of every attempt that has ended, and of its failure's class. */
  readonly onAttempt: (channel: Channel, cause: string | null) => void
}

/** What is noted of an attempt while it lasts. */
export interface OpenRow {
  /** The head of the answer is here. */
  head(response: Response): void
  /** Its first bytes are; returns how long that took, in milliseconds. Only the first call counts. */
  begun(): number
  /** The attempt has ended; only the first call counts. */
  finish(cause: string | null, usageRaw?: unknown): void
}

/** Begins the row of an attempt, which is written to the exchange when the attempt has ended. */
export function startRow(
  parts: AttemptRowParts,
  exchange: Exchange,
  channel: Channel,
  watch: Watch,
): OpenRow {
  const startedAt = parts.clock()
  const startedTick = parts.tick()
  const elapsedMs = () => Math.round(parts.tick() - startedTick)
  let status: number | null = null
  let upstreamRequestId: string | null = null
  let firstByteMs: number | null = null
  let finished = false
  return {
    head(response) {
      status = response.status
      const { headers } = response
      upstreamRequestId =
        headers.get('x-request-id') ?? headers.get('request-id') ?? headers.get('apim-request-id')
    },
    begun() {
      firstByteMs ??= elapsedMs()
      return firstByteMs
    },
    finish(cause, usageRaw) {
      if (finished) return
      finished = true
      watch.stop()
      parts.onAttempt(channel, cause)
      const row: AttemptRow = {
        channelId: channel.id,
        startedAt,
        status,
        cause,
        firstByteMs,
        durationMs: elapsedMs(),
        upstreamRequestId,
        usageRaw: toJsonText(usageRaw) ?? null,
      }
      exchange.attempts.push(row)
    },
  }
}
