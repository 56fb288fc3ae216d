import { type RawBuilder, sql } from 'kysely'
import { all, type Steps } from '../steps.ts'

/** What finds the rows of a list in order of their ids; by times it finds where these begin. */
export type ListIndex =
  | 'request_id'
  | 'request_account'
  | 'request_failed'
  | 'request_created_at'
  | 'attempt_failed'
  | 'ledger_account'
  | 'ledger_by_hand'
  | 'ledger_created_at'
  | 'audit_subject'
  | 'token_account'

/** Where lists are read: a database, away from what requests need of it. */
export interface ListSource {
  /** Rejects with `ListsBusy` when it has too much to do, and with `StoreError`. */
  read<Result>(steps: () => Steps<Result>): Promise<Result>
  /** A table as it stands in a FROM clause, with its index where the database must be told. */
  from(table: string, index: ListIndex | undefined): RawBuilder<unknown>
  /**
   * Set: this index gives its rows in order of their ids only within blocks of them, whose number is
   * the id without so many bits.
   */
  blockBits(index: ListIndex): number | undefined
  /** A step of a search over so many ids that took less is followed by a larger one, in milliseconds. */
  readonly quickMs: number
  /**
   * The newest request before which none can appear any more: such a one would never be found by who
   * asks for those behind it. `sinceRow`: none is asked for up to this one.
   */
  newestRequest(sinceRow: number | undefined): Promise<number>
}

/** The rows of one statement. */
export const read = <Row>(source: ListSource, query: RawBuilder<Row>): Promise<readonly Row[]> =>
  source.read(() => all(query))

/** The largest id of a table; 0: it is empty. */
export async function lastId(source: ListSource, table: string, id: string): Promise<number> {
  const [row] = await read(
    source,
    sql<{ id: number | null }>`SELECT max(${sql.raw(id)}) AS id FROM ${sql.raw(table)}`,
  )
  return row?.id ?? 0
}
