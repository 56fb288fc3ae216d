import type { Clock } from '../lib/clock.ts'
import type { Store } from '../store/ports/store.ts'

/** A connection that was lost is made anew sooner. */
const patienceMs = 5_000

interface HearingParts {
  readonly store: Pick<Store, 'changedElsewhere' | 'check'>
  /** Forgets what the database is to be asked for again. */
  readonly forget: () => void
  readonly tick: Clock
}

/** How this process hears of what others change in the database. */
export interface Hearing {
  /** Asks the store, and fails as it does. */
  changedElsewhere(): Promise<boolean>
  /** Whether that has failed for so long that no requests should be sent here. */
  isDeaf(): boolean
  /** Resolves when the store is not asked for anything any more. */
  idle(): Promise<void>
}

/**
 * While changes can't be heard of and the database answers otherwise, nothing that may have changed is
 * kept. Where it does not answer at all, what is known is all there is.
 */
export function createHearing({ store, forget, tick }: HearingParts): Hearing {
  let failingSince: number | undefined
  let asking: Promise<void> | undefined

  async function forgetIfThere(): Promise<void> {
    const isThere = await store.check().then(
      () => true,
      () => false,
    )
    if (isThere) forget()
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
        asking ??= forgetIfThere().finally(() => {
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
