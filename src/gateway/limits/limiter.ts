import { type Clock, type Repeat, repeatByTimer } from '../../lib/clock.ts'
import { createLimitQueues, type LimitWaiter, type Wait } from './limit-queues.ts'
import { freePermit, type LocalPermit, type Permit } from './permit.ts'
import { expire, type Passing, passingOf } from './sliding-window.ts'
import {
  createTallies,
  isFree,
  longestOf,
  type Refused,
  type Subject,
  type Tally,
} from './tally.ts'

export type { Permit } from './permit.ts'
export type { Refused, Subject } from './tally.ts'

export interface Limiter {
  /**
   * Enters all or none, at once or after waiting up to `waitMs`; subjects in one order of kinds.
   * Throws the `GatewayError` of the longest limit, or the signal's reason.
   */
  acquire(subjects: readonly Subject[], llmTokens: number, wait: Wait): Permit | Promise<Permit>
  /** Without waiting in line; a promise where all nodes share the counters. */
  tryAcquire(subject: Subject, llmTokens: number): Permit | Refused | Promise<Permit | Refused>
  peek(subject: Subject, llmTokens: number): Refused | undefined
  stop(): void
}

interface LocalLimiter extends Limiter {
  acquire(
    subjects: readonly Subject[],
    llmTokens: number,
    wait: Wait,
  ): LocalPermit | Promise<LocalPermit>
  tryAcquire(subject: Subject, llmTokens: number): LocalPermit | Refused
  /** Counts a request that the shared counters admitted, whether or not there is room. */
  count(subjects: readonly Subject[], llmTokens: number): LocalPermit
  rejectAll(reason: unknown): void
  passing(): Iterable<{ readonly subject: Subject; readonly passing: readonly Passing[] }>
}

export function createLimiter(tick: Clock, repeat: Repeat = repeatByTimer): LocalLimiter {
  const tallies = createTallies<LimitWaiter>(tick, repeat)
  const queues = createLimitQueues(tick, repeat)

  function refusedBy(tally: Tally<LimitWaiter>, llmTokens: number): Refused | undefined {
    const now = tick()
    return isFree(tally, llmTokens, now) ? undefined : longestOf([tally], llmTokens, now)
  }

  return {
    acquire(subjects, llmTokens, wait) {
      let counted: Tally<LimitWaiter>[] | undefined
      for (const subject of subjects) {
        const tally = tallies.of(subject)
        if (tally === undefined) continue
        counted ??= []
        counted.push(tally)
      }
      if (counted === undefined) return freePermit
      const now = tick()
      for (const tally of counted) {
        if (!isFree(tally, llmTokens, now)) return queues.wait(counted, llmTokens, wait)
      }
      return queues.permit(counted, llmTokens, now)
    },
    tryAcquire(subject, llmTokens) {
      const tally = tallies.of(subject)
      if (tally === undefined) return freePermit
      return refusedBy(tally, llmTokens) ?? queues.permit([tally], llmTokens, tick())
    },
    peek(subject, llmTokens) {
      const tally = tallies.of(subject)
      return tally && refusedBy(tally, llmTokens)
    },
    count(subjects, llmTokens) {
      const counted: Tally<LimitWaiter>[] = []
      for (const subject of subjects) {
        const tally = tallies.of(subject)
        if (tally) counted.push(tally)
      }
      return queues.permit(counted, llmTokens, tick())
    },
    rejectAll: queues.rejectAll,
    *passing() {
      const now = tick()
      for (const { subject, window } of tallies.all()) {
        expire(window, now)
        yield { subject, passing: passingOf(window) }
      }
    },
    stop() {
      queues.stop()
      tallies.stop()
    },
  }
}
