import type { AdminStore } from './admin.ts'
import type { CatalogStore } from './catalog.ts'
import type { RecordStore } from './records.ts'
import type { TokenStore } from './tokens.ts'

/** One open database. */
export interface Store {
  readonly tokens: TokenStore
  readonly catalog: CatalogStore
  readonly records: RecordStore
  readonly admin: AdminStore
  /** True when another process has changed the database since the last call. Cheap: polled. */
  changedElsewhere(): Promise<boolean>
  close(): Promise<void>
}
