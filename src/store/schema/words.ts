/** What differs in the SQL of the two engines. */
export interface Words {
  readonly id: string
  readonly int: string
  readonly text: string
  readonly bytes: string
  readonly json: (name: string) => string
  readonly jsonOrNull: (name: string) => string
  /** A number of 0 or 1, not checked. */
  readonly small: string
  readonly flag: (name: string) => string
  /** Names a row of another table, which must exist. */
  readonly ref: (table: string) => string
  /**
   * The same in tables that a commit of requests writes. PostgreSQL has no constraint there: checking one
   * locks the named row, which all requests share. Its commit checks the rows, and named rows are never
   * deleted.
   */
  readonly hot: (table: string) => string
  /** Ends a table whose rows have an id, or a key; `room` is left on its pages, in %. */
  readonly rows: (room?: number) => string
  readonly keyed: (room?: number) => string
  /** Ends an index, so that its rows are in order of their ids. */
  readonly thenId: string
  /** Requests of an account, in order of their ids, or in blocks of them. */
  readonly ofAccount: string
  /** Requests and their attempts, which PostgreSQL has in partitions. */
  readonly partitioned: {
    readonly id: string
    /** The column that puts attempts into the partition of their request, and its part of their key. */
    readonly column: string
    readonly key: string
    readonly by: string
  }
}
