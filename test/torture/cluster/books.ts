import type { Received } from '../clients.ts'
import { explainUncharged, explainUnfounded, type Rows, readRecords } from '../facts.ts'
import type { TortureUpstream } from '../upstream.ts'

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
  const byId = await readRecords(rows)
  const records = [...byId.values()]
  const charged = records.filter(({ amount }) => amount > 0)
  return {
    faults: [
      ...received.flatMap((one) => explainUncharged(one, byId.get(one.id))),
      ...explainUnfounded(charged, upstream),
      ...upstream.repeated.map((number) => `The upstream was asked ${number} twice.`),
    ],
    charged: charged.length,
    interrupted: records.filter(({ ending }) => ending === 'interrupted').length,
  }
}
