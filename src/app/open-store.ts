import { systemClock } from '../lib/clock.ts'
import type { Store } from '../store/ports/store.ts'
import { openSqliteStore } from '../store/sqlite/open.ts'
import type { StoreConfig } from './config/config.ts'
import { isOnServer } from './store-place.ts'

/**
 * Opens the database that a configuration names; throws `StoreError`. While a gateway of an older
 * program serves from it, only one that is `toServe` with it on a server may bring it up to date.
 */
export async function openStore(
  store: StoreConfig,
  { toServe }: { readonly toServe?: boolean } = {},
): Promise<Store> {
  if (!isOnServer(store)) return openSqliteStore({ ...store, clock: systemClock })
  // Nobody else pays for its driver.
  const { openPostgresStore } = await import('../store/postgres/open.ts')
  return openPostgresStore({ url: store.url, clock: systemClock, toServe })
}
