import type { Channel } from '../../catalog/catalog.ts'
import { canExpress, type Option } from '../admit/options.ts'
import { GatewayError } from '../errors.ts'
import type { Wait } from '../limits/limit-queues.ts'
import type { Limiter, Permit, Refused, Subject } from '../limits/limiter.ts'
import type { Binding } from './bindings.ts'
import { type Choice, type ChoiceParts, TakenChoice } from './choice.ts'
import type { Conversation } from './conversation.ts'
import type { Health } from './health.ts'
import { seriesOf } from './load.ts'
import { chooseRanked, isSlowAmong, levels, type Ranked } from './ranking.ts'

export type { Choice } from './choice.ts'

interface ChooserParts extends ChoiceParts {
  readonly limiter: Limiter
  readonly random: () => number
}

export interface ChannelRequest {
  readonly options: readonly Option[]
  readonly tokenId: number
  readonly conversation: Conversation | undefined
  readonly isStreamed?: boolean
  /** The pool whose load is balanced by weight: one group's requests for one model. */
  readonly pool?: string | undefined
  readonly llmTokens: number
  readonly maxAttempts: number
  /** No attempt begins later than this after the first. */
  readonly retryMs: number
}

interface Tried {
  readonly channelId: number
  readonly key: string
}

interface KeyedOption {
  readonly option: Option
  readonly key: string
  readonly isLastResort?: boolean
}

/** Chooses the next channel and key for one request. */
export type Chooser = Pick<Search, keyof Search>

/** One per process: it keeps the turns of each channel's keys. */
export function createChooser(parts: ChooserParts): (asked: ChannelRequest) => Chooser {
  const turns = createKeyTurns(parts.health)
  return (asked) => new Search(parts, turns, asked)
}

class Search {
  readonly #parts: ChooserParts
  readonly #turns: KeyTurns
  readonly #asked: ChannelRequest
  readonly #isChoice: boolean
  readonly #binding: Binding | undefined
  readonly #tried: Tried[] = []
  #firstTick = 0
  #hadLastResort = false
  #unfit: Set<Option> | undefined
  #full: Set<number> | undefined
  #busyMs: number | undefined
  /** A channel at its limits would come first: no draining channel is chosen instead. */
  #isBusy = false

  constructor(parts: ChooserParts, turns: KeyTurns, asked: ChannelRequest) {
    const { options, conversation, tokenId } = asked
    this.#parts = parts
    this.#turns = turns
    this.#asked = asked
    this.#isChoice = options.length > 1 || (options[0]?.channel.keys.length ?? 0) > 1
    const isBound = this.#isChoice && conversation?.isBegun
    this.#binding = isBound ? parts.bindings.find(tokenId, conversation.key) : undefined
  }

  /** Undefined: none is left. A promise where all nodes share the counters. */
  next(): Choice | undefined | Promise<Choice | undefined> {
    for (let candidate = this.#beginRound(); candidate; candidate = this.#findFit()) {
      const entered = this.#enter(candidate)
      if (entered instanceof Promise) return this.#nextLater(candidate, entered)
      if (!('retryAfterMs' in entered)) return this.#take(candidate, entered)
      this.#noteFull(candidate, entered)
    }
    return undefined
  }

  /** Whether `next` would return one; translates for the others if it must. */
  hasNext(): boolean {
    const { limiter } = this.#parts
    for (let candidate = this.#beginRound(); candidate; candidate = this.#findFit()) {
      const refused = limiter.peek(subjectOf(candidate), this.#asked.llmTokens)
      if (refused === undefined) return true
      this.#noteFull(candidate, refused)
    }
    return false
  }

  /** Whether any option is left, fit or not; synchronous. */
  hasOthers(): boolean {
    if (this.#isOver()) return false
    for (const { channel } of this.#asked.options) {
      for (const key of channel.keys) if (!isTried(this.#tried, channel.id, key)) return true
    }
    return false
  }

  /** After a choice that found channels at their limits: milliseconds until one may be free. */
  busyForMs(): number | undefined {
    return this.#busyMs
  }

  /** Waits for a permit; undefined: none in time. Rejects with the signal's reason. */
  async nextInLine(wait: Wait): Promise<Choice | undefined> {
    this.#full = undefined
    const candidate = this.#findRanked()
    if (candidate === undefined) return undefined
    try {
      const { limiter } = this.#parts
      const permit = await limiter.acquire([subjectOf(candidate)], this.#asked.llmTokens, wait)
      return this.#take(candidate, permit)
    } catch (error) {
      if (error instanceof GatewayError && error.status === 429) return undefined
      throw error
    }
  }

  /** `next`, continued from limits that nodes share. */
  async #nextLater(
    first: KeyedOption,
    asked: Promise<Permit | Refused>,
  ): Promise<Choice | undefined> {
    let entering: Permit | Refused | Promise<Permit | Refused> = asked
    for (let candidate: KeyedOption | undefined = first; candidate; ) {
      const entered: Permit | Refused = await entering
      if (!('retryAfterMs' in entered)) return this.#take(candidate, entered)
      this.#noteFull(candidate, entered)
      candidate = this.#findFit()
      if (candidate) entering = this.#enter(candidate)
    }
    return undefined
  }

  #enter(candidate: KeyedOption): Permit | Refused | Promise<Permit | Refused> {
    return this.#parts.limiter.tryAcquire(subjectOf(candidate), this.#asked.llmTokens)
  }

  #noteFull({ option: { channel } }: KeyedOption, { retryAfterMs }: Refused): void {
    this.#full ??= new Set()
    this.#full.add(channel.id)
    this.#isBusy ||= !channel.isDraining
    this.#busyMs = Math.min(this.#busyMs ?? Number.POSITIVE_INFINITY, retryAfterMs)
  }

  #take({ option, key, isLastResort = false }: KeyedOption, permit: Permit): Choice {
    const { tokenId, conversation, pool = '' } = this.#asked
    if (this.#tried.length === 0) this.#firstTick = this.#parts.tick()
    this.#tried.push({ channelId: option.channel.id, key })
    this.#hadLastResort ||= isLastResort
    this.#turns.took(option.channel, key)
    return new TakenChoice(this.#parts, {
      option,
      key,
      permit,
      tokenId,
      series: this.#seriesFor(option),
      pool: this.#isChoice ? pool : undefined,
      conversation: this.#isChoice ? conversation : undefined,
    })
  }

  #isOver(): boolean {
    const { length } = this.#tried
    if (length >= this.#asked.maxAttempts) return true
    return length > 0 && this.#parts.tick() - this.#firstTick > this.#asked.retryMs
  }

  /** The best of what is left, after clearing what is known to be full. */
  #beginRound(): KeyedOption | undefined {
    this.#full = undefined
    this.#busyMs = undefined
    this.#isBusy = false
    return this.#isOver() ? undefined : this.#findFit()
  }

  #findFit(): KeyedOption | undefined {
    for (;;) {
      const candidate = this.#findRanked() ?? this.#findLastResort()
      if (candidate === undefined || canExpress(candidate.option)) return candidate
      this.#unfit ??= new Set()
      this.#unfit.add(candidate.option)
    }
  }

  /** Of healthy options: the sticky binding, else the best by rank. */
  #findRanked(): KeyedOption | undefined {
    const { health, load, random } = this.#parts
    const binding = this.#binding
    const parts = { load, random, pool: this.#asked.pool ?? '' }
    const ranked = this.#rank()
    const isFirst = this.#tried.length === 0
    const bound = isFirst && ranked.find(({ option }) => option.channel.id === binding?.channelId)
    if (!bound || binding === undefined) return chooseRanked(parts, ranked)
    if (!isSlowAmong(load, bound, ranked)) {
      const { option } = bound
      const { channel, upstreamModel } = option
      // Another key of the same channel may share its cache.
      const isFit =
        channel.keys.includes(binding.key) &&
        health.standing(channel, binding.key, upstreamModel) !== 'cooling'
      return isFit ? { option, key: binding.key } : bound
    }
    const moved = ranked.map((one) => (one === bound ? { ...one, hasMovedAway: true } : one))
    return chooseRanked(parts, moved)
  }

  #rank(): Ranked[] {
    const ranked: Ranked[] = []
    for (const option of this.#asked.options) {
      const { channel } = option
      if (this.#isOut(option)) continue
      // A channel at its limits is free again soon: nothing new goes to a draining one meanwhile.
      if (channel.isDraining && this.#isBusy && channel.id !== this.#binding?.channelId) continue
      const key = this.#turns.next(option, this.#tried)
      if (key === undefined) continue
      const asked = this.#wasAsked(channel.id) ? levels.asked : levels.fresh
      const level = channel.isDraining ? levels.draining : asked
      ranked.push({ option, key, series: this.#seriesFor(option), level, hasMovedAway: false })
    }
    return ranked
  }

  #seriesFor({ upstreamModel }: Option): string {
    return seriesOf(upstreamModel, this.#asked.isStreamed ?? true)
  }

  #isOut(option: Option): boolean {
    return this.#unfit?.has(option) === true || this.#full?.has(option.channel.id) === true
  }

  #wasAsked(channelId: number): boolean {
    for (const one of this.#tried) if (one.channelId === channelId) return true
    return false
  }

  /** When nothing is healthy: of untried channels, the key that cools down first. */
  #findLastResort(): KeyedOption | undefined {
    if (this.#isBusy || this.#hadLastResort) return undefined
    let best: KeyedOption | undefined
    let bestMs = Number.POSITIVE_INFINITY
    for (const option of this.#asked.options) {
      const { channel, upstreamModel } = option
      if (this.#isOut(option) || this.#wasAsked(channel.id)) continue
      for (const key of channel.keys) {
        const ms = this.#parts.health.coolingMs(channel, key, upstreamModel)
        if (ms >= bestMs) continue
        best = { option, key, isLastResort: true }
        bestMs = ms
      }
    }
    return best
  }
}

const subjectOf = ({ option: { channel } }: KeyedOption): Subject => {
  const { id, name, limits } = channel
  return { kind: 'channel', id, name, limits }
}

function isTried(tried: readonly Tried[], channelId: number, key: string): boolean {
  for (const one of tried) if (one.channelId === channelId && one.key === key) return true
  return false
}

type KeyTurns = ReturnType<typeof createKeyTurns>

function createKeyTurns(health: Health) {
  const turns = new WeakMap<Channel, number>()
  return {
    /** The next healthy, untried key; undefined when there is none. */
    next({ channel, upstreamModel }: Option, tried: readonly Tried[]): string | undefined {
      const { keys } = channel
      const turn = keys.length > 1 ? (turns.get(channel) ?? 0) : 0
      for (let step = 0; step < keys.length; step++) {
        const key = keys[(turn + step) % keys.length]
        if (key === undefined || isTried(tried, channel.id, key)) continue
        if (health.standing(channel, key, upstreamModel) !== 'cooling') return key
      }
      return undefined
    },
    took(channel: Channel, key: string): void {
      if (channel.keys.length > 1) turns.set(channel, channel.keys.indexOf(key) + 1)
    },
  }
}
