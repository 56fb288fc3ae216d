import { costOf } from './asks.ts'
import type { Received } from './clients.ts'
import { type TortureUpstream, upstreamId } from './upstream.ts'

/** Asks the database of a torture. */
export type Rows = <Row extends object>(
  sql: string,
  ...values: readonly (string | number | null)[]
) => Promise<readonly Row[]>

/** What is stored of a request. */
export interface Recorded {
  readonly ending: string
  readonly status: number
  readonly amount: number
  readonly charged: number | null
  readonly upstream: string | null
}

const selectRecords = `
SELECT request_id AS id, ending, status, request.amount_nano AS amount,
  ledger.amount_nano AS charged,
  (SELECT string_agg(upstream_request_id, ',') FROM attempt WHERE request_row = request.id) AS upstream
FROM request LEFT JOIN ledger USING (request_id)`

/** The records of all requests, by their ids. */
export async function readRecords(rows: Rows): Promise<ReadonlyMap<string, Recorded>> {
  const records = await rows<Recorded & { readonly id: string }>(selectRecords)
  return new Map(records.map((record) => [record.id, record]))
}

/** Answers that a client got whole, and that are not charged as they should be. */
export async function findUncharged(rows: Rows, received: readonly Received[]): Promise<string[]> {
  const records = await readRecords(rows)
  return received.flatMap((one) => explainUncharged(one, records.get(one.id)))
}

/** What is wrong with the record of an answer that a client got whole; nothing where all is well. */
export function explainUncharged({ id, ask }: Received, record: Recorded | undefined): string[] {
  const cost = costOf(ask)
  const isRight =
    record !== undefined &&
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
  string_agg(attempt.upstream_request_id, ',') AS upstream
FROM request LEFT JOIN attempt ON attempt.request_row = request.id
WHERE request.id > ? AND amount_nano > 0 GROUP BY request.id ORDER BY request.id`

/** Charged requests that the upstream has never answered, of those stored after row `after`. */
export async function findUnfounded(rows: Rows, upstream: TortureUpstream, after: number) {
  const charged = await rows<{ row: number; id: string; upstream: string | null }>(
    selectCharged,
    after,
  )
  return { last: charged.at(-1)?.row ?? after, faults: explainUnfounded(charged, upstream) }
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
export async function readInterrupted(rows: Rows): Promise<Set<string>> {
  const found = await rows<{ id: string }>(
    "SELECT request_id AS id FROM request WHERE ending = 'interrupted' AND cause = 'interrupted'",
  )
  return new Set(found.map(({ id }) => id))
}

/** Ids of the requests that have a reservation. */
export async function readReserved(rows: Rows): Promise<Set<string>> {
  const found = await rows<{ id: string }>('SELECT request_id AS id FROM reservation')
  return new Set(found.map(({ id }) => id))
}

/** How often each credit stands in the ledger, by its key. */
export async function readCredits(rows: Rows): Promise<Map<string, number>> {
  const found = await rows<{ key: string; count: number }>(
    "SELECT idempotency_key AS key, count(*) AS count FROM ledger WHERE kind = 'credit' GROUP BY 1",
  )
  return new Map(found.map(({ key, count }) => [key, count]))
}
