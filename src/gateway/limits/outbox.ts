import type { Clock } from '../../lib/clock.ts'
import type { Change, Counters, HeldSlot } from '../../store/ports/counters.ts'
import { windowMs } from './sliding-window.ts'

/** What is to be told to the counters that all nodes share; nobody waits for it. */
export interface Outbox {
  /** Counts more, or less, in a part of a window. */
  change(name: string, part: number, requests: number, llmTokens: number): void
  /** A slot is free again. */
  free(name: string, slot: string): void
  /** Tells what waits, unless the counters are away: then it waits on. */
  flush(): void
  /** What has changed is told otherwise. */
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
