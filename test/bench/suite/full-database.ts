import { Database } from 'bun:sqlite'
import { existsSync, mkdirSync, renameSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Bench } from './bench.ts'
import { chatPath, requests } from './requests.ts'
import { startTollgate, subjectOf, tollgateConfig } from './subjects.ts'

const bytesPerRequest = 1_000
const rowsAtOnce = 1_000_000
const tokensPerAccount = 100
const daysPerToken = 3
const dayMs = 86_400_000
const spanMs = 90 * dayMs

/**
 * A folder with a database that holds very many tokens and requests, made once for all runs of a
 * schema. It is measured in place: the rows that this adds to it count for nothing.
 */
export async function prepareFullDatabase(bench: Bench): Promise<string> {
  const { tokens, requests: count } = bench.options
  const folder = join(tmpdir(), 'tollgate-bench-cache')
  const making = join(folder, `making-${process.pid}`)
  rmSync(making, { recursive: true, force: true })
  await makeFirstRows(bench, making)
  const made = join(folder, `full-${schemaMark(making)}-${tokens}-${count}`)
  if (existsSync(made)) {
    rmSync(making, { recursive: true })
    return made
  }
  const { bavail, bsize } = statfsSync(folder)
  const neededBytes = count * bytesPerRequest
  if (bavail * bsize < neededBytes) {
    const gigabytes = Math.ceil(neededBytes / 1e9)
    throw new Error(`${folder} needs ${gigabytes} GB for the full database: see --requests`)
  }
  fill(making, { tokens, count, say: bench.say })
  renameSync(making, made)
  return made
}

/** One row of each kind, made by the program itself: the others are copies of them. */
async function makeFirstRows({ place, upstreams }: Bench, cwd: string): Promise<void> {
  mkdirSync(cwd, { recursive: true })
  const { folder, core } = place
  const config = (listen: string) =>
    tollgateConfig({ listen, upstream: upstreams.constant, speaks: 'chat' })
  const program = await startTollgate({ cwd, core, log: folder.join('first-rows.log'), config })
  await using subject = subjectOf('first rows', program)
  const { url, headers } = subject
  const answer = await fetch(url + chatPath, {
    ...{ method: 'POST', headers, body: requests.small, proxy: false },
  })
  if (!answer.ok) throw new Error(`The first request failed: ${await answer.text()}`)
  await answer.text()
}

const openDatabase = (folder: string) => new Database(join(folder, 'tollgate.db'), { strict: true })

function schemaMark(folder: string): string {
  using db = openDatabase(folder)
  const rows = db.query('SELECT name, sql FROM sqlite_schema ORDER BY name').all()
  return Bun.hash(JSON.stringify(rows)).toString(36)
}

interface Filling {
  readonly tokens: number
  readonly count: number
  readonly say: (line: string) => void
}

function fill(folder: string, { tokens, count, say }: Filling): void {
  using db = openDatabase(folder)
  for (const pragma of ['journal_mode = OFF', 'synchronous = OFF', 'foreign_keys = OFF']) {
    db.run(`PRAGMA ${pragma}`)
  }
  db.run('PRAGMA cache_size = -1048576')
  const accounts = Math.max(Math.floor(tokens / tokensPerAccount), 1)
  const firstMs = Date.now() - spanMs
  const at = `${firstMs} + CAST(i * ${spanMs / count} AS INTEGER)`
  const nth = `(i * 7919 % ${tokens})`
  const requestId = `printf('req_%012x7%019x', ${at}, i)`
  const copy = createCopier(db, say)
  copy('account', accounts, { id: 'i + 2', email: "'made-' || i || '@example.com'" })
  copy('token', tokens, {
    ...{ id: 'i + 2', account_id: `i % ${accounts} + 2`, name: "'made-' || i" },
    key_hash: 'lower(hex(randomblob(32)))',
  })
  const whose = { token_id: `${nth} + 2`, account_id: `${nth} % ${accounts} + 2` }
  copy('request', count, { ...whose, id: 'i + 2', request_id: requestId, created_at: at })
  copy('attempt', count, { request_row: 'i + 2', started_at: at })
  copy('ledger', count, {
    ...{ id: 'i + 3', account_id: whose.account_id, created_at: at, request_id: requestId },
  })
  copy('usage_day', tokens * daysPerToken, {
    token_id: `i / ${daysPerToken} + 2`,
    day: `date('now', '-' || (i % ${daysPerToken} * 10 + 1) || ' days')`,
  })
  db.run('PRAGMA journal_mode = WAL')
}

/** Copies a table's newest row again and again, with some columns made of the number `i`. */
function createCopier(db: Database, say: (line: string) => void) {
  return (table: string, count: number, made: Readonly<Record<string, string>>): void => {
    const info = db.query(`PRAGMA table_info(${table})`).all() as { name: string }[]
    const columns = info.map(({ name }) => name)
    const values = columns.map((name) => made[name] ?? `one.${name}`)
    const order = columns.includes('id') ? 'ORDER BY id DESC' : ''
    // Copied into a table of its own: the table itself grows while it is read.
    db.run(`CREATE TEMP TABLE one AS SELECT * FROM ${table} ${order} LIMIT 1`)
    const insert = db.query(
      `WITH RECURSIVE number (i) AS (VALUES ($from) UNION ALL SELECT i + 1 FROM number
         WHERE i + 1 < $to)
       INSERT INTO ${table} (${columns.join(', ')}) SELECT ${values.join(', ')} FROM number, one`,
    )
    for (let from = 0; from < count; from += rowsAtOnce) {
      insert.run({ from, to: Math.min(from + rowsAtOnce, count) })
      say(`  ${table}: ${Math.min(from + rowsAtOnce, count)} of ${count} rows made`)
    }
    db.run('DROP TABLE one')
  }
}
