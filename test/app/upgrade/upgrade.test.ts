import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { restore } from '../../../src/app/backup/restore.ts'
import { checkDatabase } from '../../../src/app/upgrade/check.ts'
import { removeCopies, upgrade } from '../../../src/app/upgrade/upgrade.ts'
import { verify } from '../../../src/app/verify/verify.ts'
import { newestVersion } from '../../../src/store/schema/versions.ts'
import { openSqliteStore } from '../../../src/store/sqlite/open.ts'
import { fixtureSecret, makeOldDatabase, oldDatabases } from '../../support/old-databases.ts'
import { createTempDir, type TempDir } from '../../support/temp-dir.ts'

let folder: TempDir
let database: string
let copy: string
const given = process.env.TOLLGATE_SECRET

beforeEach(() => {
  folder = createTempDir('tollgate-upgrade')
  database = folder.join('gate.db')
  copy = `${database}.before-v${newestVersion}`
  process.env.TOLLGATE_SECRET = fixtureSecret
})
afterEach(() => {
  if (given === undefined) delete process.env.TOLLGATE_SECRET
  else process.env.TOLLGATE_SECRET = given
  folder.remove()
})

const upgradeIt = (withCopy = true) => upgrade({ database, withCopy, log: undefined })

function read(sql: string, path = database): unknown[] {
  using db = new Database(path, { readonly: true })
  return db.query(sql).values()
}

const worth = (path: string) => [
  read('PRAGMA user_version', path),
  read('SELECT * FROM account', path),
  read('SELECT * FROM ledger', path),
  read('SELECT * FROM request', path),
]

async function differencesIn(path: string): Promise<readonly string[]> {
  const store = openSqliteStore({ path, clock: Date.now, toStay: true })
  const found: string[] = []
  await verify({
    store: store.verification,
    since: undefined,
    tick: () => performance.now(),
    onProgress() {},
    onFound: async (one) => void found.push(JSON.stringify(one)),
  })
  await store.close()
  return found
}

test.each(Object.keys(oldDatabases).filter((name) => /5605f96|55909b4|26772c7/.test(name)))(
  'a database %s is upgraded beside a copy of itself, which a restore takes; both verify',
  async (name) => {
    makeOldDatabase(name, database)
    const before = worth(database)
    await upgradeIt()
    expect(await differencesIn(database)).toEqual([])
    expect(worth(copy)).toEqual(before)
    expect(readdirSync(folder.path).filter((file) => file.endsWith('.tmp'))).toEqual([])

    const target = folder.join('restored.db')
    await restore({ file: copy, database: target })
    expect(await differencesIn(target)).toEqual([])
  },
)

test('what the journal holds is in the copy', async () => {
  makeOldDatabase('of 55909b4, version 10', database)
  const writer = new Database(database)
  writer.run("UPDATE account SET name = 'in the journal' WHERE id = 1")
  await upgradeIt()
  expect(read('SELECT name FROM account WHERE id = 1', copy)).toEqual([['in the journal']])
  writer.close()
})

test('a copy of an upgrade that was ended is replaced by one of what there is now', async () => {
  makeOldDatabase('of 5605f96, version 1', copy)
  makeOldDatabase('of 55909b4, version 10', database)
  await upgradeIt()
  expect(read('PRAGMA user_version', copy)).toEqual([[10]])
})

test('without a copy nothing is upgraded, unless it is asked for', async () => {
  makeOldDatabase('of 55909b4, version 10', database)
  mkdirSync(copy)
  await expect(upgradeIt()).rejects.toThrow(
    'To upgrade it without a copy: tollgate serve --no-copy',
  )
  expect(read('PRAGMA user_version')).toEqual([[10]])
  await upgradeIt(false)
  expect(read('PRAGMA user_version')).toEqual([[newestVersion]])
})

test('nothing is upgraded whose keys the secret does not open', async () => {
  makeOldDatabase('of 55909b4, version 10', database)
  process.env.TOLLGATE_SECRET = 'the secret of another database'
  await expect(upgradeIt()).rejects.toThrow("can't be opened: they were sealed with another secret")
  expect(read('PRAGMA user_version')).toEqual([[10]])
  expect(existsSync(copy)).toBe(false)
})

test('the copy is removed at the third start, when two runs have ended in order', async () => {
  makeOldDatabase('of 55909b4, version 10', database)
  await upgradeIt()
  const told: string[] = []
  const tell = (message: string) => void told.push(message)
  const log = { info: tell, warn: tell, error: tell }
  for (const run of [1, 2, 3]) {
    expect(existsSync(copy)).toBe(true)
    const { file, close } = openSqliteStore({ path: database, clock: Date.now, toStay: true })
    if (file === undefined) throw new Error('no file')
    await removeCopies(file, log)
    expect(existsSync(copy)).toBe(run < 3)
    await file.countRun()
    await close()
  }
  expect(told).toEqual(['the copy of the database as it was before the upgrade is removed'])
})

test('copies beside a database that was made new are what is left of another one: they stay', async () => {
  makeOldDatabase('of 55909b4, version 10', copy)
  for (const _ of [1, 2, 3]) {
    const { file, close } = openSqliteStore({ path: database, clock: Date.now })
    if (file === undefined) throw new Error('no file')
    await removeCopies(file, { info() {}, warn() {}, error() {} })
    await file.countRun()
    await close()
  }
  expect(existsSync(copy)).toBe(true)
})

const filesIn = () =>
  readdirSync(folder.path).map((name) => [name, Bun.hash(readFileSync(folder.join(name)))])

const check = async (more: { withCopy?: boolean } = {}) => {
  const store = { path: database, synchronous: 'normal' } as const
  const findings = await checkDatabase({ store, withCopy: true, mayBeNew: false, ...more })
  return findings.map((pair) => pair.join(' ')).join('\n')
}

test('a check says what a start would do, and changes nothing', async () => {
  expect(await check()).toContain('there is none yet, it is made')
  expect(readdirSync(folder.path)).toEqual([])

  makeOldDatabase('of 5605f96, version 1', database)
  let before = filesIn()
  const found = await check()
  expect(found).toContain('version 1: of a former program')
  expect(found).toContain('\n 22: all tables are made anew, with what they hold')
  expect(found).toMatch(/Copy .*gate\.db\.before-v\d+, 1\d\d kB; .* are free/)
  expect(await check({ withCopy: false })).toContain('Copy none')
  expect(filesIn()).toEqual(before)

  // A killed program leaves its journal, which counts.
  const writer = new Database(database)
  writer.run('PRAGMA user_version = 999')
  const killed = folder.join('killed.db')
  for (const ending of ['', '-wal']) await Bun.write(killed + ending, Bun.file(database + ending))
  writer.close()
  for (const ending of ['', '-wal', '-shm']) rmSync(database + ending, { force: true })
  for (const ending of ['', '-wal']) renameSync(killed + ending, database + ending)
  before = filesIn()
  await expect(check()).rejects.toThrow('it is at version 999')
  expect(filesIn()).toEqual(before)
})

test('a check of an upgraded database finds nothing to do', async () => {
  makeOldDatabase('of 55909b4, version 10', database)
  await upgradeIt()
  expect(await check()).toEndWith(`version ${newestVersion}: up to date`)
})

test('a check fails where a start would: a newer database, another secret, none where one was', async () => {
  makeOldDatabase('of 55909b4, version 10', database)
  process.env.TOLLGATE_SECRET = 'the secret of another database'
  await expect(check()).rejects.toThrow("can't be opened")
  using db = new Database(database)
  db.run('PRAGMA user_version = 999')
  await expect(check()).rejects.toThrow('written by a newer version')
  db.close()
  rmSync(database)
  await Bun.write(`${database}.secret`, fixtureSecret)
  await expect(check()).rejects.toThrow(`${database} is not there, but ${database}.secret is`)
})
