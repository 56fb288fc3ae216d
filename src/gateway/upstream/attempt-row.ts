import type { Channel } from '../../catalog/catalog.ts'
import type { Clock } from '../../lib/clock.ts'
import { toJsonText } from '../../protocols/canonical/json-text.ts'
import type { Exchange } from '../exchange.ts'
import type { OutboundAnswer } from '../outbound/paced-call.ts'
import type { Watch } from '../relay/watchdog.ts'
import type { AttemptCause } from './causes.ts'

export interface AttemptRowParts {
  readonly clock: Clock
  readonly tick: Clock
  /** Told of every attempt that has ended, and of its failure's class. */
  readonly onAttempt: (channel: Channel, cause: AttemptCause | null) => void
}

/** What is noted of an attempt while it lasts. */
export interface OpenRow {
  head(response: OutboundAnswer): void
  /** Its first bytes are; returns how long that took, in milliseconds. Only the first call counts. */
  begun(): number
  /** The attempt has ended; only the first call counts. */
  finish(cause: AttemptCause | null, usageRaw?: unknown): void
}

/** Begins the row of an attempt, which is written to the exchange when the attempt has ended. */
export const startRow = (
  parts: AttemptRowParts,
  exchange: Exchange,
  channel: Channel,
  watch: Watch,
): OpenRow => new AttemptNotes(parts, exchange, channel, watch)

class AttemptNotes implements OpenRow {
  readonly #parts: AttemptRowParts
  readonly #exchange: Exchange
  readonly #channel: Channel
  readonly #watch: Watch
  readonly #startedAt: number
  readonly #startedTick: number
  #status: number | null = null
  #upstreamRequestId: string | null = null
  #firstByteMs: number | null = null
  #isFinished = false

  constructor(parts: AttemptRowParts, exchange: Exchange, channel: Channel, watch: Watch) {
    this.#parts = parts
    this.#exchange = exchange
    this.#channel = channel
    this.#watch = watch
    this.#startedAt = parts.clock()
    this.#startedTick = parts.tick()
  }

  head({ status, headers }: OutboundAnswer): void {
    this.#status = status
    this.#upstreamRequestId =
      headers.get('x-request-id') ?? headers.get('request-id') ?? headers.get('apim-request-id')
  }

  begun(): number {
    this.#firstByteMs ??= this.#elapsedMs()
    return this.#firstByteMs
  }

  finish(cause: AttemptCause | null, usageRaw?: unknown): void {
    if (this.#isFinished) return
    this.#isFinished = true
    this.#watch.stop()
    this.#parts.onAttempt(this.#channel, cause)
    this.#exchange.attempts.push({
      channelId: this.#channel.id,
      startedAt: this.#startedAt,
      status: this.#status,
      cause,
      firstByteMs: this.#firstByteMs,
      durationMs: this.#elapsedMs(),
      upstreamRequestId: this.#upstreamRequestId,
      usageRaw: toJsonText(usageRaw) ?? null,
    })
  }

  #elapsedMs(): number {
    return Math.round(this.#parts.tick() - this.#startedTick)
  }
}
