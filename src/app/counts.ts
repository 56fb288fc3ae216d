import type { Clock } from '../lib/clock.ts'
import type { AdminStore } from '../store/ports/admin.ts'

const slots = 60
const slotMs = 60_000

/** Attempts on a channel in the last hour. */
export interface RecentCounts {
  readonly attempts: number
  readonly failed: number
}

interface Counts {
  readonly attempts: Uint32Array
  readonly failed: Uint32Array
  minute: number
}

/** Recent attempts by channel, counted per minute. `tick` is monotonic. */
export function createRecentAttempts(tick: Clock) {
  const channels = new Map<number, Counts>()
  const now = () => Math.floor(tick() / slotMs)
  const slotsOf = () => new Uint32Array(slots)
  const none = (): Counts => ({ attempts: slotsOf(), failed: slotsOf(), minute: now() })

  function moveOn(counts: Counts): void {
    const minute = now()
    const passed = Math.min(minute - counts.minute, slots)
    for (let i = 0; i < passed; i++) {
      counts.attempts[(minute - i) % slots] = 0
      counts.failed[(minute - i) % slots] = 0
    }
    counts.minute = minute
  }

  function of(channelId: number): RecentCounts {
    const counts = channels.get(channelId)
    if (counts === undefined) return { attempts: 0, failed: 0 }
    moveOn(counts)
    const sum = (list: Uint32Array) => list.reduce((total, count) => total + count, 0)
    return { attempts: sum(counts.attempts), failed: sum(counts.failed) }
  }

  return {
    record(channelId: number, isFailure: boolean): void {
      const counts = channels.getOrInsertComputed(channelId, none)
      moveOn(counts)
      const slot = counts.minute % slots
      counts.attempts[slot] = (counts.attempts[slot] ?? 0) + 1
      if (isFailure) counts.failed[slot] = (counts.failed[slot] ?? 0) + 1
    },
    /** Of the last hour, or since the start. */
    of,
    all: (): ReadonlyMap<number, RecentCounts> =>
      new Map([...channels.keys()].map((channelId) => [channelId, of(channelId)])),
  }
}

const keptMs = 60_000

/** Counts overdrawn accounts at most once a minute. `tick` is monotonic, in milliseconds. */
export function createOverdrawnCount(store: Pick<AdminStore, 'overdrawn'>, tick: Clock) {
  let count: number | undefined
  let askedAt = Number.NEGATIVE_INFINITY
  let asking: Promise<void> = Promise.resolve()

  async function ask(): Promise<void> {
    try {
      count = (await store.overdrawn({ atMost: 1 })).count
    } catch {
      count = undefined // the store is unavailable, which is reported elsewhere
    }
  }

  return {
    read(): number | undefined {
      if (tick() - askedAt >= keptMs) {
        askedAt = tick()
        asking = ask()
      }
      return count
    },
    idle: () => asking,
  }
}
