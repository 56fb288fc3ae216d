import { systemClock } from '../lib/clock.ts'
import type { Store } from '../store/ports/store.ts'
import { openSqliteStore } from '../store/sqlite/open.ts'
import type { StoreConfig } from './config/config.ts'
import { isOnServer } from './store-place.ts'

/**
 * Opens the database that a configuration names, making it if there is none; throws `StoreError`, also
 * for one of a former version: only who is `toServe` with it brings it up to date (a file before: see
 * `upgrade`).
 */
export async function openStore(
  store: StoreConfig,
  { toServe }: { readonly toServe?: boolean } = {},
): Promise<Store> {
  if (!isOnServer(store)) return openSqliteStore({ ...store, clock: systemClock, toStay: true })
  // Nobody else pays for its driver.
  const { openPostgresStore } = await import('../store/postgres/open.ts')
  return openPostgresStore({ url: store.url, clock: systemClock, toServe })
}
