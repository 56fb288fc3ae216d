import { Database } from 'bun:sqlite'
import { join } from 'node:path'
import type { RunningBinary } from '../../support/binary.ts'
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

const selectRecord = `
SELECT ending, status, input_tokens AS input, output_tokens AS output, amount_nano AS amount,
  (SELECT count(*) FROM ledger WHERE request_id = request.request_id) AS entries,
  (SELECT sum(amount_nano) FROM ledger WHERE request_id = request.request_id) AS charged,
  (SELECT upstream_request_id FROM attempt WHERE request_row = request.id
     ORDER BY position DESC LIMIT 1) AS upstream
FROM request WHERE request_id = ?`

/** Answers that came whole and are not in the books once, with what their upstream said they used. */
export function findUncharged(
  { cwd }: RunningBinary,
  { received }: Harvest,
  { answered }: SoakUpstreams,
): string[] {
  using db = open(cwd)
  const find = db.prepare<Recorded, [string]>(selectRecord)
  return received.flatMap(({ id, ask }) => {
    const record = find.get(id)
    const { input, output } = tokensOf(ask.number)
    const isRight =
      record !== null &&
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
       GROUP BY request_id HAVING entries <> (request.amount_nano > 0)`,
  ],
  [
    'no upstream answer is charged twice',
    `SELECT upstream_request_id, count(*) AS count FROM attempt JOIN request
       ON request.id = attempt.request_row WHERE amount_nano > 0 AND attempt.cause IS NULL
       AND upstream_request_id IS NOT NULL GROUP BY upstream_request_id HAVING count > 1`,
  ],
  ['no reservation stays open', 'SELECT request_id, created_at FROM reservation'],
  ['nothing stays set aside', 'SELECT email, reserved_nano FROM account WHERE reserved_nano <> 0'],
  ['the file is sound', "SELECT * FROM pragma_integrity_check WHERE integrity_check <> 'ok'"],
] as const

/** Which promises the database breaks, with some of the rows that show it. */
export function findBroken({ cwd }: RunningBinary): string[] {
  using db = open(cwd)
  return rules.flatMap(([promise, sql]) => {
    const rows = db.query(`SELECT * FROM (${sql}) LIMIT 3`).all()
    return rows.length === 0 ? [] : [`Broken: ${promise}: ${JSON.stringify(rows)}`]
  })
}

function open(cwd: string): Database {
  const db = new Database(join(cwd, 'tollgate.db'), { readonly: true })
  db.run('PRAGMA busy_timeout = 5000')
  return db
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
