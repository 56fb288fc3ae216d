import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, expect } from 'bun:test'
import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { newestVersion } from '../../src/store/schema/versions.ts'
import { runBinary, startBinary } from '../support/binary.ts'
import { type FakeUpstream, jsonAnswer, startFakeUpstream } from '../support/fake-upstream.ts'
import { ofSqlite } from '../support/of-sqlite.ts'
import { fixtureSecret, makeOldDatabase } from '../support/old-databases.ts'
import { createTempDir, type TempDir } from '../support/temp-dir.ts'
import { tollgateYaml } from '../support/tollgate-yaml.ts'
import { enlarge, startCommand } from './backup-scene.ts'
import { ask } from './caller.ts'
import { allDialects, type Dialect } from './dialects.ts'
import { until } from './until.ts'

const chat = allDialects[0] as Dialect
const tokens = { input: 10, output: 20 }

let folder: TempDir
let database: string
let copy: string
let upstream: FakeUpstream

beforeEach(() => {
  folder = createTempDir('tollgate-upgrade-e2e')
  database = folder.join('tollgate.db')
  copy = `${database}.before-v${newestVersion}`
  upstream = startFakeUpstream(() => jsonAnswer(chat.body(tokens)))
})
afterEach(async () => {
  await upstream.stop()
  folder.remove()
})

const config = (listen: string) => tollgateYaml({ listen, upstream: upstream.url, store: database })
const start = (args: readonly string[] = []) =>
  startBinary({ args: ['serve', '--log', 'json', ...args], cwd: folder.path, config })
const run = (...args: string[]) => runBinary(args, { cwd: folder.path })

function read(sql: string, path = database) {
  using db = new Database(path)
  return db.query(sql).values()
}

const balances = (path = database) =>
  read('SELECT id, balance_nano FROM account WHERE id < 4 ORDER BY id', path)

ofSqlite(
  'an upgrade that is killed at any moment leaves the old database or the new one, and goes on',
  async () => {
    writeFileSync(`${database}.secret`, `${fixtureSecret}\n`, { mode: 0o600 })
    writeFileSync(folder.join('tollgate.yaml'), config('127.0.0.1:0'), { mode: 0o600 })
    const made = folder.join('made.db')
    makeOldDatabase('of 55909b4, version 10', made)
    enlarge(made, 500)
    const before = balances(made)
    let calmMs = 0
    // The first one is not killed: the others are, within the time that it took.
    for (const share of [undefined, 0.25, 0.5, 0.6, 0.7, 0.8, 0.9]) {
      for (const ending of ['', '-wal', '-shm']) rmSync(database + ending, { force: true })
      rmSync(copy, { force: true })
      await Bun.write(database, Bun.file(made))
      const startedAt = performance.now()
      const child = startCommand(folder.path, ['serve', '--log', 'json'])
      if (share === undefined) {
        await until('the upgrade', () => existsSync(`${database}.serving`))
        calmMs = performance.now() - startedAt
      } else await Bun.sleep(share * calmMs)
      child.kill('SIGKILL')
      await child.exited
      const [[version]] = read('PRAGMA user_version') as [[number]]
      expect([10, newestVersion]).toContain(version)
      expect(balances()).toEqual(before)
      expect(read('PRAGMA quick_check')).toEqual([['ok']])
      if (version === newestVersion) expect(balances(copy)).toEqual(before)
    }
    const gateway = await start()
    await gateway.stop()
    expect(read('PRAGMA user_version')).toEqual([[newestVersion]])
    expect(balances()).toEqual(before)
    // The requests that make it large are no real ones: what they lack is all that differs.
    using db = new Database(database)
    db.run("DELETE FROM request WHERE request_id LIKE 'old\\_%' ESCAPE '\\'")
    db.close()
    expect(await run('verify')).toMatchObject({ exitCode: 0 })
  },
  120_000,
)

ofSqlite('serve --check ends with 0 or 1, and only serve upgrades', async () => {
  writeFileSync(`${database}.secret`, `${fixtureSecret}\n`, { mode: 0o600 })
  writeFileSync(folder.join('tollgate.yaml'), config('127.0.0.1:0'), { mode: 0o600 })
  makeOldDatabase('of 5605f96, version 1', database)
  const checked = await run('serve', '--check')
  expect(checked).toMatchObject({ exitCode: 0, stderr: '' })
  expect(checked.stdout).toContain('It can start: tollgate serve')
  for (const args of [['status'], ['verify'], ['plan'], ['apply', '--yes'], ['account', 'list']]) {
    const { exitCode, stderr } = await run(...args)
    expect(exitCode).toBe(1)
    expect(stderr).toMatch(/^tollgate: The database .* is at version 1, and this program needs/)
  }
  expect(read('PRAGMA user_version')).toEqual([[1]])
  rmSync(database)
  const missing = await run('serve', '--check')
  expect(missing.exitCode).toBe(1)
  expect(missing.stderr).toContain(`${database} is not there, but ${database}.secret is`)
  writeFileSync(folder.join('tollgate.yaml'), 'server: { listens: 1 }\n')
  expect((await run('serve', '--check')).exitCode).toBe(1)
})

const isReady = async (url: string) => {
  const answer = await fetch(`${url}/readyz`, { proxy: false })
  return `${answer.status} ${(await answer.text()).trim()}`
}
const statusOf = async (url: string) => {
  const answer = await ask(url, chat, false)
  await answer.text()
  return answer.status
}
const gone = '503 the file of the database is gone, or not as it was left'
const charges = () => read("SELECT count(*) FROM ledger WHERE kind = 'charge'")

ofSqlite(
  'a database that is deleted while it is served from: requests are refused, all is saved, nothing is granted again',
  async () => {
    const gateway = await start()
    expect(await statusOf(gateway.url)).toBe(200)
    for (const ending of ['', '-wal', '-shm']) rmSync(database + ending)
    await until('it to notice', async () => (await isReady(gateway.url)) === gone)
    const asked = upstream.requests.length
    expect(await statusOf(gateway.url)).toBe(500)
    expect(upstream.requests).toHaveLength(asked)
    await until('all to be saved', () => existsSync(`${database}.rescued`))
    await gateway.stop()
    const said = gateway.stdout.filter((line) => line.includes('can not be used, so no requests'))
    expect(said).toHaveLength(1)
    expect(said[0]).toContain(`${database} is gone`)

    const refused = await run('serve')
    expect(refused.exitCode).toBe(1)
    for (const path of [database, `${database}.secret`, `${database}.rescued`, '--new-database'])
      expect(refused.stderr).toContain(path)
    expect(existsSync(database)).toBe(false)
    expect((await run('apply', '--yes')).exitCode).toBe(1)

    renameSync(`${database}.rescued`, database)
    expect(charges()).toEqual([[1]])
    await (await start()).stop()
    expect(read("SELECT count(*) FROM ledger WHERE kind = 'opening'")).toEqual([[1]])
    rmSync(database)
    await (await start(['--new-database'])).stop()
    expect(charges()).toEqual([[0]])
  },
  120_000,
)

ofSqlite(
  'a database that is moved and comes back is served from again; what takes its place is not',
  async () => {
    await using gateway = await start()
    expect(await statusOf(gateway.url)).toBe(200)
    for (const ending of ['', '-wal']) {
      renameSync(database + ending, folder.join('elsewhere'))
      await until('it to notice', async () => (await isReady(gateway.url)) === gone)
      writeFileSync(database + ending, 'another file')
      expect(await isReady(gateway.url)).toBe(gone)
      renameSync(folder.join('elsewhere'), database + ending)
      await until('it to go on', async () => (await isReady(gateway.url)) === '200 ready')
      await until('requests to be taken', async () => (await statusOf(gateway.url)) === 200)
    }
  },
  120_000,
)
