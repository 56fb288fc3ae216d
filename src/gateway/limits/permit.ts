import type { Clock } from '../../lib/clock.ts'
import { GatewayError } from '../errors.ts'
import { count, type Entry, graceMs, takeBack } from './sliding-window.ts'
import type { Queued, Refused, Subject, Tally } from './tally.ts'

/** A request's places within the limits of all that it counts for. */
export interface Permit {
  /** Replaces the estimate by the true count. Only the first call counts. */
  used(llmTokens: number): void
  release(): void
  /** It was not made after all: gives back the request, its LLM tokens and its place. Idempotent. */
  undo(): void
}

export const freePermit: Permit = { used() {}, release() {}, undo() {} }

interface PermitParts<Waiter extends Queued> {
  readonly tick: Clock
  /** Something was given back: whoever waits there may enter. */
  readonly hasRoom: (tally: Tally<Waiter>) => void
}

/** Counts a request in all tallies, from `now` on. */
export class CountedPermit<Waiter extends Queued> implements Permit {
  readonly #parts: PermitParts<Waiter>
  readonly #tallies: readonly Tally<Waiter>[]
  readonly #entries: Entry[] = []
  readonly #llmTokens: number
  #isOpen = true
  #isUndone = false
  #isKnown = false

  constructor(
    parts: PermitParts<Waiter>,
    tallies: readonly Tally<Waiter>[],
    llmTokens: number,
    now: number,
  ) {
    this.#parts = parts
    this.#tallies = tallies
    this.#llmTokens = llmTokens
    for (const tally of tallies) {
      tally.open++
      this.#entries.push(count(tally.window, 1, llmTokens, now))
    }
  }

  used(trueCount: number): void {
    if (this.#isKnown || this.#isUndone) return
    this.#isKnown = true
    const more = trueCount - this.#llmTokens
    if (more > 0) {
      const now = this.#parts.tick()
      for (const tally of this.#tallies) count(tally.window, 0, more, now)
    }
    if (more >= 0) return
    this.#giveBack(0, -more)
    this.#letIn()
  }

  release(): void {
    if (!this.#isOpen) return
    this.#close()
    this.#letIn()
  }

  undo(): void {
    if (this.#isUndone) return
    this.#isUndone = true
    this.#close()
    this.#giveBack(1, this.#llmTokens)
    this.#letIn()
  }

  #giveBack(requests: number, fewerLlmTokens: number): void {
    let at = 0
    for (const tally of this.#tallies) {
      const entry = this.#entries[at++]
      if (entry) takeBack(tally.window, entry, requests, fewerLlmTokens)
    }
  }

  #close(): void {
    if (this.#isOpen) for (const tally of this.#tallies) tally.open--
    this.#isOpen = false
  }

  #letIn(): void {
    for (const tally of this.#tallies) if (tally.queue.size > 0) this.#parts.hasRoom(tally)
  }
}

/** The 429 of a limit. Who comes back after so many seconds may wait for the grace. */
export function limitError({ subject, limit, retryAfterMs }: Refused): GatewayError {
  const retryAfter = Math.max(1, Math.ceil((retryAfterMs - graceMs) / 1000))
  const message = `${whose(subject)} ${allowance[limit]((subject.told ?? subject.limits)[limit] ?? 0)}.`
  const kind = limit === 'concurrency' ? 'concurrency_limited' : 'rate_limited'
  return new GatewayError(kind, `${message} Try again in ${retryAfter} s.`, {
    ...{ retryAfter, limited: subject.kind },
  })
}

function whose({ kind, name }: Subject): string {
  if (kind === 'token') return 'This key'
  if (kind === 'account') return 'This account'
  // A channel's name is not for clients.
  return kind === 'group' ? `The group "${name}"` : 'A channel'
}

const allowance = {
  rpm: (count: number) => `may make ${counted(count, 'request')} a minute`,
  tpm: (count: number) => `may use ${counted(count, 'LLM token')} a minute`,
  concurrency: (count: number) => `may make ${counted(count, 'request')} at once`,
}

const counted = (count: number, what: string) => `${count} ${what}${count === 1 ? '' : 's'}`
