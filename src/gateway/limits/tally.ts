import type { Clock, Repeat } from '../../lib/clock.ts'
import type { Limits } from '../../store/ports/catalog.ts'
import {
  type Amount,
  createWindow,
  expire,
  fits,
  passingOf,
  roomAt,
  roomBehind,
  type SlidingWindow,
  windowMs,
} from './sliding-window.ts'

/** What is limited. Its limits may differ in each call. */
export interface Subject {
  readonly kind: 'token' | 'account' | 'group' | 'channel'
  readonly id: number
  readonly name: string
  readonly limits: Limits
  /** The limits named to clients, where `limits` are a node's share. */
  readonly stated?: Limits
}

export interface Refused {
  readonly subject: Subject
  readonly limit: 'rpm' | 'tpm' | 'concurrency'
  readonly retryAfterMs: number
}

export interface Queued {
  readonly llmTokens: number
}

export interface Tally<Waiter extends Queued = Queued> {
  readonly key: number
  subject: Subject
  readonly window: SlidingWindow
  open: number
  /** Waiting requests that are counted here already: their minute has not begun. */
  readonly held: Record<Amount, number>
  readonly queue: Set<Waiter>
  queuedLlmTokens: number
  /** Requests in this or another queue that need this tally. */
  expected: number
  isAdmitting: boolean
}

const createTally = <Waiter extends Queued>(key: number, subject: Subject): Tally<Waiter> => ({
  key,
  subject,
  window: createWindow(),
  open: 0,
  held: { requests: 0, llmTokens: 0 },
  queue: new Set(),
  queuedLlmTokens: 0,
  expected: 0,
  isAdmitting: false,
})

function isIdle(tally: Tally, now: number): boolean {
  if (tally.open > 0 || tally.expected > 0) return false
  expire(tally.window, now)
  return tally.window.oldest === undefined
}

/** Whether a request is within all limits and overtakes no waiter. */
export function isFree(tally: Tally, llmTokens: number, now: number): boolean {
  return tally.queue.size === 0 && isWithinLimits(tally, llmTokens, now)
}

export function isWithinLimits(tally: Tally, llmTokens: number, now: number): boolean {
  const { window, held, subject } = tally
  const { rpm, tpm, concurrency } = subject.limits
  if (concurrency !== null && tally.open >= concurrency) return false
  expire(window, now)
  if (rpm !== null && !fits(window.requests + held.requests, 1, rpm)) return false
  return tpm === null || fits(window.llmTokens + held.llmTokens, llmTokens, tpm)
}

/** Counts a request that still waits for another tally. */
export function hold(tally: Tally, llmTokens: number): void {
  tally.open++
  tally.held.requests++
  tally.held.llmTokens += llmTokens
}

export function unhold(tally: Tally, llmTokens: number): void {
  tally.open--
  tally.held.requests--
  tally.held.llmTokens -= llmTokens
}

/** The end of a running request is unknown. */
const unknownMs = 1000

/** All limits that keep out a request that arrives now. */
export function shortagesOf(tally: Tally, llmTokens: number, now: number): Refused[] {
  const { subject, open, window } = tally
  const { rpm, tpm, concurrency } = subject.limits
  const shortages: Refused[] = []
  const add = (limit: Refused['limit'], retryAfterMs: number) => {
    if (retryAfterMs > 0) shortages.push({ subject, limit, retryAfterMs })
  }
  expire(window, now)
  const rpmAt = enterAt(tally, 'requests', 1, rpm, now)
  const tpmAt = enterAt(tally, 'llmTokens', llmTokens, tpm, now)
  const isLate = rpmAt === undefined || tpmAt === undefined
  const lateAt = isLate ? enterLateAt(tally, llmTokens, now) : now
  add('rpm', (rpmAt ?? lateAt) - now)
  add('tpm', (tpmAt ?? lateAt) - now)
  if (concurrency !== null && open >= concurrency) add('concurrency', unknownMs)
  return shortages
}

export function longestOf(tallies: readonly Tally[], llmTokens: number, now: number): Refused {
  let longest: Refused | undefined
  for (const tally of tallies) {
    // With a full queue nothing else may be known.
    longest ??= { subject: tally.subject, limit: 'concurrency', retryAfterMs: 0 }
    for (const shortage of shortagesOf(tally, llmTokens, now)) {
      if (shortage.retryAfterMs > longest.retryAfterMs) longest = shortage
    }
  }
  if (longest === undefined) throw new Error('nothing keeps a request out that has no limits')
  return longest
}

/** When one limit leaves room behind all waiters; undefined: after some of them. */
function enterAt(
  { window, held, queue, queuedLlmTokens }: Tally,
  what: Amount,
  amount: number,
  limit: number | null,
  now: number,
): number | undefined {
  if (limit === null) return now
  const queued = what === 'requests' ? queue.size : queuedLlmTokens
  const used = window[what] + held[what] + queued
  return roomAt(window, what, { used, amount, limit }, now)
}

/** The same for all limits together, by simulation: a queue may be long. */
function enterLateAt({ window, held, queue, subject }: Tally, llmTokens: number, now: number) {
  const passing = [...passingOf(window), { until: now + windowMs, ...held }]
  const waiting = Array.from(queue, (waiter) => waiter.llmTokens)
  return roomBehind(passing, [...waiting, llmTokens], subject.limits, now)
}

/** A node's share of limits that all nodes share; 1 at least. */
export function shareOf(subject: Subject, nodes: number): Subject {
  const { limits, stated = limits } = subject
  const share = (limit: number | null) =>
    limit === null ? null : Math.max(1, Math.floor(limit / nodes))
  const { rpm, tpm, concurrency } = limits
  const own: Limits = { rpm: share(rpm), tpm: share(tpm), concurrency: share(concurrency) }
  return { ...subject, limits: own, stated }
}

/** Idle tallies are dropped in rounds of half a minute, in slices. */
const sweepMs = 250
const partsOfRound = 120

/** The tallies of all subjects that have limits and recent requests. */
export function createTallies<Waiter extends Queued>(tick: Clock, repeat: Repeat) {
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
    of(subject: Subject): Tally<Waiter> | undefined {
      const key = keyOf(subject)
      const known = tallies.get(key)
      if (known !== undefined) known.subject = subject
      // Waiters are admitted when limits are removed.
      if (isUnlimited(subject))
        return known !== undefined && known.queue.size > 0 ? known : undefined
      if (known !== undefined) return known
      const tally = createTally<Waiter>(key, subject)
      tallies.set(key, tally)
      if (!isStopped) stopSweeping ??= repeat(sweep, sweepMs)
      return tally
    },
    size: (): number => tallies.size,
    all: (): Iterable<Tally<Waiter>> => tallies.values(),
    stop(): void {
      isStopped = true
      pause()
    },
  }
}

/** A subject's number among all of them. */
export const keyOf = ({ kind, id }: Subject): number => id * kinds.length + kinds.indexOf(kind)

const kinds = ['token', 'account', 'group', 'channel'] satisfies Subject['kind'][]

export const isUnlimited = ({ limits: { rpm, tpm, concurrency } }: Subject) =>
  rpm === null && tpm === null && concurrency === null
