import type { Clock } from '../../lib/clock.ts'
import { createFairQueue } from '../../lib/turns.ts'
import { GatewayError, stopping } from '../errors.ts'
import { mostHeldPerReader } from '../outbound/paced-call.ts'

/** What a request, or whatever else holds bytes of strangers, has of the budget. */
export interface Lease {
  readonly owner: string
  bytes: number
  isLarge: boolean
  /** It has ended: nothing more is taken for it. */
  isOver: boolean
  /** When something was taken for it last, by the budget's clock; infinite while it waits for that. */
  takenTick: number
  /** Refuses the request, while its body is still coming. */
  giveUp: ((error: GatewayError) => void) | undefined
}

export const createLease = (owner: string): Lease => ({
  owner,
  bytes: 0,
  isLarge: false,
  isOver: false,
  takenTick: Number.POSITIVE_INFINITY,
  giveUp: undefined,
})

export interface Waiting {
  /** How long there may be no room; 0: it is refused at once. */
  readonly waitMs: number
  readonly signal: AbortSignal
  /** For what holds bytes already and would keep them from others: before all who have just come. */
  readonly isAhead?: boolean
}

/**
 * The bytes that strangers may make this process hold: whoever reads takes before, and gives back.
 */
export type MemoryBudget = ReturnType<typeof createMemoryBudget>

interface MemoryBudgetParts {
  readonly totalBytes: number
  /** Whether this process can hold so much more, as it really is; absent: the sums are believed. */
  readonly hasRoom?: (bytes: number) => boolean
  readonly tick?: Clock
}

/**
 * What requests take of memory at the peak, measured with the compiled program on bodies of 12 to
 * 60 MB. `bun run crowd` shows whether that is still enough.
 */

/** A request under way beside its body, a stream that has begun included. */
export const requestCost = 49_152

/** A stream whose client does not read as fast as its upstream sends, beside that: with much read ahead, or little. */
export const slowReaderCost = {
  wide: mostHeldPerReader - requestCost,
  narrow: mostHeldPerReader / 2 - requestCost,
}

/** A body as it came and as it is sent, and their pieces: 2.5 to 3.7 times its length. */
const timesHeld = 4

export const bodyCost = (lengthBytes: number): number => timesHeld * lengthBytes

/** The longest body that `costBytes` are enough for. */
const bodyOfCost = (costBytes: number): number => Math.floor(costBytes / timesHeld)

/** A file that is fetched, while it is read and written in base64. */
export const fileCost = (lengthBytes: number): number => 3 * lengthBytes

/** Its parsed value, its translation and what is written of it: 4 to 6 times its length … */
const timesWorkedOn = 6
/** … and for each value in it. A body of 12 MB may have a million of them. */
const ofValue = 400

/** What work on a whole body takes on the other thread, where one is worked on at a time. */
export const workCost = (lengthBytes: number, values: number): number =>
  timesWorkedOn * lengthBytes + ofValue * values

/** A lease of no more is small. */
export const smallLease = 4 * 1_048_576
/** Large ones leave this part of the budget to small ones. */
const keptForSmall = 1 / 4
/** What can do without leaves this part of it to all others. */
const keptForNeed = 1 / 2
/** And these may have more than all of it, as long as the process really has room. */
const mostForSmall = 5 / 4
/** In small ones an owner has no more than so many times what is left for others then. */
const timesLeft = 4
/** So often it is looked whether memory is free that nobody gave back: garbage. */
const lookMs = 100
/** While others wait a body has so much time … */
const bodyMs = 5_000
/** … and so much more for its length: 1 MiB in a second. */
const bodyCostPerMs = bodyCost(1_048_576) / 1_000
const retryAfter = 2

interface Waiter {
  readonly lease: Lease
  readonly bytes: number
  readonly go: () => void
}

export function createMemoryBudget(parts: MemoryBudgetParts) {
  const { totalBytes, hasRoom, tick = () => performance.now() } = parts
  const largestBytes = Math.floor(totalBytes * (1 - keptForSmall))
  const small = createFairQueue<Waiter>()
  const large = createFairQueue<Waiter>()
  const ahead = createFairQueue<Waiter>()
  /** What owners have in large leases, and in small ones. */
  const shares = { large: new Map<string, number>(), small: new Map<string, number>() }
  const reading = new Set<Lease>()
  /** Whose turn it is: nobody passes it, or small pieces would keep large ones out for ever. */
  let turn: Waiter | undefined
  let turnAhead: Waiter | undefined
  /** The last one that was let in went ahead: then it is the others' turn, where they have room. */
  let wasAhead = false
  let [used, refused, waitingSmall, waitingLarge] = [0, 0, 0, 0]
  let looking: ReturnType<typeof setInterval> | undefined

  const isLarge = ({ bytes }: Lease, more: number) => bytes + more > smallLease

  /** Others must not wait for one who has half of it: he waits for himself. */
  function isWithinShare({ lease, bytes }: Pick<Waiter, 'lease' | 'bytes'>): boolean {
    const others = (shares.large.get(lease.owner) ?? 0) - (lease.isLarge ? lease.bytes : 0)
    return others === 0 || others + lease.bytes + bytes <= largestBytes / 2
  }

  function share({ owner, isLarge }: Lease, bytes: number): void {
    const sums = isLarge ? shares.large : shares.small
    const sum = (sums.get(owner) ?? 0) + bytes
    if (sum === 0) sums.delete(owner)
    else sums.set(owner, sum)
  }

  function hold(lease: Lease, bytes: number): void {
    const grows = !lease.isLarge && isLarge(lease, bytes)
    if (grows) share(lease, -lease.bytes)
    used += bytes
    lease.bytes += bytes
    lease.takenTick = tick()
    if (grows) lease.isLarge = true
    share(lease, grows ? lease.bytes : bytes)
  }

  /**
   * Sums are reckoned high: beyond them real memory decides, up to a limit. Who has much must leave
   * much.
   */
  function fitsSmall({ lease, bytes }: Pick<Waiter, 'lease' | 'bytes'>): boolean {
    const before = shares.small.get(lease.owner) ?? 0
    if (fitsIn(totalBytes, before, bytes)) return true
    // What large ones have taken comes little by little: nothing shows it yet.
    if (hasRoom === undefined || shares.large.size > 0) return false
    return fitsIn(totalBytes * mostForSmall, before, bytes) && hasRoom(bytes)
  }

  function fitsIn(most: number, before: number, bytes: number): boolean {
    const left = most - used - bytes
    return left >= 0 && (before === 0 || before + bytes <= timesLeft * left)
  }

  const fitsLarge = (bytes: number) => used + bytes <= largestBytes && (hasRoom?.(bytes) ?? true)

  function tryTake(lease: Lease, bytes: number): boolean {
    if (lease.isOver) throw stopping()
    if (!isLarge(lease, bytes)) {
      if (waitingSmall > 0 || !fitsSmall({ lease, bytes })) return false
    } else if (waitingLarge > 0 || !isWithinShare({ lease, bytes }) || !fitsLarge(bytes)) {
      return false
    }
    hold(lease, bytes)
    return true
  }

  const mayGo = (one: Waiter | undefined) => one?.lease.isOver || fitsLarge(one?.bytes ?? 0)

  function letIn(): void {
    while (waitingSmall > 0) {
      const next = small.next(fitsSmall)
      if (next === undefined) break
      next.go()
    }
    while (waitingLarge > 0) {
      turnAhead ??= ahead.next()
      turn ??= large.next(isWithinShare)
      const isOthersTurn = turnAhead === undefined || (wasAhead && turn && mayGo(turn))
      const next = isOthersTurn ? turn : turnAhead
      if (next === undefined || !mayGo(next)) return
      wasAhead = !isOthersTurn
      next.go()
    }
  }

  function look(): void {
    if (waitingSmall + waitingLarge > 0) {
      const now = tick()
      for (const lease of reading) {
        if (now - lease.takenTick <= bodyMs + lease.bytes / bodyCostPerMs) continue
        reading.delete(lease)
        lease.isOver = true
        lease.giveUp?.(tooSlow())
      }
    }
    letIn()
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
    lease.takenTick = Number.POSITIVE_INFINITY
    signal.addEventListener('abort', abort, { once: true })
    queue.add(lease.owner, waiter)
    if (isOfLarge) waitingLarge++
    else waitingSmall++
    looking ??= setInterval(look, lookMs)
    look() // those before may wait for what others need not wait for
    return promise
  }

  function giveBack(lease: Lease, bytes: number): void {
    used -= bytes
    share(lease, -bytes)
    lease.bytes -= bytes
    letIn()
  }

  return {
    ...{ totalBytes, largestBytes, tryTake, look },
    /** The same for what can do without: while much is left for those who can't. */
    tryHold(lease: Lease, bytes: number): boolean {
      if (lease.isOver || used + bytes > totalBytes * (1 - keptForNeed)) return false
      return tryTake(lease, bytes)
    },
    // Work on a request may come to its end behind it.
    give: (lease: Lease, bytes: number): void =>
      lease.isOver ? undefined : giveBack(lease, bytes),
    usedBytes: (): number => used,
    waiting: (): number => waitingSmall + waitingLarge,
    /** The process holds as much as it may, whatever was reckoned; `aheadBytes`: it would with so much more. */
    isShort: (aheadBytes: number = 0): boolean => hasRoom?.(aheadBytes) === false,
    refused: (): number => refused,
    /** As `tryTake`, or waits for it. Throws the 429 `overloaded`, the 413 of what is never there, or the signal's reason. */
    take(lease: Lease, bytes: number, waiting: Waiting): void | Promise<void> {
      if (tryTake(lease, bytes)) return undefined
      if (lease.bytes + bytes > largestBytes) throw neverFits()
      if (waiting.waitMs === 0) throw refusal()
      waiting.signal.throwIfAborted()
      return wait(lease, bytes, waiting)
    },
    /** Its body comes from now on; one that is too slow while others wait is given up. */
    startReading(lease: Lease, giveUp: (error: GatewayError) => void): void {
      lease.giveUp = giveUp
      reading.add(lease)
    },
    endReading: (lease: Lease) => reading.delete(lease),
    /** Gives back all of it; harmless when repeated. */
    end(lease: Lease): void {
      lease.isOver = true
      reading.delete(lease)
      if (lease.bytes > 0) giveBack(lease, lease.bytes)
    },
  }
}

const memoryInUse =
  'The memory of this gateway is in use by other requests. Nothing is wrong with this one: repeat it in a few seconds.'
const tooSlow = () =>
  new GatewayError(
    'overloaded',
    'The body came too slowly while other requests waited for memory. Repeat the request in a few seconds.',
    { retryAfter, isTooSlow: true },
  )

/** The 413 of what would need more than there is, whoever else has any. */
export const neverFits = () =>
  new GatewayError(
    'body_too_large',
    'The request takes more memory than this gateway may use (server.memory in its configuration). Send less.',
    { isCutOff: true },
  )

/** What is taken of the budget for a body, by its length. */
export type BodyMemory = Pick<LeasedMemory, keyof LeasedMemory>

export class LeasedMemory {
  /** The longest body that there is ever room for. */
  readonly mostBytes: number
  readonly #memory: MemoryBudget
  readonly #lease: Lease
  readonly #waiting: Waiting
  #beside: number

  /** `beside`: what is taken with the first of it. */
  constructor(memory: MemoryBudget, lease: Lease, waiting: Waiting, beside = 0) {
    this.mostBytes = bodyOfCost(memory.largestBytes - beside)
    this.#memory = memory
    this.#lease = lease
    this.#waiting = waiting
    this.#beside = beside
  }

  /** So many more bytes of it come. Throws the refusal. */
  take(bytes: number): void | Promise<void> {
    const cost = this.#beside + bodyCost(bytes)
    this.#beside = 0
    return this.#memory.take(this.#lease, cost, this.#waiting)
  }

  give(bytes: number): void {
    this.#memory.give(this.#lease, bodyCost(bytes))
  }
}
