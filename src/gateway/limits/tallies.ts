import type { Clock, Repeat } from '../../lib/clock.ts'
import { createTally, isIdle, type Queued, type Subject, type Tally } from './tally.ts'

/** The tallies of all subjects that have a limit, while there is something to remember of them. */
export interface Tallies<Waiter extends Queued> {
  /** Undefined for a subject without limits. */
  of(subject: Subject): Tally<Waiter> | undefined
  size(): number
  all(): Iterable<Tally<Waiter>>
  stop(): void
}

/** Idle ones are forgotten in rounds of half a minute, a part of them at a time. */
const sweepMs = 250
const partsOfRound = 120

export function createTallies<Waiter extends Queued>(tick: Clock, repeat: Repeat): Tallies<Waiter> {
  const tallies = new Map<number, Tally<Waiter>>()
  let rest = tallies.values()
  let partSize = 0
  let stopSweeping: (() => void) | undefined
  let isStopped = false

  function pause(): void {
    stopSweeping?.()
    stopSweeping = undefined
  }

  function sweep(): void {
    const now = tick()
    partSize = Math.max(partSize, Math.ceil(tallies.size / partsOfRound))
    for (let left = partSize; left > 0; left--) {
      const { done, value } = rest.next()
      if (done) {
        rest = tallies.values()
        partSize = 0
        break
      }
      if (isIdle(value, now)) tallies.delete(value.key)
    }
    if (tallies.size === 0) pause()
  }

  return {
    of(subject) {
      const key = subject.id * kinds.length + kinds.indexOf(subject.kind)
      const known = tallies.get(key)
      if (known !== undefined) known.subject = subject
      // Whoever waits is let in when limits are taken away.
      if (isUnlimited(subject))
        return known !== undefined && known.queue.size > 0 ? known : undefined
      if (known !== undefined) return known
      const tally = createTally<Waiter>(key, subject)
      tallies.set(key, tally)
      if (!isStopped) stopSweeping ??= repeat(sweep, sweepMs)
      return tally
    },
    size: () => tallies.size,
    all: () => tallies.values(),
    stop() {
      isStopped = true
      pause()
    },
  }
}

const kinds = ['token', 'account', 'group', 'channel'] satisfies Subject['kind'][]

/** Nothing is counted of it. */
export const isUnlimited = ({ limits: { rpm, tpm, concurrency } }: Subject) =>
  rpm === null && tpm === null && concurrency === null
