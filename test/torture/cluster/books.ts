import { broken, rulesFor } from '../audit.ts'
import type { Received } from '../clients.ts'
import { explainUncharged, explainUnfounded, type Recorded } from '../facts.ts'
import type { TortureUpstream } from '../upstream.ts'

/** Asks the database that the nodes share. */
export type Rows = <Row extends object>(sql: string) => Promise<readonly Row[]>

/** Which promises the database breaks, with some of the rows that show it. */
export async function findFaultsIn(rows: Rows, isAtRest: boolean): Promise<string[]> {
  const faults: string[] = []
  for (const [promise, sql] of rulesFor('postgres', isAtRest))
    faults.push(...broken(promise, await rows<object>(sql)))
  return faults
}

const selectRecords = `
SELECT request_id AS id, ending, status, request.amount_nano AS amount,
  ledger.amount_nano AS charged,
  (SELECT string_agg(upstream_request_id, ',') FROM attempt WHERE request_row = request.id) AS upstream
FROM request LEFT JOIN ledger USING (request_id)`

/** What came of a run, by its records. */
export interface Books {
  readonly faults: readonly string[]
  readonly charged: number
  readonly interrupted: number
}

/** Holds what clients got and what the upstream answered against all that is recorded. */
export async function readBooks(
  rows: Rows,
  received: readonly Received[],
  upstream: TortureUpstream,
): Promise<Books> {
  const records = await rows<Recorded & { readonly id: string }>(selectRecords)
  const byId = new Map(records.map((record) => [record.id, record]))
  const charged = records.filter(({ amount }) => amount > 0)
  return {
    faults: [
      ...received.flatMap((one) => explainUncharged(one, byId.get(one.id) ?? null)),
      ...explainUnfounded(charged, upstream),
      ...upstream.repeated.map((number) => `The upstream was asked ${number} twice.`),
    ],
    charged: charged.length,
    interrupted: records.filter(({ ending }) => ending === 'interrupted').length,
  }
}
