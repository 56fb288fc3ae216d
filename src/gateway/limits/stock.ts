import type { Limits } from '../../store/ports/catalog.ts'
import type { Change, HeldStock, Stock } from '../../store/ports/counters.ts'

/** Two requests within this time are use: the first one alone wishes for nothing. */
const useMs = 1_000
/** The first stock, as a multiple of what the request lacked. */
const firstAim = 4
/** A stock that is used up within this time was too small: the next is twice as large. */
const refillMs = 1_000
/** After so long without a request all of it is returned. Not less than `useMs`: it would come and go. */
const idleMs = 1_000
/** After a wish for which nothing was lent. */
const pauseMs = 1_000
/** While a name is short, its stock only shrinks. The lender says it again sooner. */
const shortMs = 2_000
/** Below it a share for one of two processes is too small to be lent. */
const leastLimit = 64

/** One kind of what is limited. */
interface Level {
  rest: number
  /** How much is aimed at. */
  aim: number
  /** The least that is worth while. */
  least: number
  /** The least that was left since the last look. */
  low: number
  filledAt: number
}

const long = Number.NEGATIVE_INFINITY

const noLevel = (): Level => ({ rest: 0, aim: 0, least: 0, low: 0, filledAt: long })

/** What this process holds of one name. Times are milliseconds of one monotonic clock. */
export class NameStock {
  readonly name: string
  /** Under which it was lent. */
  limits: Limits
  /** Slots that requests hold. */
  open = 0
  /** Something of it is to be reported. */
  isDue = false
  readonly #requests = noLevel()
  readonly #llmTokens = noLevel()
  readonly #slots = noLevel()
  /** Taken, and not reported, by the part of the window. */
  readonly #taken = new Map<number, { requests: number; llmTokens: number }>()
  #askedAt = long
  #missedAt: number
  #lookedAt = long
  #pausedUntil = long
  #shortUntil = long

  constructor(name: string, limits: Limits, now: number) {
    this.name = name
    this.limits = limits
    this.#missedAt = now - useMs
  }

  covers(llmTokens: number): boolean {
    const { rpm, tpm, concurrency } = this.limits
    if (rpm !== null && this.#requests.rest < 1) return false
    if (tpm !== null && this.#llmTokens.rest < llmTokens) return false
    return concurrency === null || this.#slots.rest >= 1
  }

  /** To be called when it covers the request. True: a refill is due. */
  take(llmTokens: number, part: number, now: number): boolean {
    const { rpm, tpm, concurrency } = this.limits
    let isLow = false
    if (rpm !== null) isLow = draw(this.#requests, 1)
    if (tpm !== null) isLow = draw(this.#llmTokens, llmTokens) || isLow
    if (concurrency !== null) {
      isLow = draw(this.#slots, 1) || isLow
      this.open++
    }
    if (isWindowed(this.limits)) this.#count(part, 1, llmTokens)
    this.#askedAt = now
    return isLow && now >= this.#pausedUntil
  }

  /** Whether nothing may be wished for now. */
  isShut(now: number): boolean {
    return now < this.#pausedUntil || now < this.#shortUntil
  }

  isShort(now: number): boolean {
    return now < this.#shortUntil
  }

  /** A request came that it does not cover. True: it is to be filled. */
  miss(llmTokens: number, now: number): boolean {
    const isUse = now - this.#missedAt < useMs
    this.#missedAt = this.#askedAt = now
    if (!isUse) return false
    const { rpm, tpm, concurrency } = this.limits
    if (rpm !== null) raise(this.#requests, 1)
    if (tpm !== null) raise(this.#llmTokens, Math.max(1, llmTokens))
    if (concurrency !== null) raise(this.#slots, 1)
    return true
  }

  /** A slot of it is free again. */
  release(): void {
    this.open--
    this.#slots.rest++
  }

  /** Returns what a request has taken and not used; false: that it was taken is reported. */
  putBack(part: number, requests: number, llmTokens: number): boolean {
    const taken = this.#taken.get(part)
    if (taken === undefined || taken.requests < requests || taken.llmTokens < llmTokens)
      return false
    taken.requests -= requests
    taken.llmTokens -= llmTokens
    if (this.limits.rpm !== null) this.#requests.rest += requests
    if (this.limits.tpm !== null) this.#llmTokens.rest += llmTokens
    return true
  }

  /** Takes what a request uses above its estimate; false: too little is left. */
  takeMore(part: number, llmTokens: number): boolean {
    if (this.limits.tpm === null || this.#llmTokens.rest < llmTokens) return false
    draw(this.#llmTokens, llmTokens)
    this.#count(part, 0, llmTokens)
    return true
  }

  /** Others lack it, or its limits are others now. */
  empty(): void {
    for (const level of this.#levels()) Object.assign(level, { rest: 0, aim: 0, low: 0 })
  }

  recall(now: number): void {
    this.#shortUntil = now + shortMs
    this.empty()
  }

  /** The lender knows nothing of it, or counts all of it. */
  lost(): void {
    this.empty()
    this.#taken.clear()
  }

  /** True: something is to be returned. */
  look(now: number): boolean {
    const isIdle = now - this.#askedAt >= idleMs
    if (isIdle) {
      const hadAny = this.#levels().some(({ rest }) => rest > 0)
      this.empty()
      return hadAny
    }
    if (now - this.#lookedAt < refillMs) return false
    this.#lookedAt = now
    let isTooLarge = false
    for (const level of this.#levels()) {
      if (level.low * 2 > level.aim)
        level.aim = Math.max(Math.floor(level.aim / 2), Math.min(level.aim, level.least))
      if (level.rest > 2 * level.aim) {
        level.rest = level.aim
        isTooLarge = true
      }
      level.low = level.rest
    }
    return isTooLarge
  }

  isForgettable(now: number): boolean {
    return !(this.isDue || this.holdsAny()) && now - this.#missedAt >= useMs && !this.isShort(now)
  }

  holdsAny(): boolean {
    return this.open > 0 || this.#taken.size > 0 || this.#levels().some(({ rest }) => rest > 0)
  }

  /** What it has taken, and what it holds and wishes now. */
  report(now: number, taken: Change[]): HeldStock {
    for (const [part, { requests, llmTokens }] of this.#taken)
      if (requests > 0 || llmTokens > 0) taken.push({ name: this.name, part, requests, llmTokens })
    this.#taken.clear()
    const { name, limits, open } = this
    const rest = this.#amounts(({ rest }) => rest)
    const held = { name, limits, rest, open }
    if (this.isShut(now)) return held
    const wish = this.#amounts((level) => wishOf(level, now))
    return wish.requests + wish.llmTokens + wish.slots > 0 ? { ...held, wish } : held
  }

  /** What was lent after a wish. */
  lent(more: Stock | undefined, now: number): void {
    this.#requests.rest += more?.requests ?? 0
    this.#llmTokens.rest += more?.llmTokens ?? 0
    this.#slots.rest += more?.slots ?? 0
    if (more === undefined) this.#pausedUntil = now + pauseMs
    for (const level of this.#levels()) {
      level.low = level.rest
      if (level.rest * 2 < level.aim) level.aim = level.rest
    }
  }

  #count(part: number, requests: number, llmTokens: number): void {
    const taken = this.#taken.get(part)
    if (taken === undefined) this.#taken.set(part, { requests, llmTokens })
    else {
      taken.requests += requests
      taken.llmTokens += llmTokens
    }
  }

  #amounts(of: (level: Level) => number): Stock {
    return { requests: of(this.#requests), llmTokens: of(this.#llmTokens), slots: of(this.#slots) }
  }

  #levels(): readonly Level[] {
    return [this.#requests, this.#llmTokens, this.#slots]
  }
}

/** True: less than half of what is aimed at is left. */
function draw(level: Level, amount: number): boolean {
  level.rest -= amount
  if (level.rest < level.low) level.low = level.rest
  return level.rest * 2 < level.aim
}

function raise(level: Level, amount: number): void {
  if (level.rest >= amount) return
  level.least = firstAim * amount
  level.aim = Math.max(level.aim, level.least)
}

function wishOf(level: Level, now: number): number {
  if (level.rest * 2 >= level.aim) return 0
  if (now - level.filledAt < refillMs) level.aim *= 2
  level.filledAt = now
  return level.aim - level.rest
}

export const isWindowed = ({ rpm, tpm }: Limits) => rpm !== null || tpm !== null

/** Of such limits nothing is lent: they are counted one by one. */
export const isSmall = ({ rpm, concurrency }: Limits) =>
  (rpm ?? leastLimit) < leastLimit || (concurrency ?? leastLimit) < leastLimit

export const isSame = (one: Limits, other: Limits) =>
  one === other ||
  (one.rpm === other.rpm && one.tpm === other.tpm && one.concurrency === other.concurrency)
