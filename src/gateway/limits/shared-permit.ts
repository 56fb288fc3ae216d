import type { Clock } from '../../lib/clock.ts'
import type { Change, Counted, Counters, HeldSlot } from '../../store/ports/counters.ts'
import type { Permit } from './permit.ts'
import { windowMs } from './sliding-window.ts'

/** What a request has taken of the limits that all nodes share. */
export interface SharedPlaces {
  readonly counted: readonly Counted[]
  readonly llmTokens: number
  readonly slot: string
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

/** A request's places within limits that all nodes share; ends are reported later. */
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

export const isWindowed = ({ rpm, tpm }: Counted['limits']) => rpm !== null || tpm !== null

/** What is to be told to the counters that all nodes share; nobody waits for it. */
export interface Outbox {
  /** Counts more, or less, in a part of a window. */
  change(name: string, part: number, requests: number, llmTokens: number): void
  free(name: string, slot: string): void
  flush(): void
  forgetChanges(): void
}

export interface OutboxParts {
  readonly counters: Pick<Counters, 'isAway' | 'partAt' | 'report'>
  readonly tick: Clock
  /** Told right behind what makes room for these. */
  readonly onTold: (names: ReadonlySet<string>) => void
}

/** While the counters are away, so much is kept; slots become free by themselves. */
const maxChanges = 100_000
const maxFreed = 10_000

type Waiting = { -readonly [Key in keyof Change]: Change[Key] }

/** Tells all that has come up in one turn of the event loop in one call. */
export function createOutbox({ counters, tick, onTold }: OutboxParts): Outbox {
  let changes = new Map<string, Waiting>()
  let freed: HeldSlot[] = []
  let planned: ReturnType<typeof setImmediate> | undefined

  /** Merged, it is some six hundred for each that is counted; what has passed is of no use. */
  function forgetPassed(): void {
    const oldest = counters.partAt(tick() - windowMs)
    for (const [key, { part }] of changes) if (part <= oldest) changes.delete(key)
    if (changes.size > maxChanges) changes.clear()
  }

  function flush(): void {
    clearImmediate(planned)
    planned = undefined
    if (changes.size === 0 && freed.length === 0) return
    if (counters.isAway()) {
      if (changes.size > maxChanges) forgetPassed()
      if (freed.length > maxFreed) freed = freed.slice(-maxFreed / 2)
      return
    }
    const report = { changes: [...changes.values()], freed }
    changes = new Map()
    freed = []
    // What may have arrived is not told twice.
    counters.report(report).catch(() => {})
    onTold(new Set([...report.changes, ...report.freed].map(({ name }) => name)))
  }

  function plan(): void {
    planned ??= setImmediate(flush)
  }

  return {
    change(name, part, requests, llmTokens) {
      const key = `${part} ${name}`
      const waiting = changes.get(key)
      if (waiting === undefined) changes.set(key, { name, part, requests, llmTokens })
      else {
        waiting.requests += requests
        waiting.llmTokens += llmTokens
      }
      plan()
    },
    free(name, slot) {
      freed.push({ name, slot })
      plan()
    },
    flush,
    forgetChanges: () => changes.clear(),
  }
}
