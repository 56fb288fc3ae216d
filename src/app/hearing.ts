import type { Clock } from '../lib/clock.ts'
import type { ChangedElsewhere, Store } from '../store/ports/store.ts'

/** A connection that was lost is made anew sooner. */
const patienceMs = 5_000

interface HearingParts {
  readonly store: Pick<Store, 'changedElsewhere' | 'check'>
  /** Reads what others may have changed. */
  readonly readAnew: () => Promise<void>
  readonly tick: Clock
}

/** How this process hears of what others change in the database. */
export interface Hearing {
  /** Asks the store, and fails as it does. */
  changedElsewhere(): Promise<ChangedElsewhere>
  /** Whether that has failed for so long that no requests should be sent here. */
  isDeaf(): boolean
  /** Resolves when the store is not asked for anything any more. */
  idle(): Promise<void>
}

/**
 * While changes can't be heard of and the database answers otherwise, what may have changed is read again
 * and again. Where it does not answer at all, what is known is all there is.
 */
export function createHearing({ store, readAnew, tick }: HearingParts): Hearing {
  let failingSince: number | undefined
  let asking: Promise<void> | undefined

  async function readIfThere(): Promise<void> {
    try {
      await store.check()
      await readAnew()
    } catch {
      return // whoever asked for changes has heard why
    }
  }

  return {
    async changedElsewhere() {
      try {
        const isChanged = await store.changedElsewhere()
        failingSince = undefined
        return isChanged
      } catch (error) {
        failingSince ??= tick()
        // Not waited for: it may take longer than the next try.
        asking ??= readIfThere().finally(() => {
          asking = undefined
        })
        throw error
      }
    },
    isDeaf: () => failingSince !== undefined && tick() - failingSince >= patienceMs,
    idle: async () => {
      await asking
    },
  }
}
