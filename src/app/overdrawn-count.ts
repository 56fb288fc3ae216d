import type { Clock } from '../lib/clock.ts'
import type { AdminStore } from '../store/ports/admin.ts'

const keptMs = 60_000

/**
 * How many accounts are overdrawn, for whoever must not wait: all accounts are looked through, at most
 * once a minute. `tick` is monotonic, in milliseconds.
 */
export function createOverdrawnCount(store: Pick<AdminStore, 'overdrawn'>, tick: Clock) {
  let count: number | undefined
  let askedAt = Number.NEGATIVE_INFINITY
  let asking: Promise<void> = Promise.resolve()

  async function ask(): Promise<void> {
    try {
      count = (await store.overdrawn({ atMost: 1 })).count
    } catch {
      count = undefined // the store is away, which others tell
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
