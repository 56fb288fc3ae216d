import { createHash } from 'node:crypto'
import { copyFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { requireBinary, residentBytes } from '../support/binary.ts'
import { ask, startPostgres } from '../support/postgres.ts'
import { createTempDir } from '../support/temp-dir.ts'
import { fillLedger } from './fill-ledger.ts'
import { sealKeys } from './seal-keys.ts'

// How long `tollgate migrate` takes for very many requests, to PostgreSQL and back, and in how much
// memory; then whether both files have the same exports.
// `bun test/bench/migrate.ts [COUNT|DATABASE]`, a million by default; a database is copied first.

const [what = '1000000'] = process.argv.slice(2)
const count = Number(what)
using folder = createTempDir('tollgate-bench')
await using server = await startPostgres()
await ask(server.url('postgres'), 'CREATE DATABASE moved')

const first = join(folder.path, 'first.db')
if (Number.isInteger(count)) await fillLedger(first, count)
else copyFileSync(what, first)
const secret = sealKeys(first)
for (const name of ['first', 'back'])
  writeFileSync(join(folder.path, `${name}.yaml`), `store: sqlite:./${name}.db\n`)

await migrate('sqlite:./first.db', server.url('moved'))
await migrate(server.url('moved'), 'sqlite:./back.db')
let isSame = true
for (const records of ['requests', 'ledger']) {
  const [there, again] = [await digest('first', records), await digest('back', records)]
  isSame &&= there === again
  console.log(`${records}: ${there} there, ${again} back`)
}
console.log(isSame ? 'equal exports' : 'EXPORTS DIFFER')
process.exitCode = isSame ? 0 : 1

function start(words: readonly string[]) {
  return Bun.spawn([requireBinary(), ...words], {
    cwd: folder.path,
    stdout: 'pipe',
    stderr: 'inherit',
    env: { PATH: process.env.PATH ?? '', TOLLGATE_SECRET: secret },
  })
}

async function migrate(source: string, target: string): Promise<void> {
  const child = start(['migrate', source, target, '--json'])
  let peakBytes = 0
  const timer = setInterval(() => {
    if (child.exitCode === null) peakBytes = Math.max(peakBytes, residentBytes(child.pid))
  }, 200)
  const out = await child.stdout.text()
  await child.exited
  clearInterval(timer)
  const { rows, duration_ms, verified } = JSON.parse(out)
  const seconds = duration_ms / 1000
  console.log(
    `${rows} rows in ${seconds.toFixed(1)} s (${Math.round(rows / seconds)}/s), ` +
      `${Math.round(peakBytes / 1e6)} MB at most, verified: ${verified?.valid ?? 'not here'}`,
  )
}

async function digest(name: string, records: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const bytes of start(['export', records, '-c', `${name}.yaml`]).stdout)
    hash.update(bytes)
  return hash.digest('hex').slice(0, 16)
}
