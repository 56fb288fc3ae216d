import type { Database } from 'bun:sqlite'

/** A request that is tampered with, and what belongs to it. */
export interface Victim {
  readonly id: number
  readonly request_id: string
  readonly account_id: number
  readonly token_id: number
  readonly day: string
  readonly model: string
  readonly amount_nano: number
  readonly output_tokens: number
  readonly price_id: number
  /** Its ledger entry, and the one after that of its account. */
  readonly entry: number
  readonly next: number
}

interface Named {
  readonly id: number
  readonly request_id: string
}

/** Rows that are there to be tampered with. */
export interface Victims {
  /** Charged by tokens, with cached input, by what its upstream reported. */
  readonly victim: Victim
  /** The same, above the threshold of a tier. */
  readonly long: Victim
  /** Of a model whose price has changed before. */
  readonly late: Victim
  readonly refused: Named & { readonly token_id: number; readonly day: string }
  /** Has three attempts or more. */
  readonly retried: Named
  readonly credit: { readonly id: number; readonly account_id: number; readonly next: number }
  /** Requests of the victim's price: those that its output price has a part in, and all. */
  readonly ofPrice: readonly string[]
  readonly allOfPrice: readonly string[]
}

const nextEntry =
  '(SELECT min(later.id) FROM ledger AS later ' +
  'WHERE later.account_id = ledger.account_id AND later.id > ledger.id)'

const hasEarlier =
  'EXISTS (SELECT 1 FROM ledger AS earlier WHERE earlier.account_id = ledger.account_id ' +
  "AND earlier.id < ledger.id AND earlier.kind = 'charge')"

const selectVictim = `
SELECT request.*, ledger.id AS entry, date(request.created_at / 1000, 'unixepoch') AS day,
  ${nextEntry} AS next
FROM request JOIN ledger ON ledger.request_id = request.request_id
WHERE usage_raw IS NOT NULL AND clamped = 0 AND next IS NOT NULL AND output_tokens > 10`

/** Picks the rows from a clean database. */
export function findVictims(db: Database): Victims {
  const get = (sql: string): unknown => {
    const row = db.query(`${sql} LIMIT 1`).get()
    if (row === null) throw new Error(`nothing to tamper with: ${sql}`)
    return row
  }
  const victim = get(
    `${selectVictim} AND cache_read_tokens > 100 AND tier_above IS NULL AND ${hasEarlier}`,
  ) as Victim
  const attempts = '(SELECT count(*) FROM attempt WHERE request_row = request.id)'
  const idsOf = (condition: string) => {
    const text = `SELECT * FROM request WHERE price_id = ? AND ${condition}`
    return (db.query(text).all(victim.price_id) as Named[]).map(({ request_id }) => request_id)
  }
  return {
    victim,
    long: get(`${selectVictim} AND tier_above IS NOT NULL AND long_context_pricing = 1`) as Victim,
    late: get(`${selectVictim} AND tier_above IS NULL AND price_id >
      (SELECT min(id) FROM model_price WHERE model_price.model = request.model)
      ORDER BY request.id DESC`) as Victim,
    refused: get(
      "SELECT *, date(created_at / 1000, 'unixepoch') AS day FROM request WHERE ending = 'refused'",
    ) as Victims['refused'],
    retried: get(`SELECT * FROM request WHERE ${attempts} >= 3`) as Named,
    credit: get(
      `SELECT ledger.*, ${nextEntry} AS next FROM ledger WHERE kind = 'credit'`,
    ) as Victims['credit'],
    ofPrice: idsOf('output_tokens > 0 AND tier_above IS NULL'),
    allOfPrice: idsOf("ending <> 'interrupted'"),
  }
}

/** One way to falsify the records, and all that must be said about it. */
export interface Tampering {
  readonly change: (db: Database, victims: Victims) => unknown
  /** Kind and row of everything that differs then. */
  readonly expected: (victims: Victims) => readonly string[]
  /** In the description of one of them. */
  readonly text: (victims: Victims) => RegExp
}

/** Tamperings by name. */
export type Tamperings = { readonly [name: string]: Tampering }

/** How an account of the made database is called. */
export const accountRow = (id: number) => `account ${id} (account-${id}@example.com)`

/** How the daily sum that a request belongs to is called. */
export const dayRow = ({ token_id, day, model }: Victim) =>
  `usage_day of token ${token_id}, ${day}, model "${model}"`

/** How that day's sum of all tokens is called. */
export const totalRow = ({ day, model }: Victim) => `usage_total of ${day}, model "${model}"`
