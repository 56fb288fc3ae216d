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
