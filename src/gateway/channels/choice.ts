import type { Clock } from '../../lib/clock.ts'
import { type Failure, type FailureName, failureClasses } from '../failures/failures.ts'
import type { Permit } from '../limits/limiter.ts'
import type { Option } from '../options.ts'
import type { Bindings } from './bindings.ts'
import type { Conversation } from './conversation.ts'
import type { Health } from './health.ts'
import type { Load } from './load.ts'

/** A channel's key that is to be asked, and whom to tell how that went. */
export interface Choice {
  readonly option: Option
  /** The credential. */
  readonly key: string
  /** It finds out whether what has cooled is well again. */
  readonly isTrial: boolean
  /**
   * The head and the first bytes came well, so many milliseconds after sending: ends a cooling. Without
   * a time it was the client's own mistake that was answered, which says nothing of the channel.
   */
  succeeded(firstByteMs?: number): void
  failed(failure: Failure): void
  /** An answer that goes to the client all the same has failed or broken off. */
  broke(failure: Pick<Failure, 'name' | 'retryAfterMs'>): void
  /**
   * The attempt is over, or the whole answer: its place on the channel is free. Idempotent.
   * `usedLlmTokens` as far as known: what counts against the channel's limit instead of the estimate.
   */
  ended(usedLlmTokens?: number): void
}

/** Who is told how a choice went. */
export interface ChoiceParts {
  readonly health: Health
  readonly load: Load
  readonly bindings: Bindings
  readonly tick: Clock
}

/** What was chosen, and for whom. */
export interface Chosen {
  readonly option: Option
  readonly key: string
  /** With which of its answers this one is compared. */
  readonly series: string
  /** What it is counted in as under way; undefined: there was nothing to choose. */
  readonly pool: string | undefined
  readonly permit: Permit
  readonly tokenId: number
  /** What is bound to the channel that answers; undefined: nothing. */
  readonly conversation: Conversation | undefined
}

/** Failures that tell that the first byte takes long. */
const slowFailures: readonly FailureName[] = ['timeout_connect', 'timeout_first_byte']

/** Whoever gives up sooner tells nothing: it was the client, or nothing was sent at all. */
const patienceMs = 5_000

/** Takes a place on the channel, until the choice has ended. */
export function createChoice(parts: ChoiceParts, chosen: Chosen): Choice {
  const { health, load, bindings, tick } = parts
  const { option, key, series, pool, permit, tokenId, conversation } = chosen
  const { channel, upstreamModel } = option
  const use = health.begin(channel, key, upstreamModel)
  const begunTick = tick()
  let isOpen = true
  /** It has told how it went. */
  let isTold = false
  if (pool !== undefined) load.began(pool, channel.id)

  /** Clients that give up tell, too, that an answer takes longer than it did. */
  function noteAbandoned(): void {
    const waitedMs = tick() - begunTick
    const usualMs = load.firstByte(channel.id, series)?.meanMs ?? 0
    if (waitedMs > Math.max(usualMs, patienceMs)) load.sample(channel.id, series, waitedMs)
  }

  function tell(name: FailureName, retryAfterMs?: number): void {
    isTold = true
    const { cools } = failureClasses[name]
    health.failed(use, { name, cools, ...(retryAfterMs !== undefined && { retryAfterMs }) })
  }

  return {
    option,
    key,
    isTrial: use.isTrial,
    succeeded(firstByteMs) {
      isTold = true
      if (firstByteMs === undefined) return
      health.succeeded(use)
      load.sample(channel.id, series, firstByteMs)
      if (conversation) bindings.bind(tokenId, conversation.key, channel.id, key)
    },
    failed({ name, retryAfterMs }) {
      tell(name, retryAfterMs)
      if (slowFailures.includes(name)) load.sample(channel.id, series, tick() - begunTick)
    },
    broke({ name, retryAfterMs }) {
      tell(name, retryAfterMs)
      if (conversation) bindings.unbind(tokenId, conversation.key, channel.id)
    },
    ended(usedLlmTokens) {
      if (!isOpen) return
      isOpen = false
      if (!isTold) noteAbandoned()
      if (pool !== undefined) load.ended(pool, channel.id)
      health.ended(use)
      if (usedLlmTokens !== undefined) permit.used(usedLlmTokens)
      permit.release()
    },
  }
}
