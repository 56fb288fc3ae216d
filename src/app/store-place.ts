import { placeOf } from '../store/postgres/tls.ts'
import type { PostgresConfig, StoreConfig } from './config/config.ts'

/** Whether a database is on a server, for several nodes, and not in a file beside this process. */
export const isOnServer = (store: StoreConfig): store is PostgresConfig => 'url' in store

/** How people are told of a database: its path, or its address without user and password. */
export const describeStore = (store: StoreConfig): string =>
  isOnServer(store) ? placeOf(store.url) : store.path

/** Where the spool of a database file lies, unless it is named. */
export const usualSpool = (path: string): string => `${path}.spool`

/** The path of a database file; undefined: it is on a server, or in memory. */
export const fileOf = (store: StoreConfig): string | undefined =>
  isOnServer(store) || store.path === ':memory:' ? undefined : store.path
