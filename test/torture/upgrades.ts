import { Database } from 'bun:sqlite'
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { stringify } from 'yaml'
import { binaryPath, requireBinary } from '../support/binary.ts'
import { freePort } from '../support/free-port.ts'
import { createRandom, type Random } from '../support/random.ts'
import { createTempDir } from '../support/temp-dir.ts'
import { speaksAt, testModels, upstreamKey } from '../support/tollgate-yaml.ts'
import { payers } from './asks.ts'
import { emptyHarvest, runClient } from './clients.ts'
import { startTortureUpstream } from './upstream.ts'

// bun run torture:upgrades OLD…: databases that former programs have filled are upgraded by this one,
// which is killed meanwhile at moments by chance. Then the former program starts, or this one, and
// `verify` must be clean.

const usage = `Usage: bun run torture:upgrades [--kills N] [--seed N] [--requests N] OLD…
OLD: compiled programs of former versions. TOLLGATE_BINARY names the new one, if it is not dist/tollgate.
Each is killed N times (20) while it upgrades a database with so many more requests (20,000).`

const { values, positionals: olds } = parseArgs({
  allowPositionals: true,
  options: {
    kills: { type: 'string', default: '20' },
    seed: { type: 'string', default: '1' },
    requests: { type: 'string', default: '20000' },
  },
})
if (olds.length === 0) {
  console.error(usage)
  process.exit(2)
}

const faults: string[] = []
const random = createRandom(Number(values.seed))

/** What old programs understand, too. */
const yaml = (upstream: string, listen: string) =>
  stringify({
    server: { listen },
    store: { url: 'sqlite:./tollgate.db' },
    channels: [
      {
        ...{ name: 'main', speaks: speaksAt(upstream), api_key: upstreamKey },
        ...{ models: testModels, allow_private: true },
      },
    ],
    groups: Object.entries(payers).map(([name, { multiplier }]) => ({
      ...{ name, channels: ['main'], rate_multiplier: multiplier },
    })),
    prices: Object.fromEntries(testModels.map((id) => [id, { input: 1, output: 2 }])),
    accounts: Object.entries(payers).map(([name, { key }]) => ({
      email: `${name}@example.com`,
      balance: name === 'poor' ? 0.3 : 1000,
      tokens: [{ name, key, group: name }],
    })),
  })

interface Run {
  readonly exitCode: number
  readonly output: string
}

async function command(program: string, cwd: string, ...args: string[]): Promise<Run> {
  const child = Bun.spawn([program, ...args], { cwd, stdout: 'pipe', stderr: 'pipe' })
  const [out, err] = await Promise.all([child.stdout.text(), child.stderr.text()])
  return { exitCode: await child.exited, output: out + err }
}

/** Resolves when the program answers, to what ends it; undefined when it ends before. */
async function start(program: string, cwd: string, upstream: string) {
  const port = await freePort()
  writeFileSync(join(cwd, 'tollgate.yaml'), yaml(upstream, `127.0.0.1:${port}`), { mode: 0o600 })
  const child = Bun.spawn([program, 'serve', '--log', 'json'], {
    ...{ cwd, stdout: Bun.file(join(cwd, 'log')), stderr: Bun.file(join(cwd, 'errors')) },
  })
  const url = `http://127.0.0.1:${port}`
  while (child.exitCode === null) {
    const answer = await fetch(url, { proxy: false }).catch(() => undefined)
    await answer?.body?.cancel()
    if (answer) return { url, child }
    await Bun.sleep(5)
  }
  return undefined
}

const databaseIn = (folder: string) => join(folder, 'tollgate.db')

function read<Row>(folder: string, sql: string): Row[] {
  const db = new Database(databaseIn(folder))
  try {
    return db.query<Row, []>(sql).all()
  } finally {
    db.close()
  }
}

const versionIn = (folder: string) =>
  read<{ user_version: number }>(folder, 'PRAGMA user_version')[0]?.user_version ?? 0

const booksIn = (folder: string) =>
  JSON.stringify([
    read(folder, 'SELECT id, email, balance_nano FROM account ORDER BY id'),
    read(
      folder,
      "SELECT count(*), sum(amount_nano), max(id) FROM request WHERE ending <> 'interrupted'",
    ),
    read(folder, 'SELECT count(*), sum(amount_nano), max(id) FROM ledger'),
    read(
      folder,
      'SELECT day, model, sum(amount_nano) FROM usage_day WHERE amount_nano > 0 GROUP BY 1, 2 ORDER BY 1, 2',
    ),
  ])

const schemaIn = (folder: string) =>
  JSON.stringify(read(folder, 'SELECT type, name, sql FROM sqlite_schema ORDER BY type, name'))

/** More requests, refused ones, so that copying and changing takes its time. */
function enlarge(folder: string): void {
  const db = new Database(databaseIn(folder))
  const columns = db
    .query<{ name: string }, []>("SELECT name FROM pragma_table_info('request')")
    .all()
    .map(({ name }) => name)
  const free = ['id', 'request_id', 'cause_text']
  const same = columns.filter((name) => !free.includes(name)).join(', ')
  db.run(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
     INSERT INTO request (request_id, cause_text, ${same})
     SELECT 'more_' || i, hex(randomblob(300)), ${same} FROM n,
       (SELECT * FROM request WHERE model IS NULL LIMIT 1)`,
    [Number(values.requests)],
  )
  const sums = "(SELECT count(*) FROM request WHERE model IS NULL AND request_id LIKE 'more_%')"
  const one = "(SELECT token_id FROM request WHERE request_id = 'more_1')"
  for (const [table, where] of [
    ['usage_day', `AND token_id = ${one}`],
    ['usage_total', ''],
  ]) {
    const names = db.query<{ name: string }, []>(`SELECT name FROM pragma_table_info('${table}')`)
    for (const { name } of names.all()) {
      if (name !== 'requests' && name !== 'failed') continue
      db.run(`UPDATE ${table} SET ${name} = ${name} + ${sums} WHERE model = '' ${where}`)
    }
  }
  db.close()
}

/** Fills a database by a former program, which is killed in the middle of it. */
async function fill(old: string, folder: string, upstream: string): Promise<number> {
  const gateway = await start(old, folder, upstream)
  if (gateway === undefined) throw new Error(`${old} does not start in ${folder}.`)
  const harvest = emptyHarvest()
  let isOver = false
  const clients = Array.from({ length: 12 }, () =>
    runClient({ url: gateway.url, random, harvest }, () => isOver),
  )
  const edits = [
    ['account', 'add', 'gone@example.com', '--balance', '10'],
    ['token', 'add', '--account', 'gone@example.com', '--group', 'rich', '--name', 'one'],
    ['account', 'remove', 'gone@example.com', '--yes'],
    ['group', 'add', 'spare', '--channel', 'main', '--multiplier', '0.8'],
    ['group', 'disable', 'spare'],
    ['price', 'set', 'test-model', '--input', '1', '--output', '2'],
  ]
  for (const edit of edits) {
    const { exitCode, output } = await command(old, folder, ...edit)
    if (exitCode !== 0) console.log(`  (${edit.join(' ')}: ${output.trim().split('\n')[0]})`)
  }
  while (harvest.received.length < 400) await Bun.sleep(20)
  gateway.child.kill('SIGKILL')
  await gateway.child.exited
  isOver = true
  await Promise.all(clients)
  return harvest.received.length
}

async function upgradeFrom(old: string, random: Random): Promise<void> {
  const version = (await command(old, '.', 'version')).output.trim()
  console.log(`${old} (${version.split('\n').at(-1)})`)
  const dir = createTempDir('tollgate-upgrades')
  await using upstream = startTortureUpstream()
  const made = join(dir.path, 'made')
  const fault = (text: string) => faults.push(`${old}: ${text}`)
  mkdirSync(made)
  const received = await fill(old, made, upstream.url)
  enlarge(made)
  const before = { version: versionIn(made), books: booksIn(made) }
  console.log(`  ${received} answers received, database at version ${before.version}`)
  const fresh = join(dir.path, 'fresh')
  mkdirSync(fresh)
  await stopped(await start(binaryPath, fresh, upstream.url))

  const work = (name: string) => {
    const folder = join(dir.path, name)
    rmSync(folder, { recursive: true, force: true })
    cpSync(made, folder, { recursive: true })
    return folder
  }

  /** Starts, stops and looks at what there is then. */
  async function judge(program: string, folder: string, what: string): Promise<void> {
    const gateway = await start(program, folder, upstream.url)
    if (gateway === undefined)
      return void fault(`${what}: does not start: ${await Bun.file(join(folder, 'errors')).text()}`)
    const harvest = emptyHarvest()
    await runClient({ url: gateway.url, random, harvest }, () => harvest.asked >= 5)
    const balances = booksIn(folder)
    if (JSON.parse(balances)[0].length !== JSON.parse(before.books)[0].length)
      fault(`${what}: accounts are missing`)
    await stopped(gateway)
    if (program !== binaryPath) return
    const { exitCode, output } = await command(binaryPath, folder, 'verify')
    if (exitCode !== 0) fault(`${what}: verify: ${output.slice(0, 150)}`)
    if (schemaIn(folder) !== schemaIn(fresh)) fault(`${what}: not the tables of a new database`)
  }

  // Once to its end, measured.
  const calm = work('calm')
  const startedAt = performance.now()
  await stopped(await start(binaryPath, calm, upstream.url))
  const tookMs = performance.now() - startedAt
  if (booksIn(calm) !== before.books)
    fault(`the upgrade changes the books: ${before.books} -> ${booksIn(calm)}`)
  await judge(binaryPath, calm, 'upgraded')
  const copies = [...new Bun.Glob('tollgate.db.before-v*').scanSync(calm)]
  console.log(
    `  upgraded, started and stopped in ${Math.round(tookMs)} ms; copy: ${copies.join(', ')}`,
  )
  if (copies.length !== 1) fault(`${copies.length} copies after the upgrade`)
  await goBack(calm, String(copies[0]))

  const ends = { old: 0, new: 0 }
  for (let turn = 0; turn < Number(values.kills); turn++) {
    const folder = work('killed')
    writeFileSync(join(folder, 'tollgate.yaml'), yaml(upstream.url, '127.0.0.1:0'), { mode: 0o600 })
    const child = Bun.spawn([binaryPath, 'serve', '--log', 'json'], {
      ...{ cwd: folder, stdout: 'ignore', stderr: 'ignore' },
    })
    const afterMs = random() * tookMs
    await Bun.sleep(afterMs)
    child.kill('SIGKILL')
    await child.exited
    const found = versionIn(folder)
    const isOld = found === before.version
    ends[isOld ? 'old' : 'new']++
    const what = `killed after ${Math.round(afterMs)} ms, then at version ${found}`
    if (booksIn(folder) !== before.books) fault(`${what}: the books have changed`)
    // Where it stayed the former one's, every second time that one is started first.
    if (isOld && turn % 2 === 0) await judge(old, folder, `${what}, former program`)
    await judge(binaryPath, folder, what)
  }
  console.log(
    `  ${values.kills} kills: ${ends.old} left the former version, ${ends.new} the new one`,
  )
  if (!faults.some((text) => text.startsWith(old))) dir.remove()
  else console.log(`  What went wrong is in ${dir.path}.`)

  /** The former program with the copy in the place of the database. */
  async function goBack(folder: string, copyName: string): Promise<void> {
    for (const ending of ['', '-wal', '-shm']) rmSync(databaseIn(folder) + ending, { force: true })
    cpSync(join(folder, copyName), databaseIn(folder))
    if (booksIn(folder) !== before.books) fault('the copy is not what was there')
    await judge(old, folder, 'former program on the copy')
    // And by restore of this one.
    for (const ending of ['', '-wal', '-shm', '-journal'])
      rmSync(databaseIn(folder) + ending, { force: true })
    const { exitCode, output } = await command(binaryPath, folder, 'restore', copyName)
    if (exitCode !== 0) fault(`restore of the copy: ${output}`)
    else await judge(binaryPath, folder, 'restored copy')
  }
}

async function stopped(gateway: Awaited<ReturnType<typeof start>>): Promise<void> {
  if (gateway === undefined) return void faults.push('A program does not start.')
  gateway.child.kill('SIGTERM')
  await gateway.child.exited
}

requireBinary()
for (const old of olds) await upgradeFrom(resolve(old), random)
console.log(faults.length === 0 ? 'All well.' : faults.join('\n'))
process.exit(faults.length === 0 ? 0 : 1)
