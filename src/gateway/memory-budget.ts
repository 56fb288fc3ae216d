import { createFairQueue } from '../lib/fair-queue.ts'
import { GatewayError, stopping } from './errors.ts'

/** What one request, or whatever else holds bytes of strangers, has of the budget. */
export interface Lease {
  /** Whose it is: owners wait in turn. */
  readonly owner: string
  bytes: number
  isLarge: boolean
  /** It has ended: nothing more is taken for it. */
  isOver: boolean
}

export const createLease = (owner: string): Lease => ({
  owner,
  bytes: 0,
  isLarge: false,
  isOver: false,
})

/** How a taker waits. */
export interface Waiting {
  /** How long there may be no room; 0: it is refused at once. */
  readonly waitMs: number
  readonly signal: AbortSignal
  /** For what holds bytes already and would keep them from others: before all who have just come. */
  readonly isAhead?: boolean
}

/**
 * The bytes that strangers may make this process hold, all of them together: whoever reads what they send
 * takes before, and gives back when it is gone.
 */
export interface MemoryBudget {
  readonly totalBytes: number
  /** One lease has no more. */
  readonly largestBytes: number
  usedBytes(): number
  waiting(): number
  /** The process holds as much as it may, whatever was reckoned. */
  isShort(): boolean
  /** How many were refused so far. */
  refused(): number
  /** Takes at once, or nothing at all. */
  tryTake(lease: Lease, bytes: number): boolean
  /** The same, or waits for it. Throws the 429 `overloaded`, the 413 of what is never there, or the signal's reason. */
  take(lease: Lease, bytes: number, waiting: Waiting): void | Promise<void>
  /** Of a lease that has ended there is nothing left to give. */
  give(lease: Lease, bytes: number): void
  /** Gives back all of it; harmless when repeated. */
  end(lease: Lease): void
}

export interface MemoryBudgetParts {
  readonly totalBytes: number
  /** Whether this process can hold so much more, as it really is; absent: the sums are believed. */
  readonly hasRoom?: (bytes: number) => boolean
}

/** A lease of no more is small. */
export const smallLease = 4 * 1_048_576
/** Large ones leave this part of the budget to small ones. */
const keptForSmall = 1 / 4
/** And these may have more than all of it, as long as the process really has room. */
const mostForSmall = 5 / 4
/** So often it is looked whether memory is free that nobody has given back: garbage. */
const lookMs = 100
/** Seconds after which who was refused may come again. */
const retryAfter = 2

interface Waiter {
  readonly lease: Lease
  readonly bytes: number
  /** Takes what it waits for. */
  readonly go: () => void
}

export function createMemoryBudget({ totalBytes, hasRoom }: MemoryBudgetParts): MemoryBudget {
  const largestBytes = Math.floor(totalBytes * (1 - keptForSmall))
  const small = createFairQueue<Waiter>()
  const large = createFairQueue<Waiter>()
  const ahead = createFairQueue<Waiter>()
  /** What owners have in large leases. */
  const shares = new Map<string, number>()
  /** Whose turn it is: nobody passes it, or small pieces would keep large ones out for ever. */
  let turn: Waiter | undefined
  let turnAhead: Waiter | undefined
  let [used, refused, waitingSmall, waitingLarge] = [0, 0, 0, 0]
  let looking: ReturnType<typeof setInterval> | undefined

  const isLarge = ({ bytes }: Lease, more: number) => bytes + more > smallLease

  /** Others must not wait for one who has half of it: he waits for himself. */
  function isWithinShare({ lease, bytes }: Pick<Waiter, 'lease' | 'bytes'>): boolean {
    const others = (shares.get(lease.owner) ?? 0) - (lease.isLarge ? lease.bytes : 0)
    return others === 0 || others + lease.bytes + bytes <= largestBytes / 2
  }

  function share(lease: Lease, bytes: number): void {
    const sum = (shares.get(lease.owner) ?? 0) + bytes
    if (sum === 0) shares.delete(lease.owner)
    else shares.set(lease.owner, sum)
  }

  function hold(lease: Lease, bytes: number): void {
    used += bytes
    if (lease.isLarge) share(lease, bytes)
    lease.bytes += bytes
    if (lease.isLarge || lease.bytes <= smallLease) return
    lease.isLarge = true
    share(lease, lease.bytes)
  }

  /** Sums are reckoned high: beyond them what the process really holds decides, up to a limit. */
  const fitsSmall = (bytes: number) =>
    used + bytes <= totalBytes ||
    (used + bytes <= totalBytes * mostForSmall && hasRoom !== undefined && hasRoom(bytes))
  const fitsLarge = (bytes: number) => used + bytes <= largestBytes && (hasRoom?.(bytes) ?? true)

  function tryTake(lease: Lease, bytes: number): boolean {
    if (lease.isOver) throw stopping()
    if (!isLarge(lease, bytes)) {
      if (waitingSmall > 0 || !fitsSmall(bytes)) return false
    } else if (waitingLarge > 0 || !isWithinShare({ lease, bytes }) || !fitsLarge(bytes)) {
      return false
    }
    hold(lease, bytes)
    return true
  }

  /** Lets in who waits, as far as there is room. */
  function letIn(): void {
    while (waitingSmall > 0) {
      const next = small.next(({ bytes }) => fitsSmall(bytes))
      if (next === undefined) break
      next.go()
    }
    while (waitingLarge > 0) {
      turnAhead ??= ahead.next()
      if (turnAhead === undefined) turn ??= large.next(isWithinShare)
      const next = turnAhead ?? turn
      if (next === undefined || !(next.lease.isOver || fitsLarge(next.bytes))) return
      next.go()
    }
  }

  function refusal(): GatewayError {
    refused++
    return new GatewayError('overloaded', memoryInUse, { retryAfter, isCutOff: true })
  }

  function wait(lease: Lease, bytes: number, { waitMs, signal, isAhead }: Waiting): Promise<void> {
    const isOfLarge = isLarge(lease, bytes)
    const queue = isOfLarge ? (isAhead ? ahead : large) : small
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    /** At once, whatever comes in the same moment: nothing is taken for who is not there any more. */
    const leave = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', abort)
      queue.remove(lease.owner, waiter)
      if (turn === waiter) turn = undefined
      if (turnAhead === waiter) turnAhead = undefined
      if (isOfLarge) waitingLarge--
      else waitingSmall--
      if (waitingSmall + waitingLarge > 0) return
      clearInterval(looking)
      looking = undefined
    }
    const go = () => {
      leave()
      if (lease.isOver) return reject(stopping())
      hold(lease, bytes)
      resolve()
    }
    const giveUp = (error: unknown) => {
      leave()
      reject(error)
      letIn()
    }
    const abort = () => giveUp(signal.reason)
    const timer = setTimeout(() => giveUp(refusal()), waitMs)
    const waiter: Waiter = { lease, bytes, go }
    signal.addEventListener('abort', abort, { once: true })
    queue.add(lease.owner, waiter)
    if (isOfLarge) waitingLarge++
    else waitingSmall++
    looking ??= setInterval(letIn, lookMs)
    letIn() // those before may wait for what others need not wait for
    return promise
  }

  function giveBack(lease: Lease, bytes: number): void {
    used -= bytes
    if (lease.isLarge) share(lease, -bytes)
    lease.bytes -= bytes
    letIn()
  }

  return {
    ...{ totalBytes, largestBytes, tryTake },
    // Work on a request may come to its end behind it.
    give(lease, bytes) {
      if (!lease.isOver) giveBack(lease, bytes)
    },
    usedBytes: () => used,
    waiting: () => waitingSmall + waitingLarge,
    isShort: () => hasRoom?.(0) === false,
    refused: () => refused,
    take(lease, bytes, waiting) {
      if (tryTake(lease, bytes)) return undefined
      if (lease.bytes + bytes > largestBytes) throw neverFits()
      if (waiting.waitMs === 0) throw refusal()
      waiting.signal.throwIfAborted()
      return wait(lease, bytes, waiting)
    },
    end(lease) {
      lease.isOver = true
      if (lease.bytes > 0) giveBack(lease, lease.bytes)
    },
  }
}

const memoryInUse =
  'The memory of this gateway is in use by other requests. Nothing is wrong with this one: repeat it in a few seconds.'
/** The 413 of what would need more than there is, whoever else has any. */
export const neverFits = () =>
  new GatewayError(
    'body_too_large',
    'The request takes more memory than this gateway may use (server.memory in its configuration). Send less.',
    { isCutOff: true },
  )
