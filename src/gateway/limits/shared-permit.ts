import type { Counted, HeldSlot } from '../../store/ports/counters.ts'
import type { Outbox } from './outbox.ts'
import type { Permit } from './permit.ts'

/** What a request has taken of the limits that all nodes share. */
export interface SharedPlaces {
  readonly counted: readonly Counted[]
  readonly llmTokens: number
  readonly slot: string
  /** The part of the windows that it counts in. */
  readonly part: number
  /** The same, counted by this node alone. */
  readonly local: Permit
}

export interface SharedPermitParts {
  readonly outbox: Outbox
  readonly partNow: () => number
  /** All that have not ended: their slots are kept. */
  readonly open: Set<SharedPermit>
}

/** A request's places within limits that all nodes share. Ends are told behind its back. */
export class SharedPermit implements Permit {
  readonly #parts: SharedPermitParts
  readonly #places: SharedPlaces
  #isUndone = false
  #isKnown = false

  constructor(parts: SharedPermitParts, places: SharedPlaces) {
    this.#parts = parts
    this.#places = places
    parts.open.add(this)
  }

  used(trueCount: number): void {
    if (this.#isKnown || this.#isUndone) return
    this.#isKnown = true
    const { outbox, partNow } = this.#parts
    const { counted, llmTokens, part, local } = this.#places
    local.used(trueCount)
    const more = trueCount - llmTokens
    if (more === 0) return
    for (const { name, limits } of counted) {
      if (limits.tpm !== null) outbox.change(name, more > 0 ? partNow() : part, 0, more)
    }
  }

  release(): void {
    if (!this.#parts.open.delete(this)) return
    this.#places.local.release()
    for (const { name, slot } of this.slots()) this.#parts.outbox.free(name, slot)
  }

  undo(): void {
    if (this.#isUndone) return
    this.#isUndone = true
    const { counted, llmTokens, part, local } = this.#places
    this.release()
    local.undo()
    for (const { name, limits } of counted) {
      if (isWindowed(limits)) this.#parts.outbox.change(name, part, -1, -llmTokens)
    }
  }

  /** The slots that it has while it has not ended. */
  slots(): readonly HeldSlot[] {
    const { counted, slot } = this.#places
    return counted
      .filter(({ limits }) => limits.concurrency !== null)
      .map(({ name }) => ({ name, slot }))
  }
}

/** Something is counted a minute. */
export const isWindowed = ({ rpm, tpm }: Counted['limits']) => rpm !== null || tpm !== null
