import type { Clock } from '../../lib/clock.ts'
import type { Option } from '../admit/options.ts'
import { type Failure, type FailureName, failureClasses } from '../failures/failures.ts'
import type { Permit } from '../limits/limiter.ts'
import type { Bindings } from './bindings.ts'
import type { Conversation } from './conversation.ts'
import type { Health, Use } from './health.ts'
import type { Load } from './load.ts'

/** A channel's key that is to be asked, and whom to tell how that went. */
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
export class TakenChoice {
  readonly option: Option
  readonly key: string
  readonly #parts: ChoiceParts
  readonly #chosen: Chosen
  readonly #use: Use
  readonly #begunTick: number
  #isOpen = true
  #isTold = false

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

  /** It is the half-open probe of what has cooled. */
  get isTrial(): boolean {
    return this.#use.isTrial
  }

  /** The first bytes came well: ends a cooldown. Without a time: the client's own fault was told. */
  succeeded(firstByteMs?: number): void {
    this.#isTold = true
    if (firstByteMs === undefined) return
    const { health, load, bindings } = this.#parts
    const { series, conversation, tokenId } = this.#chosen
    const { id } = this.option.channel
    health.succeeded(this.#use)
    load.sample(id, series, firstByteMs)
    if (conversation) bindings.bind(tokenId, conversation.key, id, this.key)
  }

  failed({ name, retryAfterMs }: Failure): void {
    this.#tell(name, retryAfterMs)
    if (!slowFailures.includes(name)) return
    const { load, tick } = this.#parts
    load.sample(this.option.channel.id, this.#chosen.series, tick() - this.#begunTick)
  }

  /** An answer that goes to the client all the same has failed or broken off. */
  broke({ name, retryAfterMs }: Pick<Failure, 'name' | 'retryAfterMs'>): void {
    this.#tell(name, retryAfterMs)
    const { conversation, tokenId } = this.#chosen
    if (!conversation) return
    this.#parts.bindings.unbind(tokenId, conversation.key, this.option.channel.id)
  }

  /** Frees the place on the channel, with the LLM tokens that were used. Idempotent. */
  ended(usedLlmTokens?: number): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    if (!this.#isTold) this.#noteAbandoned()
    const { load, health } = this.#parts
    const { pool, permit } = this.#chosen
    if (pool !== undefined) load.ended(pool, this.option.channel.id)
    health.ended(this.#use)
    if (usedLlmTokens !== undefined) permit.used(usedLlmTokens)
    permit.release()
  }

  #tell(name: FailureName, retryAfterMs?: number): void {
    this.#isTold = true
    const { cools } = failureClasses[name]
    const late = retryAfterMs !== undefined && { retryAfterMs }
    this.#parts.health.failed(this.#use, { name, cools, ...late })
  }

  /** Clients that give up tell, too, that an answer takes longer than it did. */
  #noteAbandoned(): void {
    const { load, tick } = this.#parts
    const { id } = this.option.channel
    const { series } = this.#chosen
    const waitedMs = tick() - this.#begunTick
    const usualMs = load.firstByte(id, series)?.meanMs ?? 0
    if (waitedMs > Math.max(usualMs, patienceMs)) load.sample(id, series, waitedMs)
  }
}
