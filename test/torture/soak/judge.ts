import type { RunningBinary } from '../../support/binary.ts'
import { openTables } from '../../support/tables.ts'
import { tokensOf } from './asks.ts'
import type { Harvest } from './clients.ts'
import type { SoakUpstreams } from './upstreams.ts'
import type { Level } from './watch.ts'

interface Recorded {
  readonly ending: string
  readonly status: number
  readonly input: number
  readonly output: number
  readonly amount: number
  readonly entries: number
  readonly charged: number | null
  readonly upstream: string | null
}

const selectRecords = `
SELECT request_id AS id, ending, status, input_tokens AS input, output_tokens AS output, amount_nano AS amount,
  (SELECT count(*) FROM ledger WHERE request_id = request.request_id) AS entries,
  (SELECT sum(amount_nano) FROM ledger WHERE request_id = request.request_id) AS charged,
  (SELECT upstream_request_id FROM attempt WHERE request_row = request.id
     ORDER BY position DESC LIMIT 1) AS upstream
FROM request`

/** Answers that came whole and are not in the books once, with what their upstream said they used. */
export async function findUncharged(
  { cwd }: RunningBinary,
  { received }: Harvest,
  { answered }: SoakUpstreams,
): Promise<string[]> {
  await using tables = openTables(cwd)
  const records = await tables.rows<Recorded & { readonly id: string }>(selectRecords)
  const byId = new Map(records.map((record) => [record.id, record]))
  return received.flatMap(({ id, ask }) => {
    const record = byId.get(id)
    const { input, output } = tokensOf(ask.number)
    const isRight =
      record !== undefined &&
      ['complete', 'client_left'].includes(record.ending) &&
      record.status === 200 &&
      record.input === input &&
      record.output === output &&
      record.amount > 0 &&
      record.entries === 1 &&
      record.charged === -record.amount &&
      record.upstream !== null &&
      answered.has(record.upstream)
    if (isRight) return []
    const { number, payer, dialect, size } = ask
    const what = { id, number, payer, dialect: dialect.name, size, input, output, record }
    return [`Received whole, and not charged once for that: ${JSON.stringify(what)}`]
  })
}

/** Promises about the whole database, with the rows that break them. */
const rules = [
  [
    'what costs something is charged once',
    `SELECT request_id, count(ledger.id) AS entries FROM request LEFT JOIN ledger USING (request_id)
       GROUP BY request.id, request_id, request.amount_nano
       HAVING count(ledger.id) <> CASE WHEN request.amount_nano > 0 THEN 1 ELSE 0 END`,
  ],
  [
    'no upstream answer is charged twice',
    `SELECT upstream_request_id, count(*) AS count FROM attempt JOIN request
       ON request.id = attempt.request_row WHERE amount_nano > 0 AND attempt.cause IS NULL
       AND upstream_request_id IS NOT NULL GROUP BY upstream_request_id HAVING count(*) > 1`,
  ],
  ['no reservation stays open', 'SELECT request_id, created_at FROM reservation'],
  ['nothing stays set aside', 'SELECT email, reserved_nano FROM account WHERE reserved_nano <> 0'],
] as const

/** Which promises the database breaks, with some of the rows that show it. */
export async function findBroken({ cwd }: RunningBinary): Promise<string[]> {
  await using tables = openTables(cwd)
  const judged = await tables.judge()
  const broken = judged === 'ok' ? [] : [`What is stored is not sound: ${judged}`]
  for (const [promise, sql] of rules) {
    const rows = await tables.rows(`SELECT * FROM (${sql}) AS odd LIMIT 3`)
    if (rows.length > 0) broken.push(`Broken: ${promise}: ${JSON.stringify(rows)}`)
  }
  return broken
}

/** Lines that a gateway must never log, whatever its upstreams and clients do. */
export function findComplaints({ stdout, stderr }: RunningBinary): string[] {
  const lines = [...stdout, ...stderr].filter(
    (line) =>
      /unhandled|internal error|panic/i.test(line) ||
      // The one error that a soak makes on purpose.
      (line.includes('"level":"error"') && !line.includes('configuration not applied')),
  )
  return lines.map((line) => `It logged: ${line}`)
}

/** Memory may be higher at the end than in the middle by so much, before that counts as a leak. */
const mostGrowth = 1.1
const mostGrowthMb = 10

/** Says what is wrong with how memory went; a short soak tells nothing of it. */
export function findGrowth({ middleMb, lastMb }: Level, minutes: number): string[] {
  if (minutes < 5 || lastMb <= Math.max(middleMb * mostGrowth, middleMb + mostGrowthMb)) return []
  return [
    `Memory grows: half of the time above ${middleMb.toFixed(1)} MB in the middle third, above ` +
      `${lastMb.toFixed(1)} MB in the last`,
  ]
}
