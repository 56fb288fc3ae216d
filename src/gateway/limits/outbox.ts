import type { Clock } from '../../lib/clock.ts'
import type { Change, Counters, HeldSlot } from '../../store/ports/counters.ts'
import { windowMs } from './sliding-window.ts'

export type Outbox = ReturnType<typeof createOutbox>

/** Bounds while the counters are unreachable; slots expire. */
const maxChanges = 100_000
const maxFreed = 10_000

type UnsentChange = { -readonly [Key in keyof Change]: Change[Key] }

/** Reports once per turn of the event loop, then calls `onReported` for what has room. */
export function createOutbox(
  counters: Pick<Counters, 'isUnavailable' | 'partAt' | 'report'>,
  tick: Clock,
  onReported: (names: ReadonlySet<string>) => void,
) {
  let changes = new Map<string, UnsentChange>()
  let freed: HeldSlot[] = []
  let planned: ReturnType<typeof setImmediate> | undefined

  /** Merged, a subject has about six hundred changes; expired ones are useless. */
  function forgetPassed(): void {
    const oldest = counters.partAt(tick() - windowMs)
    for (const [key, { part }] of changes) if (part <= oldest) changes.delete(key)
    if (changes.size > maxChanges) changes.clear()
  }

  function flush(): void {
    clearImmediate(planned)
    planned = undefined
    if (changes.size === 0 && freed.length === 0) return
    if (counters.isUnavailable()) {
      if (changes.size > maxChanges) forgetPassed()
      if (freed.length > maxFreed) freed = freed.slice(-maxFreed / 2)
      return
    }
    const report = { changes: [...changes.values()], freed }
    changes = new Map()
    freed = []
    // Not sent again: it may have arrived.
    counters.report(report).catch(() => {})
    onReported(new Set([...report.changes, ...report.freed].map(({ name }) => name)))
  }

  function add({ name, part, requests, llmTokens }: Change): void {
    const key = `${part} ${name}`
    const waiting = changes.get(key)
    if (waiting === undefined) changes.set(key, { name, part, requests, llmTokens })
    else {
      waiting.requests += requests
      waiting.llmTokens += llmTokens
    }
  }

  function plan(): void {
    planned ??= setImmediate(flush)
  }

  return {
    change(change: Change): void {
      add(change)
      plan()
    },
    /** Reports it with the next report, or by the next `flush`. */
    changeLater: add,
    free(name: string, slot: string): void {
      freed.push({ name, slot })
      plan()
    },
    flush,
    forgetChanges: (): void => changes.clear(),
  }
}
