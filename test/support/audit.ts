import type { TestEngine } from './test-store.ts'

/** What is to be looked at. */
export interface Audited {
  readonly rows: (sql: string) => Promise<readonly object[]>
  readonly engine: TestEngine
  /** No request is under way. */
  readonly isAtRest: boolean
  /** No answer can cost more than was set aside for it. */
  readonly isBounded: boolean
  /** Of each token's group, in thousandths, by the token's name. */
  readonly thousandths: Readonly<Record<string, number>>
}

/** The rows that contradict a promise, as text; none where all is well. */
type Rule = readonly [promise: string, sql: string]

/** What must hold of a file of SQLite, whoever was killed. */
const ofFiles: readonly Rule[] = [
  ['the file is sound', "SELECT * FROM pragma_integrity_check WHERE integrity_check <> 'ok'"],
  ['rows refer to rows that are there', 'SELECT * FROM pragma_foreign_key_check'],
]

/** How an engine makes the UTC day of milliseconds since 1970. */
const dayOf = {
  sqlite: "strftime('%Y-%m-%d', created_at / 1000, 'unixepoch')",
  postgres: "to_char(to_timestamp(created_at / 1000) AT TIME ZONE 'UTC', 'YYYY-MM-DD')",
} as const satisfies Record<TestEngine, string>

/** What must hold of a database at every moment. */
const always = ({ engine, thousandths }: Audited): readonly Rule[] => [
  [
    'a balance is the sum of the ledger',
    `SELECT email, balance_nano, total FROM (SELECT email, balance_nano,
       (SELECT coalesce(sum(amount_nano), 0) FROM ledger WHERE account_id = account.id) AS total
       FROM account) AS sums WHERE balance_nano <> total`,
  ],
  [
    'each entry says what balance it left',
    `SELECT id, balance_after_nano, total FROM (SELECT id, balance_after_nano,
       sum(amount_nano) OVER (PARTITION BY account_id ORDER BY id) AS total FROM ledger) AS sums
       WHERE balance_after_nano <> total`,
  ],
  [
    'an account has one opening entry',
    `SELECT account_id, count(*) AS count FROM ledger WHERE kind = 'opening'
       GROUP BY account_id HAVING count(*) <> 1`,
  ],
  [
    'a charge is of a request, and of just its amount',
    `SELECT ledger.id, ledger.request_id FROM ledger LEFT JOIN request USING (request_id)
       WHERE ledger.kind = 'charge' AND ledger.amount_nano IS DISTINCT FROM -request.amount_nano`,
  ],
  [
    'what costs something is charged once',
    `SELECT request_id, count(ledger.id) AS entries FROM request LEFT JOIN ledger USING (request_id)
       GROUP BY request.id, request_id, request.amount_nano
       HAVING count(ledger.id) <> CASE WHEN request.amount_nano > 0 THEN 1 ELSE 0 END`,
  ],
  [
    'an amount follows from counts, price and multiplier',
    `SELECT request_id, amount_nano FROM request JOIN token ON token.id = request.token_id
       WHERE price_id IS NOT NULL AND multiplier_millionths <> ${casesOf(thousandths)}
       OR amount_nano <> (input_tokens * 1000 + output_tokens * 2000) * multiplier_millionths / 1000000
       OR cache_read_tokens + cache_write_tokens + cache_write_1h_tokens <> 0`,
  ],
  [
    'what was refused or interrupted costs nothing',
    `SELECT request_id, ending FROM request
       WHERE ending IN ('refused', 'interrupted') AND amount_nano <> 0`,
  ],
  [
    'no upstream answer is charged twice',
    `SELECT upstream_request_id, count(*) AS count FROM attempt JOIN request
       ON request.id = attempt.request_row
       WHERE amount_nano > 0 AND upstream_request_id IS NOT NULL
       GROUP BY upstream_request_id HAVING count(*) > 1`,
  ],
  ['daily sums are those of the requests', oddDays(engine, 'usage_day', 'summed')],
  ['daily sums leave no request out', oddDays(engine, 'summed', 'usage_day')],
  [
    'what is set aside is the sum of the reservations and leases',
    `SELECT email, reserved_nano, total FROM (SELECT email, reserved_nano,
       (SELECT coalesce(sum(amount_nano), 0) FROM reservation WHERE account_id = account.id)
       + (SELECT coalesce(sum(amount_nano), 0) FROM lease WHERE purse = account.id) AS total
       FROM account) AS sums WHERE reserved_nano <> total`,
  ],
  [
    'a request that has ended has no reservation',
    'SELECT request_id FROM reservation JOIN request USING (request_id)',
  ],
]

const bounded: readonly Rule[] = [
  ['no balance goes below zero', 'SELECT email, balance_nano FROM account WHERE balance_nano < 0'],
  [
    'no budget is overspent',
    `SELECT token.name, sum(amount_nano) AS spent FROM usage_day JOIN token
       ON token.id = usage_day.token_id GROUP BY token.id
       HAVING sum(amount_nano) > budget_total_nano`,
  ],
]

/** What must hold besides while no request is under way. */
const atRest: readonly Rule[] = [
  ['no reservation stays open', 'SELECT request_id, created_at FROM reservation'],
]

const casesOf = (thousandths: Audited['thousandths']): string => {
  const cases = Object.entries(thousandths).map(
    ([name, share]) => `WHEN '${name}' THEN ${share * 1000}`,
  )
  return `CASE token.name ${cases.join(' ')} END`
}

function oddDays(engine: TestEngine, one: string, other: string): string {
  const columns = `token_id, day, model, requests, input_tokens, output_tokens, amount_nano`
  return `WITH summed AS (SELECT token_id, ${dayOf[engine]} AS day,
      CASE WHEN price_id IS NULL THEN '' ELSE coalesce(model, '') END AS model, count(*) AS requests,
      sum(input_tokens) AS input_tokens, sum(output_tokens) AS output_tokens,
      sum(amount_nano) AS amount_nano FROM request GROUP BY 1, 2, 3)
    SELECT ${columns} FROM ${one} EXCEPT SELECT ${columns} FROM ${other}`
}

/** Which promises a database breaks, with some of the rows that show it. */
export async function findFaults(audited: Audited): Promise<string[]> {
  const { rows, engine, isAtRest, isBounded } = audited
  const rules = [
    ...(engine === 'sqlite' ? ofFiles : []),
    ...always(audited),
    ...(isBounded ? bounded : []),
    ...(isAtRest ? atRest : []),
  ]
  const faults: string[] = []
  for (const [promise, sql] of rules) {
    const found = await rows(`SELECT * FROM (${sql}) AS odd LIMIT 3`)
    if (found.length > 0) faults.push(`Broken: ${promise}: ${asText(found)}`)
  }
  return faults
}

const asText = (rows: readonly object[]): string =>
  JSON.stringify(rows, (_, value) => (typeof value === 'bigint' ? String(value) : value))
