import { randomUUID } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { entryLimit, expiresAfter } from '../../lib/cache-options.ts'
import { type Clock, type Repeat, repeatByTimer } from '../../lib/clock.ts'
import type {
  Admission,
  Admitted,
  Change,
  CoolingBoard,
  CoolingRow,
  Counters,
  HeldSlot,
  LimitCounters,
  SharedTexts,
  Shortage,
  Stock,
  StockLender,
} from '../../store/ports/counters.ts'
import { idText } from '../channels/cooling-table.ts'
import { PartWindow, partMs } from './part-window.ts'
import { fits } from './sliding-window.ts'
import { createStockLender } from './stock-lender.ts'

interface MemoryCountersParts {
  /** Monotonic, in milliseconds. */
  readonly tick: Clock
  /** How many processes count here. */
  readonly processes: () => number
  /** How long the slots of a process stay taken that has died. */
  readonly leaseMs?: number
  readonly repeat?: Repeat
}

const usualLeaseMs = 10_000
const cleanMs = 5_000

/** What processes of one machine count together, in the memory of one of them. */
export function createMemoryCounters(parts: MemoryCountersParts): Counters {
  const { tick, processes, leaseMs = usualLeaseMs, repeat = repeatByTimer } = parts
  // Parts are numbered by the time of day: a counter that starts anew goes on with them.
  const offsetMs = Date.now() - tick()
  const now = () => tick() + offsetMs
  const limits = limitCounters({ now, processes, leaseMs })
  const stop = repeat(limits.clean, cleanMs)
  return {
    admit: limits.admit,
    report: limits.report,
    stocks: limits.stocks,
    ...sharedTexts(),
    ...coolingBoard(now),
    isUnavailable: () => false,
    nodes: () => 1,
    partAt: (at) => Math.floor((at + offsetMs) / partMs),
    leaseMs,
    onBack() {},
    async close() {
      stop()
    },
  }
}

/** The end of a running request is unknown. */
const unknownMs = 1_000

interface LimitParts {
  readonly now: Clock
  readonly processes: () => number
  readonly leaseMs: number
}

function limitCounters(parts: LimitParts): LimitCounters & {
  readonly stocks: StockLender
  clean(): void
} {
  const { now, leaseMs } = parts
  const windows = new Map<string, PartWindow>()
  /** By name, then by slot: when its lease ends. */
  const slots = new Map<string, Map<string, number>>()

  const windowOf = (name: string) => windows.getOrInsertComputed(name, () => new PartWindow())
  const slotsOf = (name: string) => slots.getOrInsertComputed(name, () => new Map())

  function count(changes: readonly Change[], at: number): void {
    for (const { name, part, requests, llmTokens } of changes) {
      const window = windowOf(name)
      window.expire(at)
      window.change(part, requests, llmTokens, at)
    }
  }

  function takenOf(name: string, at: number): Stock {
    const window = windows.get(name)
    window?.expire(at)
    const held = slots.get(name)
    if (held) dropEnded(held, at)
    const { requests = 0, llmTokens = 0 } = window ?? {}
    return { requests, llmTokens, slots: held?.size ?? 0 }
  }

  const lender = createStockLender({ ...parts, takenOf, count })

  function shortagesOf({ counted, llmTokens }: Admission, at: number): readonly Shortage[] {
    const shortages: Shortage[] = []
    for (const [place, { name, limits }] of counted.entries()) {
      const { rpm, tpm, concurrency } = limits
      const lent = lender.lentOf(name)
      const add = (limit: Shortage['limit'], retryAfterMs: number) =>
        shortages.push({ at: place, limit, retryAfterMs })
      if (rpm !== null || tpm !== null) {
        const window = windowOf(name)
        window.expire(at)
        if (rpm !== null && !fits(window.requests + lent.requests, 1, rpm))
          add('rpm', window.roomIn('requests', 1, rpm, at))
        if (tpm !== null && !fits(window.llmTokens + lent.llmTokens, llmTokens, tpm))
          add('tpm', window.roomIn('llmTokens', llmTokens, tpm, at))
      }
      const lentSlots = lent.slots + lent.open
      if (concurrency !== null && isFull(slotsOf(name), concurrency - lentSlots, at))
        add('concurrency', unknownMs)
    }
    return shortages
  }

  function free({ name, slot }: HeldSlot): void {
    const held = slots.get(name)
    held?.delete(slot)
    if (held?.size === 0) slots.delete(name)
  }

  function tryAdmit(admission: Admission): Admitted {
    const at = now()
    const shortages = shortagesOf(admission, at)
    if (shortages.length > 0) return { ok: false, shortages }
    const { counted, llmTokens, slot } = admission
    const part = Math.floor(at / partMs)
    for (const { name, limits } of counted) {
      if (limits.rpm !== null || limits.tpm !== null) windowOf(name).change(part, 1, llmTokens, at)
      if (limits.concurrency !== null) slotsOf(name).set(slot, at + leaseMs)
    }
    return { ok: true, part }
  }

  return {
    stocks: lender.stocks,
    async admit(admission) {
      const admitted = tryAdmit(admission)
      if (admitted.ok) return admitted
      const names = new Set(admitted.shortages.map(({ at }) => admission.counted[at]?.name ?? ''))
      const returned = lender.lacking([...names])
      if (returned === undefined) return admitted
      await returned
      return tryAdmit(admission)
    },
    async report({ changes = [], freed = [], kept = [] }) {
      const at = now()
      count(changes, at)
      for (const one of freed) free(one)
      for (const { name, slot } of kept) slotsOf(name).set(slot, at + leaseMs)
    },
    clean() {
      lender.clean()
      const at = now()
      for (const [name, window] of windows) {
        window.expire(at)
        if (window.isEmpty()) windows.delete(name)
      }
      for (const [name, held] of slots) {
        dropEnded(held, at)
        if (held.size === 0) slots.delete(name)
      }
    },
  }
}

function isFull(held: Map<string, number>, most: number, now: number): boolean {
  if (held.size < most) return false
  dropEnded(held, now)
  return held.size >= most
}

function dropEnded(held: Map<string, number>, now: number): void {
  for (const [slot, until] of held) if (until <= now) held.delete(slot)
}

/** As long as a binding in memory, in milliseconds. */
const usualKeptMs = 3_600_000
/** More than all conversations of an hour on one machine. */
const mostTexts = 200_000

function sharedTexts(): SharedTexts {
  const texts = new LRUCache<string, string>({
    ...entryLimit(mostTexts),
    ...expiresAfter(usualKeptMs),
  })
  return {
    async get(name, keptMs = usualKeptMs) {
      const text = texts.get(name)
      if (text !== undefined) texts.set(name, text, { ttl: keptMs })
      return text
    },
    async set(name, text, keptMs = usualKeptMs) {
      texts.set(name, text, { ttl: keptMs })
    },
    async drop(name, beginning) {
      if (texts.peek(name)?.startsWith(beginning)) texts.delete(name)
    },
  }
}

/** How long rows stay after the last change, in milliseconds: longer than any cooldown. */
const rowsKeptMs = 7_200_000

function coolingBoard(now: Clock): CoolingBoard {
  const run = randomUUID()
  const rows = new Map<string, CoolingRow>()
  let version = 0
  let changedAt = 0
  return {
    async write(changed, ended) {
      if (now() - changedAt > rowsKeptMs) rows.clear()
      changedAt = now()
      for (const row of changed) rows.set(idText(row), row)
      for (const row of ended) {
        const known = rows.get(idText(row))
        if (known && known.since <= row.since) rows.delete(idText(row))
      }
      version++
    },
    async read(known) {
      const newest = `${run}.${version}`
      return known === newest ? undefined : { version: newest, rows: [...rows.values()] }
    },
  }
}
