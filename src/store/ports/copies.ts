export interface Contents {
  readonly version: number
  readonly accounts: number
  readonly tokens: number
  readonly channels: number
  readonly requests: number
  readonly ledgerEntries: number
  readonly reservations: number
  /** Ids of the newest rows; 0 when there is none. */
  readonly newestRequest: number
  readonly newestLedgerEntry: number
}

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

/** A database that is copied or looked at on another thread. Rejects with a `StoreError`. */
export interface DatabaseFile {
  copyBytes(): Promise<number>
  /** Ids of the newest rows now: what a copy that begins later must have at least. */
  newest(): Promise<Pick<Contents, 'newestRequest' | 'newestLedgerEntry'>>
  /** How many requests were charged after a ledger entry. */
  chargedSince(ledgerEntry: number): Promise<number>
  /** Writes all that is committed now into an empty `file`, while writers go on. */
  copyInto(file: string): Promise<void>
  /** Checks that it is ours, of no newer version, undamaged, and that balances fit the ledger. */
  inspect(options: InspectOptions): Promise<Contents>
  /** Keys of all channels, and of the newest tokens: whether a secret opens them can be tried. */
  sealedKeys(): Promise<readonly SealedKey[]>
  close(): Promise<void>
}

export interface MovedTable {
  readonly name: string
  /** Its primary key: rows are read, written and compared in this order. */
  readonly key: readonly string[]
  /** Columns of money whose sums are reported, in nano-USD. */
  readonly money?: readonly string[]
  /** Columns that stay empty in the new place, which does not know what they name. */
  readonly without?: readonly string[]
  /** PostgreSQL keeps it in parts: its name is a view there, its rows go into this table. */
  readonly partsTable?: string
}

/** One value: whole numbers to 2^53 - 1. */
export type MovedValue = string | number | Uint8Array | null

/** A row to copy: its columns, in the order of the SELECT. */
export type MovedRow = Readonly<Record<string, MovedValue>>

/** Values of a table's key. */
export type MovedKey = readonly MovedValue[]

export interface WantedRows {
  readonly table: MovedTable
  readonly columns: readonly string[]
  /** Key of the row that they come after; undefined: from the first one on. */
  readonly after: MovedKey | undefined
  readonly limit: number
}

/** What both ends of a move can do. Everything rejects with a `StoreError` that names the place. */
export interface MovePlace {
  /** Shown in messages: without user and password. */
  readonly place: string
  /** The same for one database, by whatever name it was reached. */
  readonly identity: string
  /** What is moved of a table, by name. Empty: there is no such table. */
  columns(table: MovedTable): Promise<readonly string[]>
  rows(wanted: WantedRows): Promise<readonly MovedRow[]>
  close(): Promise<void>
}

/** How much a table holds; the id of its newest row, where it has ids. */
export interface TableExtent {
  readonly table: string
  readonly rows: number
  readonly newest: number | null
}

/** Where rows come from: one and the same state for as long as it is open. It is never changed. */
export interface MoveSource extends MovePlace {
  extent(): Promise<readonly TableExtent[]>
  sealedKeys(): Promise<readonly SealedKey[]>
  /** Whether others have changed it since it was opened, as far as that can be seen. */
  isChanged(): Promise<boolean>
}

export interface MovedSoFar {
  readonly table: string
  readonly after: MovedKey
  readonly rows: number
}

export interface BegunMove {
  readonly source: string
  readonly extent: readonly TableExtent[]
  /** Undefined: nothing was moved yet. */
  readonly soFar: MovedSoFar | undefined
}

/** The target of a move. Until the move is finished it can't be opened for anything else. */
export interface MoveTarget extends MovePlace {
  /** What an earlier run of a move has left; undefined: it is empty. */
  readonly begun: BegunMove | undefined
  /** Whether texts may hold U+0000. */
  readonly takesNul: boolean
  begin(move: Omit<BegunMove, 'soFar'>): Promise<void>
  /** Adds rows and keeps how far it is, in one transaction. */
  append(table: MovedTable, rows: readonly MovedRow[], soFar: MovedSoFar): Promise<void>
  /** Takes out all that an unfinished move has left, and the mark of it. */
  clear(): Promise<void>
  /** Makes it ready to be served from. */
  finish(): Promise<void>
}
