import type { Clock } from '../../lib/clock.ts'
import { GatewayError } from '../errors.ts'
import { count, type Entry, graceMs, takeBack } from './sliding-window.ts'
import type { Queued, Refused, Subject, Tally } from './tally.ts'

export interface Permit {
  /** The actual token count replaces the estimate. Only the first call counts. */
  used(llmTokens: number): void
  release(): void
  /** The request was not made: releases the permit and uncounts it. Idempotent. */
  undo(): void
}

/** Reports the changes of a permit to counters that all nodes share. */
export interface PermitReporter {
  used(moreLlmTokens: number): void
  released(): void
  undone(): void
}

/** A permit of this process, which may also count in shared counters. */
export interface LocalPermit extends Permit {
  reportTo(reporter: PermitReporter): void
}

export const freePermit: LocalPermit = { used() {}, release() {}, undo() {}, reportTo() {} }

/** Counts a request in all tallies, from `now` on. */
export class CountedPermit<Waiter extends Queued> implements LocalPermit {
  readonly #tick: Clock
  readonly #admit: (tally: Tally<Waiter>) => void
  readonly #tallies: readonly Tally<Waiter>[]
  readonly #entries: Entry[] = []
  readonly #llmTokens: number
  #reporter: PermitReporter | undefined
  #isOpen = true
  #isUndone = false
  #isKnown = false

  /** `admit`: admits the waiters of a tally after a release. */
  constructor(
    tick: Clock,
    admit: (tally: Tally<Waiter>) => void,
    tallies: readonly Tally<Waiter>[],
    llmTokens: number,
    now: number,
  ) {
    this.#tick = tick
    this.#admit = admit
    this.#tallies = tallies
    this.#llmTokens = llmTokens
    for (const tally of tallies) {
      tally.open++
      this.#entries.push(count(tally.window, 1, llmTokens, now))
    }
  }

  reportTo(reporter: PermitReporter): void {
    this.#reporter = reporter
  }

  used(trueCount: number): void {
    if (this.#isKnown || this.#isUndone) return
    this.#isKnown = true
    const more = trueCount - this.#llmTokens
    if (more > 0) {
      const now = this.#tick()
      for (const tally of this.#tallies) count(tally.window, 0, more, now)
    }
    if (more < 0) {
      this.#takeBack(0, -more)
      this.#admitWaiters()
    }
    if (more !== 0) this.#reporter?.used(more)
  }

  release(): void {
    if (!this.#isOpen) return
    this.#close()
    this.#admitWaiters()
  }

  undo(): void {
    if (this.#isUndone) return
    this.#isUndone = true
    this.#close()
    this.#takeBack(1, this.#llmTokens)
    this.#admitWaiters()
    this.#reporter?.undone()
  }

  #takeBack(requests: number, fewerLlmTokens: number): void {
    let at = 0
    for (const tally of this.#tallies) {
      const entry = this.#entries[at++]
      if (entry) takeBack(tally.window, entry, requests, fewerLlmTokens)
    }
  }

  #close(): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    for (const tally of this.#tallies) tally.open--
    this.#reporter?.released()
  }

  #admitWaiters(): void {
    for (const tally of this.#tallies) if (tally.queue.size > 0) this.#admit(tally)
  }
}

/** The 429 of a limit, without the grace, for which a retry may wait. */
export function limitError({ subject, limit, retryAfterMs }: Refused): GatewayError {
  const retryAfter = Math.max(1, Math.ceil((retryAfterMs - graceMs) / 1000))
  const message = `${whose(subject)} ${allowance[limit]((subject.stated ?? subject.limits)[limit] ?? 0)}.`
  const kind = limit === 'concurrency' ? 'concurrency_limited' : 'rate_limited'
  return new GatewayError(kind, `${message} Try again in ${retryAfter} s.`, {
    retryAfter,
    limited: subject.kind,
  })
}

function whose({ kind, name }: Subject): string {
  if (kind === 'token') return 'This key'
  if (kind === 'account') return 'This account'
  return kind === 'group' ? `The group "${name}"` : 'A channel'
}

const allowance = {
  rpm: (count: number) => `may make ${counted(count, 'request')} a minute`,
  tpm: (count: number) => `may use ${counted(count, 'LLM token')} a minute`,
  concurrency: (count: number) => `may make ${counted(count, 'request')} at once`,
}

const counted = (count: number, what: string) => `${count} ${what}${count === 1 ? '' : 's'}`
