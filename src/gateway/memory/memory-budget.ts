import { addTo } from '../../lib/add-to.ts'
import type { Ending } from '../../lib/cancellation.ts'
import type { Clock } from '../../lib/clock.ts'
import { createFairQueue } from '../../lib/concurrency.ts'
import { type Listed, Roster } from '../../lib/roster.ts'
import { endedOutside, GatewayError } from '../errors.ts'
import { mostHeldPerReader } from '../outbound/round-trip.ts'

/** A holder's part of the memory budget. */
export class Lease implements Listed {
  readonly owner: string
  place = -1
  bytes = 0
  isLarge = false
  isOver = false
  /** When something was last leased, by the budget's clock; infinite while it waits. */
  takenTick = Number.POSITIVE_INFINITY
  giveUp: ((error: GatewayError) => void) | undefined

  constructor(owner: string) {
    this.owner = owner
  }
}

export interface MemoryWait {
  /** 0: it is refused at once. */
  readonly waitMs: number
  readonly signal: Ending
  /** For work on bytes already held: it goes before new requests. */
  readonly isAhead?: boolean
}

/** Bounds the bytes that clients make this process hold: lease, read, release. */
export type MemoryBudget = ReturnType<typeof createMemoryBudget>

interface MemoryBudgetParts {
  readonly totalBytes: number
  /** Whether the process really has this much room; absent: the sums decide. */
  readonly hasFreeMemory?: (bytes: number) => boolean
  readonly tick?: Clock
}

// What requests take of memory at the peak, measured with the compiled program on bodies of 12 to
// 60 MB. `bun run crowd` shows whether that is still enough.

/** A running request beside its body, a begun stream included. */
export const requestCost = 49_152

/** A stream with a slow reader, in addition: with much read ahead, or little. */
export const slowReaderCost = {
  wide: mostHeldPerReader - requestCost,
  narrow: mostHeldPerReader / 2 - requestCost,
}

/** A body as it came and as it is sent, and their pieces: 2.5 to 3.7 times its length. */
const timesHeld = 4

export const bodyCost = (lengthBytes: number): number => timesHeld * lengthBytes

const bodyOfCost = (costBytes: number): number => Math.floor(costBytes / timesHeld)

/** A fetched file, while it is read and encoded in base64. */
export const fileCost = (lengthBytes: number): number => 3 * lengthBytes

/** Its parsed value, its translation and the written result: 4 to 6 times its length. */
const timesWorkedOn = 6
/** In addition, for each value. A body of 12 MB may have a million of them. */
const ofValue = 400

/** Work on a whole body on the body thread, one body at a time. */
export const workCost = (lengthBytes: number, values: number): number =>
  timesWorkedOn * lengthBytes + ofValue * values

export const smallLease = 4 * 1_048_576
/** The share of the budget that only small leases may use. */
const reservedForSmall = 1 / 4
/** Optional leases leave this part of it to all others. */
const reservedForRequired = 1 / 2
/** Small leases may exceed the budget to this part, while the process really has room. */
const mostForSmall = 5 / 4
/** An owner's small leases are bounded by this many times what then remains for others. */
const timesLeft = 4
/** How often real memory is checked for collected garbage. */
const lookMs = 100
/** The time a body has while others wait, besides the time for its length. */
const bodyMs = 5_000
/** 1 MiB a second. */
const bodyCostPerMs = bodyCost(1_048_576) / 1_000
const retryAfter = 2

interface MemoryWaiter {
  readonly lease: Lease
  readonly bytes: number
  readonly admit: () => void
}

export function createMemoryBudget(parts: MemoryBudgetParts) {
  const { totalBytes, hasFreeMemory, tick = () => performance.now() } = parts
  const largestBytes = Math.floor(totalBytes * (1 - reservedForSmall))
  const small = createFairQueue<MemoryWaiter>()
  const large = createFairQueue<MemoryWaiter>()
  const ahead = createFairQueue<MemoryWaiter>()
  const shares = { large: new Map<string, number>(), small: new Map<string, number>() }
  const reading = new Roster<Lease>()
  /** The first waiter. It is not overtaken, or small leases would keep large ones out forever. */
  let turn: MemoryWaiter | undefined
  let turnAhead: MemoryWaiter | undefined
  /** The last admission was from `ahead`: the next is from `large`, where it fits. */
  let wasAhead = false
  let [used, refused, waitingSmall, waitingLarge] = [0, 0, 0, 0]
  let looking: ReturnType<typeof setInterval> | undefined

  const isLarge = ({ bytes }: Lease, more: number) => bytes + more > smallLease

  /** An owner with half of the budget waits only for itself. */
  function isWithinShare({ lease, bytes }: Pick<MemoryWaiter, 'lease' | 'bytes'>): boolean {
    const others = (shares.large.get(lease.owner) ?? 0) - (lease.isLarge ? lease.bytes : 0)
    return others === 0 || others + lease.bytes + bytes <= largestBytes / 2
  }

  function share({ owner, isLarge }: Lease, bytes: number): void {
    addTo(isLarge ? shares.large : shares.small, owner, bytes)
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

  /** Sums are estimates: beyond them real memory decides, within an owner's share. */
  function fitsSmall({ lease, bytes }: Pick<MemoryWaiter, 'lease' | 'bytes'>): boolean {
    const before = shares.small.get(lease.owner) ?? 0
    if (fitsIn(totalBytes, before, bytes)) return true
    // The memory of large leases fills little by little: nothing shows it yet.
    if (hasFreeMemory === undefined || shares.large.size > 0) return false
    return fitsIn(totalBytes * mostForSmall, before, bytes) && hasFreeMemory(bytes)
  }

  function fitsIn(most: number, before: number, bytes: number): boolean {
    const left = most - used - bytes
    return left >= 0 && (before === 0 || before + bytes <= timesLeft * left)
  }

  const fitsLarge = (bytes: number) =>
    used + bytes <= largestBytes && (hasFreeMemory?.(bytes) ?? true)

  function tryTake(lease: Lease, bytes: number): boolean {
    if (lease.isOver) throw endedOutside()
    if (!isLarge(lease, bytes)) {
      if (waitingSmall > 0 || !fitsSmall({ lease, bytes })) return false
    } else if (waitingLarge > 0 || !isWithinShare({ lease, bytes }) || !fitsLarge(bytes)) {
      return false
    }
    hold(lease, bytes)
    return true
  }

  const fits = (one: MemoryWaiter | undefined) => one?.lease.isOver || fitsLarge(one?.bytes ?? 0)

  function admitWaiters(): void {
    while (waitingSmall > 0) {
      const next = small.next(fitsSmall)
      if (next === undefined) break
      next.admit()
    }
    while (waitingLarge > 0) {
      turnAhead ??= ahead.next()
      turn ??= large.next(isWithinShare)
      const isOthersTurn = turnAhead === undefined || (wasAhead && turn && fits(turn))
      const next = isOthersTurn ? turn : turnAhead
      if (next === undefined || !fits(next)) return
      wasAhead = !isOthersTurn
      next.admit()
    }
  }

  function look(): void {
    if (waitingSmall + waitingLarge > 0) {
      const now = tick()
      for (const lease of reading.all()) {
        if (now - lease.takenTick <= bodyMs + lease.bytes / bodyCostPerMs) continue
        reading.delete(lease)
        lease.isOver = true
        lease.giveUp?.(tooSlow())
      }
    }
    admitWaiters()
  }

  function refusal(): GatewayError {
    refused++
    return new GatewayError('overloaded', memoryInUse, { retryAfter, isCutOff: true })
  }

  function wait(
    lease: Lease,
    bytes: number,
    { waitMs, signal, isAhead }: MemoryWait,
  ): Promise<void> {
    const isOfLarge = isLarge(lease, bytes)
    const queue = isOfLarge ? (isAhead ? ahead : large) : small
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    /** At once: nothing may be leased for a client that is gone. */
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
    const admit = () => {
      leave()
      if (lease.isOver) return reject(endedOutside())
      hold(lease, bytes)
      resolve()
    }
    const giveUp = (error: unknown) => {
      leave()
      reject(error)
      admitWaiters()
    }
    const abort = () => giveUp(signal.reason)
    const timer = setTimeout(() => giveUp(refusal()), waitMs)
    const waiter: MemoryWaiter = { lease, bytes, admit }
    lease.takenTick = Number.POSITIVE_INFINITY
    signal.addEventListener('abort', abort, { once: true })
    queue.add(lease.owner, waiter)
    if (isOfLarge) waitingLarge++
    else waitingSmall++
    looking ??= setInterval(look, lookMs)
    look() // those before may wait for what others need not wait for
    return promise
  }

  function release(lease: Lease, bytes: number): void {
    used -= bytes
    share(lease, -bytes)
    lease.bytes -= bytes
    admitWaiters()
  }

  return {
    totalBytes,
    largestBytes,
    tryTake,
    look,
    /** The same for optional memory, while much remains for others. */
    tryHold(lease: Lease, bytes: number): boolean {
      if (lease.isOver || used + bytes > totalBytes * (1 - reservedForRequired)) return false
      return tryTake(lease, bytes)
    },
    give: (lease: Lease, bytes: number): void => (lease.isOver ? undefined : release(lease, bytes)),
    usedBytes: (): number => used,
    waiting: (): number => waitingSmall + waitingLarge,
    /** The process is at its real limit; `aheadBytes`: it would be with this much more. */
    isShort: (aheadBytes: number = 0): boolean => hasFreeMemory?.(aheadBytes) === false,
    refused: (): number => refused,
    /** `tryTake`, or a wait. Throws the 429, the 413 of what never fits, or the signal's reason. */
    take(lease: Lease, bytes: number, waiting: MemoryWait): void | Promise<void> {
      if (tryTake(lease, bytes)) return undefined
      if (lease.bytes + bytes > largestBytes) throw neverFits()
      if (waiting.waitMs === 0) throw refusal()
      waiting.signal.throwIfAborted()
      return wait(lease, bytes, waiting)
    },
    /** Its body begins to arrive; one that is too slow while others wait is aborted. */
    startReading(lease: Lease, giveUp: (error: GatewayError) => void): void {
      lease.giveUp = giveUp
      reading.add(lease)
    },
    endReading: (lease: Lease) => reading.delete(lease),
    end(lease: Lease): void {
      lease.isOver = true
      reading.delete(lease)
      if (lease.bytes > 0) release(lease, lease.bytes)
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

/** The 413 of a request that exceeds the whole budget. */
export const neverFits = () =>
  new GatewayError(
    'body_too_large',
    'The request takes more memory than this gateway may use (server.memory in its configuration). Send less.',
    { isCutOff: true },
  )

export type BodyMemory = Pick<LeasedMemory, keyof LeasedMemory>

export class LeasedMemory {
  readonly mostBytes: number
  readonly #memory: MemoryBudget
  readonly #lease: Lease
  readonly #waiting: MemoryWait
  #extraBytes: number

  /** `extraBytes`: leased together with the first bytes. */
  constructor(memory: MemoryBudget, lease: Lease, waiting: MemoryWait, extraBytes = 0) {
    this.mostBytes = bodyOfCost(memory.largestBytes - extraBytes)
    this.#memory = memory
    this.#lease = lease
    this.#waiting = waiting
    this.#extraBytes = extraBytes
  }

  take(bytes: number): void | Promise<void> {
    const cost = this.#extraBytes + bodyCost(bytes)
    this.#extraBytes = 0
    return this.#memory.take(this.#lease, cost, this.#waiting)
  }

  give(bytes: number): void {
    this.#memory.give(this.#lease, bodyCost(bytes))
  }
}
