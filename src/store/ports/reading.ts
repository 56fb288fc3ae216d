import type { AccountEdits } from './account-edits.ts'
import type { AdminStore } from './admin.ts'
import type { ListStore } from './lists.ts'
import type { RecordStore } from './records.ts'

/** Where another process finds a database: a file, or `postgres://user:password@host/database`. */
export type DatabasePlace = { readonly path: string } | { readonly url: string }

/** What of a store lists, charts and exports are made of; nothing is changed by it. */
export interface ReadingStore {
  readonly lists: ListStore
  readonly records: Pick<RecordStore, 'receipt'>
  readonly admin: Pick<AdminStore, 'accountsNamed' | 'counts' | 'overdrawn'>
  readonly edits: Pick<AccountEdits, 'findAccount'>
  close(): Promise<void>
}
