import { openTables, type Tables } from '../support/tables.ts'

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
export interface Ledger extends AsyncDisposable {
  records(): Promise<RecordedRequest[]>
  record(requestId: string): Promise<RecordedRequest | undefined>
  /** The attempts of a request, in their order. */
  attempts(requestId: string): Promise<{ status: number | null; cause: string | null }[]>
  /** The usage that each of its attempts has told, as JSON. */
  attemptUsage(requestId: string): Promise<(string | null)[]>
  balanceNano(): Promise<number>
  /** All that the ledger says about the one account. */
  sumNano(): Promise<number>
  /** Ledger entries that charge; each request at most once, if all is well. */
  charges(): Promise<{ request_id: string; amount_nano: number }[]>
  /** What is set aside for requests under way, by the rows and by the one account. */
  reservations(): Promise<{ request_id: string; amount_nano: number }[]>
  reservedNano(): Promise<number>
  /** The engine's own judgement of what is stored: `ok`. */
  integrity(): Promise<string>
}

const selectRecords = `SELECT request.*, ledger.amount_nano AS charged_nano FROM request
  LEFT JOIN ledger ON ledger.request_id = request.request_id`

const ofAttempts = `FROM attempt JOIN request ON request.id = attempt.request_row
  WHERE request.request_id = ? ORDER BY position`

/** Opens the database of a gateway that runs, or ran, in `folder`; it changes nothing there. */
export const openLedger = (folder: string): Ledger => readLedger(openTables(folder))

/** The same of tables that are open; they are closed with it. */
export function readLedger(tables: Tables): Ledger {
  const { rows, one } = tables
  return {
    records: () => rows(`${selectRecords} ORDER BY request.id`),
    async record(id) {
      const [found] = await rows<RecordedRequest>(
        `${selectRecords} WHERE request.request_id = ?`,
        id,
      )
      return found
    },
    attempts: (id) => rows(`SELECT attempt.status, attempt.cause ${ofAttempts}`, id),
    async attemptUsage(id) {
      const found = await rows<{ usage: string | null }>(
        `SELECT attempt.usage_raw AS usage ${ofAttempts}`,
        id,
      )
      return found.map(({ usage }) => usage)
    },
    balanceNano: async () => (await one('SELECT balance_nano FROM account')) as number,
    sumNano: async () => (await one('SELECT sum(amount_nano) FROM ledger')) as number,
    charges: () => rows("SELECT request_id, amount_nano FROM ledger WHERE kind = 'charge'"),
    reservations: () => rows('SELECT request_id, amount_nano FROM reservation ORDER BY request_id'),
    reservedNano: async () => (await one('SELECT reserved_nano FROM account')) as number,
    integrity: () => tables.judge(),
    [Symbol.asyncDispose]: () => tables[Symbol.asyncDispose](),
  }
}
