import { systemClock } from '../lib/clock.ts'
import type { Store } from '../store/ports/store.ts'
import { openSqliteStore } from '../store/sqlite/open.ts'
import type { StoreConfig } from './config/config.ts'
import { isOnServer } from './store-place.ts'

/** Opens the database that a configuration names; throws `StoreError`. */
export async function openStore(store: StoreConfig): Promise<Store> {
  if (!isOnServer(store)) return openSqliteStore({ ...store, clock: systemClock })
  // Nobody else pays for its driver.
  const { openPostgresStore } = await import('../store/postgres/open.ts')
  return openPostgresStore({ url: store.url, clock: systemClock })
}
