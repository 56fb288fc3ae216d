import type { Counted, HeldSlot } from '../../store/ports/counters.ts'
import type { Outbox } from './outbox.ts'
import type { PermitReporter } from './permit.ts'
import { isWindowed } from './stock.ts'

/** What a request holds of the shared limits. */
export interface SharedHold {
  readonly counted: readonly Counted[]
  readonly llmTokens: number
  readonly slot: string
  readonly part: number
}

/** A request's share of limits that nodes share; the outbox reports its changes in the background. */
export class SharedPermit implements PermitReporter {
  readonly #held: SharedHold
  readonly #open: Set<SharedPermit>
  readonly #outbox: Outbox
  readonly #partNow: () => number

  /** `open`: unreleased permits, whose slots are renewed. */
  constructor(held: SharedHold, open: Set<SharedPermit>, outbox: Outbox, partNow: () => number) {
    this.#held = held
    this.#open = open
    this.#outbox = outbox
    this.#partNow = partNow
    open.add(this)
  }

  used(more: number): void {
    const { counted, part } = this.#held
    for (const { name, limits } of counted) {
      if (limits.tpm === null) continue
      const counting = more > 0 ? this.#partNow() : part
      this.#outbox.change({ name, part: counting, requests: 0, llmTokens: more })
    }
  }

  released(): void {
    this.#open.delete(this)
    for (const { name, slot } of this.slots()) this.#outbox.free(name, slot)
  }

  undone(): void {
    const { counted, llmTokens, part } = this.#held
    for (const { name, limits } of counted) {
      if (isWindowed(limits))
        this.#outbox.change({ name, part, requests: -1, llmTokens: -llmTokens })
    }
  }

  slots(): readonly HeldSlot[] {
    const { counted, slot } = this.#held
    return counted
      .filter(({ limits }) => limits.concurrency !== null)
      .map(({ name }) => ({ name, slot }))
  }
}
