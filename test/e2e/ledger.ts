import { Database } from 'bun:sqlite'
import { join } from 'node:path'

/** A request's record with the ledger entry that charges it. */
export interface RecordedRequest {
  readonly request_id: string
  readonly client_protocol: string
  readonly status: number
  readonly cause: string | null
  readonly ending: string
  readonly input_tokens: number
  readonly output_tokens: number
  readonly estimated: number
  readonly amount_nano: number
  readonly model: string | null
  readonly first_byte_ms: number | null
  readonly duration_ms: number
  /** Signed as in the ledger; null when there is no entry. */
  readonly charged_nano: number | null
}

/** The database of a gateway, read beside it. */
export interface Ledger extends Disposable {
  records(): RecordedRequest[]
  record(requestId: string): RecordedRequest | undefined
  /** The attempts of a request, in their order. */
  attempts(requestId: string): { status: number | null; cause: string | null }[]
  /** The usage that each of its attempts has told, as JSON. */
  attemptUsage(requestId: string): (string | null)[]
  balanceNano(): number
  /** All that the ledger says about the one account. */
  sumNano(): number
  /** Ledger entries that charge; each request at most once, if all is well. */
  charges(): { request_id: string; amount_nano: number }[]
  /** What is set aside for requests under way, by the rows and by the one account. */
  reservations(): { request_id: string; amount_nano: number }[]
  reservedNano(): number
  /** SQLite's own judgement: `ok`. */
  integrity(): string
}

const selectRecords = `SELECT request.*, ledger.amount_nano AS charged_nano FROM request
  LEFT JOIN ledger ON ledger.request_id = request.request_id`

/** Opens the database of a gateway that runs, or ran, in `folder`; it changes nothing there. */
export function openLedger(folder: string): Ledger {
  const db = new Database(join(folder, 'tollgate.db'), { readonly: true })
  db.run('PRAGMA busy_timeout = 5000')
  const one = (sql: string) => Object.values(db.query(sql).get() as object)[0]
  return {
    records: () => db.query(`${selectRecords} ORDER BY request.id`).all() as RecordedRequest[],
    record: (id) =>
      (db.query(`${selectRecords} WHERE request.request_id = ?`).get(id) as RecordedRequest) ??
      undefined,
    attempts: (id) =>
      db
        .query(
          `SELECT attempt.status, attempt.cause FROM attempt
           JOIN request ON request.id = attempt.request_row
           WHERE request.request_id = ? ORDER BY position`,
        )
        .all(id) as { status: number | null; cause: string | null }[],
    attemptUsage: (id) =>
      db
        .query(
          `SELECT attempt.usage_raw FROM attempt JOIN request ON request.id = attempt.request_row
           WHERE request.request_id = ? ORDER BY position`,
        )
        .values(id)
        .map(([usage]) => usage as string | null),
    balanceNano: () => one('SELECT balance_nano FROM account') as number,
    sumNano: () => one('SELECT sum(amount_nano) FROM ledger') as number,
    charges: () =>
      db.query("SELECT request_id, amount_nano FROM ledger WHERE kind = 'charge'").all() as {
        request_id: string
        amount_nano: number
      }[],
    reservations: () =>
      db.query('SELECT request_id, amount_nano FROM reservation ORDER BY request_id').all() as {
        request_id: string
        amount_nano: number
      }[],
    reservedNano: () => one('SELECT reserved_nano FROM account') as number,
    integrity: () => one('PRAGMA integrity_check') as string,
    [Symbol.dispose]: () => db.close(),
  }
}
