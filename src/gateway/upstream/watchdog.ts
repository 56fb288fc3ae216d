import type { Clock } from '../../lib/clock.ts'
import { type Listed, Roster } from '../../lib/roster.ts'

export type Expiry = 'first_byte' | 'idle' | 'total'

interface Limits {
  readonly firstByteMs: number
  readonly idleMs: number
  readonly totalMs: number
}

export type Watch = Pick<WatchedCall, 'touched' | 'paused' | 'passedOn' | 'heldUpMs' | 'stop'>

export type Watchdog = ReturnType<typeof createWatchdog>

const tickMs = 100

/** A shorter wait for the client holds no upstream up: the system's buffers take what it sends meanwhile. */
const leastWaitMs = 1_000

/** Watches all upstream calls with one timer. `clock` runs while the process does. */
export function createWatchdog(clock: Clock) {
  const calls = new Roster<WatchedCall>()

  const timer = setInterval(() => {
    const now = clock()
    for (const call of calls.all()) {
      const expiry = call.expiredAt(now)
      if (expiry !== undefined && calls.delete(call)) call.onExpiry(expiry)
    }
  }, tickMs)
  timer.unref()

  return {
    watch: (limits: Limits, onExpiry: (expiry: Expiry) => void): Watch =>
      new WatchedCall(calls, limits, onExpiry, clock),
    stop: (): void => clearInterval(timer),
  }
}

class WatchedCall implements Listed {
  place = -1
  readonly onExpiry: (expiry: Expiry) => void
  readonly #calls: Roster<WatchedCall>
  readonly #limits: Limits
  readonly #clock: Clock
  readonly #startedAt: number
  #lastAt: number
  #phase: 'head' | 'body' | 'paused' | 'client' = 'head'
  #heldUpMs = 0

  constructor(
    calls: Roster<WatchedCall>,
    limits: Limits,
    onExpiry: (expiry: Expiry) => void,
    clock: Clock,
  ) {
    this.onExpiry = onExpiry
    this.#calls = calls
    this.#limits = limits
    this.#clock = clock
    this.#startedAt = clock()
    this.#lastAt = this.#startedAt
    calls.add(this)
  }

  /** A chunk came, or is waited for from now on: the silence limit applies. */
  touched(): void {
    this.#enter('body')
  }

  /** The gateway works on what came, or waits for memory: no silence of the upstream. */
  paused(): void {
    this.#enter('paused')
  }

  /** Waits for the client to read: its slowness is not the upstream's silence. */
  passedOn(): void {
    if (this.#phase !== 'client') this.#enter('client')
  }

  /** How long the client has held the upstream up: the sum of its waits of a second or more. */
  heldUpMs(): number {
    return this.#heldUpMs + this.#clientWaitMs(this.#clock())
  }

  stop(): void {
    this.#calls.delete(this)
  }

  expiredAt(now: number): Expiry | undefined {
    const { firstByteMs, idleMs, totalMs } = this.#limits
    if (now - this.#startedAt >= totalMs) return 'total'
    const silentMs = now - this.#lastAt
    if (this.#phase === 'head' && silentMs >= firstByteMs) return 'first_byte'
    if (this.#phase === 'body' && silentMs >= idleMs) return 'idle'
    return undefined
  }

  #enter(phase: 'body' | 'paused' | 'client'): void {
    const now = this.#clock()
    this.#heldUpMs += this.#clientWaitMs(now)
    this.#phase = phase
    this.#lastAt = now
  }

  #clientWaitMs(now: number): number {
    const waitMs = this.#phase === 'client' ? now - this.#lastAt : 0
    return waitMs < leastWaitMs ? 0 : waitMs
  }
}
