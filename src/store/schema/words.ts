/** What differs in the SQL of the two engines. */
export interface Words {
  /** A number that names a row, counted up by the database. */
  readonly id: string
  readonly int: string
  /** Text, which is compared byte for byte. */
  readonly text: string
  readonly bytes: string
  /** A column of JSON text that is refused when it is none. */
  readonly json: (name: string) => string
  readonly jsonOrNull: (name: string) => string
  /** A number of 0 or 1, not checked. */
  readonly small: string
  /** A column of 0 or 1. */
  readonly flag: (name: string) => string
  /** Names a row of another table, which must be there. */
  readonly ref: (table: string) => string
  /**
   * The same in tables that a commit of requests writes. PostgreSQL has no constraint there: checking one
   * locks the named row, which all requests share. Its commit looks for itself, and nothing that such
   * rows name is ever removed.
   */
  readonly hot: (table: string) => string
  /** Ends a table whose rows have an id, or are found by a key; `room` is left on its pages, in %. */
  readonly rows: (room?: number) => string
  readonly keyed: (room?: number) => string
  /** What an index ends with, so that its rows are in order of their ids. */
  readonly thenId: string
  /** Requests of an account, in order of their ids, or in blocks of them. */
  readonly ofAccount: string
  /** Requests and their attempts, which PostgreSQL has in partitions. */
  readonly partitioned: {
    /** As `id`. */
    readonly id: string
    /** The column by which attempts are in the partition of their request, and what it adds to their key. */
    readonly column: string
    readonly key: string
    /** Ends such a table. */
    readonly by: string
  }
}
