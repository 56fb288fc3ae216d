import { systemClock } from '../lib/clock.ts'
import type { Store } from '../store/ports/store.ts'
import type { MigrateOptions } from '../store/postgres/migrate.ts'
import { placeOf } from '../store/postgres/tls.ts'
import { openSqliteStore } from '../store/sqlite/open.ts'
import type { PostgresConfig, StoreConfig } from './config/config.ts'

/** Whether a database is on a server, for several nodes. */
export const isOnServer = (store: StoreConfig): store is PostgresConfig => 'url' in store

/** A database in messages: its path, or its address without user and password. */
export const describeStore = (store: StoreConfig): string =>
  isOnServer(store) ? placeOf(store.url) : store.path

/** Default place of a database file's spool. */
export const usualSpool = (path: string): string => `${path}.spool`

/** The path of a database file; undefined: it is on a server, or in memory. */
export const fileOf = (store: StoreConfig): string | undefined =>
  isOnServer(store) || store.path === ':memory:' ? undefined : store.path

/** Opens the database, creating it if missing. Only a process `toServe` upgrades an older one. */
export async function openStore(store: StoreConfig, upgrade: MigrateOptions = {}): Promise<Store> {
  if (!isOnServer(store)) return openSqliteStore({ ...store, clock: systemClock, toStay: true })
  // Loads the driver only when needed.
  const { openPostgresStore } = await import('../store/postgres/open.ts')
  return openPostgresStore({ url: store.url, clock: systemClock, ...upgrade })
}
