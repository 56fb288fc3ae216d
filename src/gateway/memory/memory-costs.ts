import { mostHeldPerReader } from '../outbound/paced-call.ts'
import type { Lease, MemoryBudget, Waiting } from './memory-budget.ts'

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
export const bodyOfCost = (costBytes: number): number => Math.floor(costBytes / timesHeld)

/** A file that is fetched, while it is read and written in base64. */
export const fileCost = (lengthBytes: number): number => 3 * lengthBytes

/** Its parsed value, its translation and what is written of it: 4 to 6 times its length … */
const timesWorkedOn = 6
/** … and for each value in it. A body of 12 MB may have a million of them. */
const ofValue = 400

/** What work on a whole body takes on the other thread, where one is worked on at a time. */
export const workCost = (lengthBytes: number, values: number): number =>
  timesWorkedOn * lengthBytes + ofValue * values

/** What is taken of the budget for a body, by its length. */
export interface BodyMemory {
  /** So many more bytes of it come. Throws the refusal. */
  take(bytes: number): void | Promise<void>
  give(bytes: number): void
  /** The longest body that there is ever room for. */
  readonly mostBytes: number
}

/** `beside`: what is taken with the first of it. */
export const leaseMemory = (
  memory: MemoryBudget,
  lease: Lease,
  waiting: Waiting,
  beside = 0,
): BodyMemory => new LeasedMemory(memory, lease, waiting, beside)

class LeasedMemory implements BodyMemory {
  readonly mostBytes: number
  readonly #memory: MemoryBudget
  readonly #lease: Lease
  readonly #waiting: Waiting
  #beside: number

  constructor(memory: MemoryBudget, lease: Lease, waiting: Waiting, beside: number) {
    this.mostBytes = bodyOfCost(memory.largestBytes - beside)
    this.#memory = memory
    this.#lease = lease
    this.#waiting = waiting
    this.#beside = beside
  }

  take(bytes: number): void | Promise<void> {
    const cost = this.#beside + bodyCost(bytes)
    this.#beside = 0
    return this.#memory.take(this.#lease, cost, this.#waiting)
  }

  give(bytes: number): void {
    this.#memory.give(this.#lease, bodyCost(bytes))
  }
}
