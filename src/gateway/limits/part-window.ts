import { fits, windowMs } from './sliding-window.ts'

/** A window is counted in parts of so many milliseconds, as on a server that nodes share. */
export const partMs = 100

interface Part {
  requests: number
  llmTokens: number
}

/** When what is lent out is back, which is all that lacks. */
const lentMs = 100

const nothing: Readonly<Part> = { requests: 0, llmTokens: 0 }

/** Requests and LLM tokens of the last minute, in parts that can be changed until they have passed. */
export class PartWindow {
  requests = 0
  llmTokens = 0
  readonly #parts = new Map<number, Part>()
  #oldest = Number.POSITIVE_INFINITY
  #newest = Number.NEGATIVE_INFINITY

  isEmpty(): boolean {
    return this.#parts.size === 0
  }

  /** Drops what no longer counts at `now`, in milliseconds. */
  expire(now: number): void {
    const passed = lastPassed(now)
    for (; this.#oldest <= passed && this.#parts.size > 0; this.#oldest++) {
      const part = this.#parts.get(this.#oldest)
      if (part === undefined) continue
      this.requests -= part.requests
      this.llmTokens -= part.llmTokens
      this.#parts.delete(this.#oldest)
    }
    if (this.#parts.size > 0) return
    this.#oldest = Number.POSITIVE_INFINITY
    this.#newest = Number.NEGATIVE_INFINITY
  }

  /** Changes a part, to 0 at least; one that has passed stays as it is. After `expire`. */
  change(part: number, requests: number, llmTokens: number, now: number): void {
    if (part <= lastPassed(now)) return
    // One that is to come was numbered by a clock that was set back: it would stay too long.
    const at = Math.min(part, Math.floor(now / partMs))
    const had = this.#parts.get(at) ?? nothing
    const more = Math.max(requests, -had.requests)
    const moreTokens = Math.max(llmTokens, -had.llmTokens)
    if (more === 0 && moreTokens === 0) return
    this.requests += more
    this.llmTokens += moreTokens
    this.#parts.set(at, { requests: had.requests + more, llmTokens: had.llmTokens + moreTokens })
    this.#oldest = Math.min(this.#oldest, at)
    this.#newest = Math.max(this.#newest, at)
  }

  /** Milliseconds until an amount fits. */
  roomIn(what: keyof Part, amount: number, limit: number, now: number): number {
    let used = this[what]
    if (fits(used, amount, limit)) return lentMs
    for (let at = this.#oldest; at <= this.#newest; at++) {
      used -= this.#parts.get(at)?.[what] ?? 0
      if (fits(used, amount, limit)) return Math.max(1, at * partMs + windowMs - now)
    }
    return windowMs
  }
}

const lastPassed = (now: number) => Math.floor((now - windowMs) / partMs)
