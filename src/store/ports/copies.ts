/** What a database holds, as told beside a backup. */
export interface Contents {
  /** Version of its tables. */
  readonly version: number
  readonly accounts: number
  readonly tokens: number
  readonly channels: number
  readonly requests: number
  readonly ledgerEntries: number
  /** Requests that were under way. */
  readonly reservations: number
  /** Ids of the newest rows; 0 when there is none. */
  readonly newestRequest: number
  readonly newestLedgerEntry: number
}

/** What is looked at, in this order. */
export type InspectionStep = 'structure' | 'balances' | 'contents'

export interface InspectOptions {
  /** Looks into every index too, and takes several times as long. */
  readonly thorough: boolean
  readonly onStep?: ((step: InspectionStep) => void) | undefined
}

/** Something encrypted in the database, and whose it is: `channel "main"`, `token 7`. */
export interface SealedKey {
  readonly owner: string
  readonly sealed: Uint8Array
}

/**
 * A database that is being copied or looked at while another process may be working on it. All of
 * it happens on a thread of its own. Everything rejects with a `StoreError` that names the path.
 */
export interface DatabaseFile {
  /** Bytes that a copy takes. */
  copyBytes(): Promise<number>
  /** Ids of the newest rows now: what a copy that begins later must have at least. */
  newest(): Promise<Pick<Contents, 'newestRequest' | 'newestLedgerEntry'>>
  /**
   * Writes all that is committed now into `file`, which must be empty. Writers go on meanwhile;
   * what they commit is not in the copy.
   */
  copyInto(file: string): Promise<void>
  /**
   * Checks that it is a database of ours, of no newer version, undamaged, and that every balance
   * is the sum of the account's ledger entries; tells what it holds.
   */
  inspect(options: InspectOptions): Promise<Contents>
  /** Keys of all channels, and of the newest tokens: whether a secret opens them can be tried. */
  sealedKeys(): Promise<readonly SealedKey[]>
  close(): Promise<void>
}
