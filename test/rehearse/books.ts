import type { Rows } from './world.ts'

// What is stored, as the judge reads it: all figures as bigint, whatever the engine gives.

export interface RequestRow {
  readonly row: bigint
  readonly id: string
  readonly ending: string
  readonly status: number
  readonly amount: bigint
  readonly email: string
  /** How its attempts name the upstream's side: `upstream-17-3`. */
  readonly upstream: readonly string[]
}

export interface LedgerRow {
  readonly row: bigint
  readonly kind: string
  readonly id: string | undefined
  readonly amount: bigint
  readonly after: bigint
  readonly email: string
}

/** The money of one account, summed by the database. */
export interface AccountRow {
  readonly email: string
  readonly balance: bigint
  readonly reserved: bigint
  /** What of that processes may promise to requests without asking. */
  readonly leased: bigint
  readonly limit: bigint
  readonly ledger: bigint
  readonly charges: bigint
  readonly charged: bigint
}

const int = (value: unknown): bigint => BigInt((value ?? 0) as bigint | string | number)

/** Requests stored after row `after`. */
export async function readRequests(rows: Rows, after: bigint): Promise<RequestRow[]> {
  const found = await rows(
    `SELECT request.id AS row, request_id AS id, ending, request.status AS status,
       amount_nano AS amount, email, (SELECT string_agg(upstream_request_id, ',') FROM attempt
         WHERE request_row = request.id) AS upstream
     FROM request JOIN account ON account.id = request.account_id
     WHERE request.id > ${after} ORDER BY request.id`,
  )
  return found.map(({ row, id, ending, status, amount, email, upstream }) => ({
    ...{ row: int(row), id: String(id), ending: String(ending), status: Number(status) },
    ...{ amount: int(amount), email: String(email) },
    upstream: upstream === null ? [] : String(upstream).split(','),
  }))
}

/** Entries stored after row `after`. */
export async function readLedger(rows: Rows, after: bigint): Promise<LedgerRow[]> {
  const found = await rows(
    `SELECT ledger.id AS row, kind, request_id AS id, amount_nano AS amount,
       balance_after_nano AS balance_after, email
     FROM ledger JOIN account ON account.id = ledger.account_id
     WHERE ledger.id > ${after} ORDER BY ledger.id`,
  )
  return found.map(({ row, kind, id, amount, balance_after, email }) => ({
    ...{ row: int(row), kind: String(kind), id: id === null ? undefined : String(id) },
    ...{ amount: int(amount), after: int(balance_after), email: String(email) },
  }))
}

export async function readAccounts(rows: Rows): Promise<AccountRow[]> {
  const found = await rows(
    `SELECT email, balance_nano AS balance, reserved_nano AS reserved, credit_limit_nano AS bound,
       (SELECT sum(amount_nano) FROM lease WHERE purse = account.id) AS leased,
       coalesce(total, 0) AS ledger, coalesce(charges, 0) AS charges, coalesce(charged, 0) AS charged
     FROM account LEFT JOIN (SELECT account_id, sum(amount_nano) AS total,
       sum(CASE WHEN kind = 'charge' THEN 1 ELSE 0 END) AS charges,
       sum(CASE WHEN kind = 'charge' THEN -amount_nano ELSE 0 END) AS charged
       FROM ledger GROUP BY account_id) AS sums ON account_id = account.id`,
  )
  return found.map(({ email, balance, reserved, leased, bound, ledger, charges, charged }) => ({
    ...{ email: String(email), balance: int(balance), reserved: int(reserved) },
    leased: int(leased),
    ...{ limit: int(bound), ledger: int(ledger), charges: int(charges), charged: int(charged) },
  }))
}

/** What is set aside, for how many requests. */
export async function countOpen(rows: Rows): Promise<number> {
  const [found] = await rows('SELECT count(*) AS count FROM reservation')
  return Number(found?.count ?? 0)
}
