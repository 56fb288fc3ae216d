import type { Clock } from '../../lib/clock.ts'
import type { Option } from '../admit/options.ts'
import { type Failure, type FailureName, failureClasses } from '../failures/failures.ts'
import type { Permit } from '../limits/limiter.ts'
import type { Bindings } from './bindings.ts'
import type { Conversation } from './conversation.ts'
import type { Health, Use } from './health.ts'
import type { Load } from './load.ts'

/** A channel's key to use, and the outcome to report. */
export type Choice = Pick<TakenChoice, keyof TakenChoice>

export interface ChoiceParts {
  readonly health: Health
  readonly load: Load
  readonly bindings: Bindings
  readonly tick: Clock
}

interface Chosen {
  readonly option: Option
  readonly key: string
  readonly series: string
  readonly pool: string | undefined
  readonly permit: Permit
  readonly tokenId: number
  readonly conversation: Conversation | undefined
}

const slowFailures: readonly FailureName[] = ['timeout_connect', 'timeout_first_byte']

/** A client that gives up sooner says nothing about the channel. */
const patienceMs = 5_000

/** Holds a permit of the channel until the choice ends. */
export class TakenChoice {
  readonly option: Option
  readonly key: string
  readonly #parts: ChoiceParts
  readonly #chosen: Chosen
  readonly #use: Use
  readonly #begunTick: number
  #isOpen = true
  #isReported = false

  constructor(parts: ChoiceParts, chosen: Chosen) {
    const { option, key, pool } = chosen
    this.option = option
    this.key = key
    this.#parts = parts
    this.#chosen = chosen
    this.#use = parts.health.begin(option.channel, key, option.upstreamModel)
    this.#begunTick = parts.tick()
    if (pool !== undefined) parts.load.began(pool, option.channel.id)
  }

  get isTrial(): boolean {
    return this.#use.isTrial
  }

  /** The outcome says nothing about the channel: it was the client's own fault. */
  withoutVerdict(): void {
    this.#isReported = true
  }

  /** The first bytes are good: ends a cooldown. */
  succeeded(firstByteMs: number): void {
    this.#isReported = true
    const { health, load, bindings } = this.#parts
    const { series, conversation, tokenId } = this.#chosen
    const { id } = this.option.channel
    health.succeeded(this.#use)
    load.sample(id, series, firstByteMs)
    if (conversation) bindings.bind(tokenId, conversation.key, id, this.key)
  }

  failed({ name, retryAfterMs }: Failure): void {
    this.#report(name, retryAfterMs)
    if (!slowFailures.includes(name)) return
    const { load, tick } = this.#parts
    load.sample(this.option.channel.id, this.#chosen.series, tick() - this.#begunTick)
  }

  /** An answer that goes to the client has failed or broken off. */
  broke({ name, retryAfterMs }: Pick<Failure, 'name' | 'retryAfterMs'>): void {
    this.#report(name, retryAfterMs)
    const { conversation, tokenId } = this.#chosen
    if (!conversation) return
    this.#parts.bindings.unbind(tokenId, conversation.key, this.option.channel.id)
  }

  /** Releases the permit, with the LLM tokens used. Idempotent. */
  ended(usedLlmTokens?: number): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    if (!this.#isReported) this.#noteAbandoned()
    const { load, health } = this.#parts
    const { pool, permit } = this.#chosen
    if (pool !== undefined) load.ended(pool, this.option.channel.id)
    health.ended(this.#use)
    if (usedLlmTokens !== undefined) permit.used(usedLlmTokens)
    permit.release()
  }

  #report(name: FailureName, retryAfterMs?: number): void {
    this.#isReported = true
    const { cools } = failureClasses[name]
    this.#parts.health.failed(this.#use, { name, cools, retryAfterMs })
  }

  /** A client that gives up is a sample of a slow first byte, too. */
  #noteAbandoned(): void {
    const { load, tick } = this.#parts
    const { id } = this.option.channel
    const { series } = this.#chosen
    const waitedMs = tick() - this.#begunTick
    const usualMs = load.firstByte(id, series)?.meanMs ?? 0
    if (waitedMs > Math.max(usualMs, patienceMs)) load.sample(id, series, waitedMs)
  }
}
