import type { Clock } from '../../../lib/clock.ts'
import type { DatabasePlace, ReadingStore } from '../../../store/ports/store.ts'
import { openSqliteReading } from '../../../store/sqlite/open.ts'

/** Opens a database to read from it; throws `StoreError`. */
export async function openReading(place: DatabasePlace, clock: Clock): Promise<ReadingStore> {
  if ('path' in place) return openSqliteReading(place, clock)
  // Nobody else pays for its driver.
  const { openPostgresReading } = await import('../../../store/postgres/open.ts')
  return openPostgresReading(place, clock)
}
