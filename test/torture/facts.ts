import type { Database } from 'bun:sqlite'
import { costOf } from './asks.ts'
import type { Received } from './clients.ts'
import { type TortureUpstream, upstreamId } from './upstream.ts'

/** What is stored of a request. */
export interface Recorded {
  readonly ending: string
  readonly status: number
  readonly amount: number
  readonly charged: number | null
  readonly upstream: string | null
}

const selectRecord = `
SELECT ending, status, request.amount_nano AS amount, ledger.amount_nano AS charged,
  (SELECT upstream_request_id FROM attempt WHERE request_row = request.id) AS upstream
FROM request LEFT JOIN ledger USING (request_id) WHERE request_id = ?`

/** Answers that a client got whole, and that are not charged as they should be. */
export function findUncharged(db: Database, received: readonly Received[]): string[] {
  const find = db.prepare<Recorded, [string]>(selectRecord)
  return received.flatMap((one) => explainUncharged(one, find.get(one.id)))
}

/** What is wrong with the record of an answer that a client got whole; nothing where all is well. */
export function explainUncharged({ id, ask }: Received, record: Recorded | null): string[] {
  const cost = costOf(ask)
  const isRight =
    record !== null &&
    record.amount === cost &&
    record.charged === -cost &&
    record.status === 200 &&
    record.upstream === upstreamId(ask.number) &&
    ['complete', 'client_left'].includes(record.ending)
  if (isRight) return []
  const { number, kind, payer, dialect } = ask
  const what = JSON.stringify({ id, number, kind, payer, dialect: dialect.name, cost, record })
  return [`Received whole, and not charged just that: ${what}`]
}

const selectCharged = `
SELECT request.id AS row, request.request_id AS id, ending,
  group_concat(attempt.upstream_request_id) AS upstream
FROM request LEFT JOIN attempt ON attempt.request_row = request.id
WHERE request.id > ? AND amount_nano > 0 GROUP BY request.id ORDER BY request.id`

/** Charged requests that the upstream has never answered, of those stored after row `after`. */
export function findUnfounded(db: Database, upstream: TortureUpstream, after: number) {
  const rows = db
    .query<{ row: number; id: string; ending: string; upstream: string | null }, [number]>(
      selectCharged,
    )
    .all(after)
  return { last: rows.at(-1)?.row ?? after, faults: explainUnfounded(rows, upstream) }
}

/** Of charged requests, those whose answer the upstream has never begun. */
export function explainUnfounded(
  charged: readonly { readonly upstream: string | null }[],
  { answered }: TortureUpstream,
): string[] {
  const known = (upstream: string | null) =>
    upstream !== null && answered.has(Number(upstream.slice(upstreamId(0).length - 1)))
  return charged
    .filter(({ upstream }) => !known(upstream))
    .map((row) => `Charged without an answer of the upstream: ${JSON.stringify(row)}`)
}

/** Ids of the requests that are recorded as interrupted. */
export function readInterrupted(db: Database): Set<string> {
  const rows = db
    .query<{ id: string }, []>(
      "SELECT request_id AS id FROM request WHERE ending = 'interrupted' AND cause = 'interrupted'",
    )
    .all()
  return new Set(rows.map(({ id }) => id))
}

/** Ids of the requests that have a reservation. */
export function readReserved(db: Database): Set<string> {
  const rows = db.query<{ id: string }, []>('SELECT request_id AS id FROM reservation').all()
  return new Set(rows.map(({ id }) => id))
}

/** How often each credit stands in the ledger, by its key. */
export function readCredits(db: Database): Map<string, number> {
  const rows = db
    .query<{ key: string; count: number }, []>(
      "SELECT idempotency_key AS key, count(*) AS count FROM ledger WHERE kind = 'credit' GROUP BY 1",
    )
    .all()
  return new Map(rows.map(({ key, count }) => [key, count]))
}
