import { systemClock } from '../../lib/clock.ts'
import type { Store } from '../../store/ports/store.ts'
import { openSqliteStore } from '../../store/sqlite/open.ts'
import { createFindings, type Findings } from '../verify/findings.ts'
import { type Progress, type Verified, verify } from '../verify/verify.ts'
import type { StorePlace } from './place.ts'

/** What `tollgate verify` finds in the new place. */
export interface VerifiedMove {
  readonly verified: Verified
  readonly findings: Findings
}

type OpenStore = Partial<Pick<Store, 'verification'>> & Pick<Store, 'close'>

async function open(place: StorePlace): Promise<OpenStore> {
  if (place.engine === 'sqlite') return openSqliteStore({ path: place.path, clock: systemClock })
  const { openPostgresStore } = await import('../../store/postgres/open.ts')
  return openPostgresStore({ url: place.url, clock: systemClock })
}

/**
 * Recomputes all that the new place holds. What differs there differs in the old place, too, for both
 * are the same by then. Null: this engine's records can't be verified by this version.
 */
export async function verifyMoved(
  place: StorePlace,
  onProgress: (progress: Progress) => void,
): Promise<VerifiedMove | null> {
  const store = await open(place)
  try {
    if (store.verification === undefined) return null
    const findings = createFindings()
    const verified = await verify({
      store: store.verification,
      since: undefined,
      tick: () => performance.now(),
      onProgress,
      async onFound(found) {
        findings.add(found)
      },
    })
    return { verified, findings }
  } finally {
    await store.close()
  }
}
