import type { AdminStore, TokenStore } from './admin.ts'
import type { AnswerStore, ResponseStore } from './answers.ts'
import type { AvailabilityStore } from './availability.ts'
import type { CatalogStore } from './catalog.ts'
import type { HealthStore } from './counters.ts'
import type { AccountEdits, EditStore } from './edits.ts'
import type { ListStore } from './lists.ts'
import type { NodeStore } from './nodes.ts'
import type { RecordStore } from './records.ts'
import type { SignInStore } from './sign-in.ts'
import type { VerificationStore } from './verification.ts'

/** Accounts and their tokens alone, or what else a node keeps in memory, too; false: nothing. */
export type ChangedElsewhere = false | 'accounts' | 'all'

export interface StoreFile {
  readonly path: string
  /** Why it can't be worked with: it is not in its place, or was changed. Asked each second. */
  trouble(): string | undefined
  /** Throws that `StoreError`, when the last look has found it in trouble. */
  require(): void
  /** Writes all that is stored into `file`, which must be empty, also while it is in trouble. */
  rescueInto(file: string): void
  /** How many gateways have served from it and ended in order since it was upgraded; null: it was made new. */
  endedRuns(): Promise<number | null>
  countRun(): Promise<void>
}

export interface Store {
  readonly tokens: TokenStore
  readonly catalog: CatalogStore
  readonly records: RecordStore
  readonly admin: AdminStore
  readonly edits: EditStore
  readonly verification: VerificationStore
  readonly answers: AnswerStore
  readonly responses: ResponseStore
  readonly lists: ListStore
  readonly health: HealthStore
  readonly availability: AvailabilityStore
  readonly signIn: SignInStore
  readonly nodes: NodeStore
  /** Undefined: one process alone can serve from it, and builds its documents itself. */
  readonly documents?: DocumentStore
  /** Undefined: it is in memory, where no other process finds it. */
  readonly place?: DatabasePlace
  /** Undefined: it is no file. */
  readonly file?: StoreFile
  /** What another process has changed in the database since the last call. Cheap: polled. */
  changedElsewhere(): Promise<ChangedElsewhere>
  /** Rejects when the database does not answer, or takes no writing. Cheap: asked every second. */
  check(): Promise<void>
  /** Takes the store for this process, until `close`: false while another one serves from it. */
  claimServing(): Promise<boolean>
  close(): Promise<void>
}

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

/** A public document as all nodes serve it, byte for byte. */
export interface SharedDocument {
  readonly body: Uint8Array
  readonly gzip: Uint8Array
  /** Milliseconds since 1970 (UTC), in whole seconds; later than that of every earlier version. */
  readonly lastModifiedMs: number
}

export interface DocumentStore {
  /** Whether this node builds. It becomes the leader when there is none, until its connection ends. */
  leads(): Promise<boolean>
  isLeading(): boolean
  /** `lastModifiedMs` of what is stored under a name; undefined: nothing is. */
  lastModifiedMs(name: string): Promise<number | undefined>
  read(name: string): Promise<SharedDocument | undefined>
  /** For the leader; notifies all others. Throws when this node is no longer the leader. */
  write(name: string, document: SharedDocument): Promise<void>
}
