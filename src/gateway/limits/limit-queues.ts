import type { Clock, Repeat } from '../../lib/clock.ts'
import { endedOutside } from '../errors.ts'
import { CountedPermit, type LocalPermit, limitError } from './permit.ts'
import { graceMs } from './sliding-window.ts'
import {
  hold,
  isFree,
  isWithinLimits,
  longestOf,
  type Refused,
  shortagesOf,
  type Tally,
  unhold,
} from './tally.ts'

export interface Wait {
  readonly waitMs: number
  readonly signal: AbortSignal
}

/** A waiting request; all requests take permits in the same order of tallies: no deadlock. */
export interface LimitWaiter {
  readonly tallies: readonly Tally<LimitWaiter>[]
  readonly llmTokens: number
  readonly deadline: number
  /** How many tallies count it already; it waits in the queue of the next one. */
  held: number
  readonly admit: (permit: LocalPermit) => void
  readonly refuse: (reason: unknown) => void
}

export const maxQueued = 10_000

/** How often the queues are checked while requests wait. */
const beatMs = 10

/** Wait queues: one per tally, in order of arrival. */
export function createLimitQueues(tick: Clock, repeat: Repeat) {
  const queued = new Set<Tally<LimitWaiter>>()
  let stopBeat: (() => void) | undefined
  let isStopped = false

  const permit = (
    tallies: readonly Tally<LimitWaiter>[],
    llmTokens: number,
    now: number,
  ): LocalPermit => new CountedPermit(tick, admit, tallies, llmTokens, now)

  function admit(tally: Tally<LimitWaiter>): void {
    if (tally.isAdmitting) return // the loop sees what is released meanwhile
    tally.isAdmitting = true
    const now = tick()
    for (const waiter of tally.queue) {
      if (!isWithinLimits(tally, waiter.llmTokens, now)) break
      leaveQueue(tally, waiter)
      take(tally, waiter)
      advance(waiter, now)
    }
    tally.isAdmitting = false
  }

  function advance(waiter: LimitWaiter, now: number): void {
    const { tallies, llmTokens } = waiter
    let next = tallies[waiter.held]
    while (next !== undefined && isFree(next, llmTokens, now)) {
      take(next, waiter)
      next = tallies[waiter.held]
    }
    if (next !== undefined) {
      joinQueue(next, waiter, now)
      return
    }
    for (const tally of tallies) unhold(tally, llmTokens)
    waiter.admit(permit(tallies, llmTokens, now))
  }

  function joinQueue(tally: Tally<LimitWaiter>, waiter: LimitWaiter, now: number): void {
    const isTooLong = now + knownMs(shortagesOf(tally, waiter.llmTokens, now)) > waiter.deadline
    if (isTooLong || tally.queue.size >= maxQueued) {
      refuse(waiter, now)
      return
    }
    tally.queue.add(waiter)
    tally.queuedLlmTokens += waiter.llmTokens
    queued.add(tally)
    stopBeat ??= repeat(beat, beatMs)
  }

  function leaveQueue(tally: Tally<LimitWaiter>, waiter: LimitWaiter): void {
    if (!tally.queue.delete(waiter)) return
    tally.queuedLlmTokens -= waiter.llmTokens
    if (tally.queue.size === 0) queued.delete(tally)
    if (queued.size > 0) return
    stopBeat?.()
    stopBeat = undefined
  }

  /** Takes the waiter out of its queue and of the tallies that count it. */
  function leave(waiter: LimitWaiter): void {
    const { tallies, held, llmTokens } = waiter
    const touched = tallies.slice(0, held + 1)
    for (const [at, tally] of touched.entries()) {
      if (at < held) unhold(tally, llmTokens)
      else leaveQueue(tally, waiter)
    }
    for (const tally of touched) admit(tally)
  }

  function refuse(waiter: LimitWaiter, now: number): void {
    const { tallies, held, llmTokens } = waiter
    leave(waiter)
    const fromItsQueue = [...tallies.slice(held), ...tallies.slice(0, held)]
    waiter.refuse(limitError(longestOf(fromItsQueue, llmTokens, now)))
  }

  function beat(): void {
    for (const tally of queued) {
      admit(tally)
      const now = tick()
      for (const waiter of tally.queue) if (waiter.deadline <= now) refuse(waiter, now)
    }
  }

  function rejectAll(reason: unknown): void {
    const waiters: LimitWaiter[] = []
    for (const tally of queued) {
      for (const waiter of tally.queue) {
        leaveQueue(tally, waiter)
        waiters.push(waiter)
      }
    }
    for (const waiter of waiters) {
      leave(waiter)
      waiter.refuse(reason)
    }
  }

  return {
    permit,
    /** Rejects all waiters with this reason, and admits none. */
    rejectAll,
    /** Waits for a permit. Fails with a `GatewayError`, or with the signal's reason. */
    wait(
      tallies: readonly Tally<LimitWaiter>[],
      llmTokens: number,
      { waitMs, signal }: Wait,
    ): LocalPermit | Promise<LocalPermit> {
      signal.throwIfAborted()
      for (const tally of tallies) admit(tally) // time has passed, or its limits have changed
      const now = tick()
      if (tallies.every((tally) => isFree(tally, llmTokens, now))) {
        return permit(tallies, llmTokens, now)
      }
      if (isStopped) throw endedOutside()
      const shortages = tallies.flatMap((tally) => shortagesOf(tally, llmTokens, now))
      const limitMs = patienceMs(shortages, waitMs)
      if (limitMs === 0 || knownMs(shortages) > limitMs) {
        throw limitError(longestOf(tallies, llmTokens, now))
      }
      return new Promise<LocalPermit>((resolve, reject) => {
        const settle = () => {
          for (const tally of tallies) tally.expected--
          signal.removeEventListener('abort', abort)
        }
        const waiter: LimitWaiter = {
          tallies,
          llmTokens,
          deadline: now + limitMs,
          held: 0,
          admit(permit) {
            settle()
            resolve(permit)
          },
          refuse(reason) {
            settle()
            reject(reason)
          },
        }
        const abort = () => {
          leave(waiter)
          waiter.refuse(signal.reason)
        }
        for (const tally of tallies) tally.expected++
        signal.addEventListener('abort', abort, { once: true })
        advance(waiter, now)
      })
    },
    stop(): void {
      isStopped = true
      rejectAll(endedOutside())
    },
  }
}

function take(tally: Tally<LimitWaiter>, waiter: LimitWaiter): void {
  hold(tally, waiter.llmTokens)
  waiter.held++
}

/** The known part of a wait: the end of a running request is unknown. */
export const knownMs = (shortages: readonly Refused[]) =>
  shortages.reduce(
    (most, { limit, retryAfterMs }) =>
      limit === 'concurrency' ? most : Math.max(most, retryAfterMs),
    0,
  )

/** The grace by which windows exceed a minute is always waited for. */
export function patienceMs(shortages: readonly Refused[], waitMs: number): number {
  const isFull = shortages.some(({ limit }) => limit === 'concurrency')
  return isFull ? waitMs : Math.max(waitMs, graceMs)
}
