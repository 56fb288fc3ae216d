import { Database } from 'bun:sqlite'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { requireBinary, residentBytes } from '../support/binary.ts'
import { createTempDir } from '../support/temp-dir.ts'
import { fillLedger } from './fill-ledger.ts'

// How long `tollgate verify` takes for very many requests, and in how much memory; then whether one
// run finds what is changed by hand. `bun test/bench/verify.ts [COUNT]`, a million by default.

const count = Number(process.argv[2] ?? 1_000_000)
const sampleMs = 500

using folder = createTempDir('tollgate-bench')
const path = join(folder.path, 'tollgate.db')
const configFile = join(folder.path, 'tollgate.yaml')
writeFileSync(configFile, 'store: sqlite:./tollgate.db\n')

const startedTick = performance.now()
await fillLedger(path, count)
const seconds = ((performance.now() - startedTick) / 1000).toFixed(1)
console.log(`${count} requests made in ${seconds} s, ${mega(Bun.file(path).size)} MB`)

const whole = await runVerify('--json')
const { requests, ledger_entries, duration_ms, valid } = JSON.parse(whole.out)
console.log({ valid, requests, ledger_entries })
console.log(
  `verified in ${(duration_ms / 1000).toFixed(1)} s: ${Math.round(requests / (duration_ms / 1000))} requests/s, ` +
    `${whole.cpuSeconds.toFixed(1)} s of processor time`,
)
console.log(`resident MB every ${sampleMs} ms: ${whole.residentMb.join(' ')}`)
const recent = await runVerify('--json', '--since', '2026-10-10T00:00:00Z')
const part = JSON.parse(recent.out)
console.log(`since a day: ${part.requests} requests in ${part.duration_ms} ms`)

using db = new Database(path)
db.run('PRAGMA foreign_keys = OFF')
const changes = changesByHand()
for (const { sql } of changes) db.run(sql)
const tampered = await runVerify()
console.log(`${changes.length} changes by hand; exit code ${tampered.code}; it said:`)
console.log(tampered.out, tampered.err)
const missed = changes.filter(({ says }) => !says.test(tampered.out))
console.log(
  missed.length === 0 ? 'all found' : `MISSED: ${missed.map(({ sql }) => sql).join('; ')}`,
)
process.exitCode = valid && missed.length === 0 ? 0 : 1

async function runVerify(...options: readonly string[]) {
  const child = Bun.spawn([requireBinary(), 'verify', '--config', configFile, ...options], {
    stdout: 'pipe',
    stderr: 'pipe',
    env: { PATH: process.env.PATH ?? '' },
  })
  const residentMb: number[] = []
  const timer = setInterval(() => {
    if (existsSync(`/proc/${child.pid}/status`)) residentMb.push(mega(residentBytes(child.pid)))
  }, sampleMs)
  const [out, err, code] = await Promise.all([
    child.stdout.text(),
    child.stderr.text(),
    child.exited,
  ])
  clearInterval(timer)
  const usage = child.resourceUsage()
  const cpuSeconds = Number(usage?.cpuTime.total ?? 0) / 1e6
  return { out, err, code, residentMb, cpuSeconds }
}

function mega(bytes: number): number {
  return Math.round(bytes / 1e6)
}

/** Each somewhere else in the tables, each with what must be said of it. */
function changesByHand(): readonly { readonly sql: string; readonly says: RegExp }[] {
  const charged = (share: number, more = '') => {
    const text = `SELECT request.id, request_id, token_id, ledger.id AS entry FROM request
      JOIN ledger USING (request_id) WHERE request.id > ${Math.floor(count * share)}
      AND usage_raw IS NOT NULL AND clamped = 0 ${more} LIMIT 1`
    return db.query(text).get() as { id: number; request_id: string; entry: number }
  }
  const [amount, output, tier, moved] = [charged(0.05), charged(0.15), charged(0.25), charged(0.35)]
  const [forged, erased, after] = [charged(0.45), charged(0.55), charged(0.65)]
  const retried = db
    .query(
      'SELECT request_row, request_id FROM attempt JOIN request ON request.id = request_row WHERE position = 2 AND request_row > ? LIMIT 1',
    )
    .get(Math.floor(count * 0.75)) as { request_row: number; request_id: string }
  const says = (text: string) => new RegExp(`^${text}`, 'm')
  return [
    {
      sql: `UPDATE request SET amount_nano = amount_nano + 1 WHERE id = ${amount.id}`,
      says: says(`request ${amount.request_id}: amount_nano is`),
    },
    {
      sql: `UPDATE request SET output_tokens = output_tokens + 1 WHERE id = ${output.id}`,
      says: says(`request ${output.request_id}: output_tokens is \\d+, should be`),
    },
    {
      sql: `UPDATE request SET tier_above = 123 WHERE id = ${tier.id}`,
      says: says(`request ${tier.request_id}: tier_above is 123`),
    },
    {
      sql: `UPDATE ledger SET account_id = 200 WHERE id = ${moved.entry}`,
      says: says(`ledger entry ${moved.entry}: account_id is 200`),
    },
    {
      sql: `UPDATE ledger SET request_id = 'req_forged' WHERE id = ${forged.entry}`,
      says: says(`ledger entry ${forged.entry}: charges \\d+ nano-USD for request req_forged`),
    },
    {
      sql: `DELETE FROM ledger WHERE id = ${erased.entry}`,
      says: says(`request ${erased.request_id}: the ledger has no entry`),
    },
    {
      sql: `UPDATE ledger SET balance_after_nano = 5 WHERE id = ${after.entry}`,
      says: says(`ledger entry ${after.entry}: balance_after_nano is 5`),
    },
    {
      sql: 'UPDATE account SET balance_nano = balance_nano + 1 WHERE id = 77',
      says: says('account 77 .*: balance_nano is \\d+, should be \\d+'),
    },
    {
      sql: `DELETE FROM attempt WHERE request_row = ${retried.request_row} AND position = 1`,
      says: says(`request ${retried.request_id}: 1 of its attempts`),
    },
    {
      sql: "UPDATE usage_day SET requests = requests + 1 WHERE (token_id, day, model) = (SELECT token_id, day, model FROM usage_day WHERE token_id = 500 AND model <> '' LIMIT 1)",
      says: says('usage_day of token 500, .*: requests is \\d+, should be \\d+'),
    },
    {
      sql: 'UPDATE account SET reserved_nano = 1 WHERE id = 150',
      says: says('account 150 .*: reserved_nano is 1, should be 0'),
    },
  ]
}
