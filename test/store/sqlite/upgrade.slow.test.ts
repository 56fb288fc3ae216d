import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { firstVersion, newestVersion } from '../../../src/store/schema/versions.ts'
import { applicationId } from '../../../src/store/sqlite/file.ts'
import { migrate, upgradeFile } from '../../../src/store/sqlite/migrate.ts'
import { openSqliteStore } from '../../../src/store/sqlite/open.ts'
import { formerSteps, makeOldDatabase, oldDatabases } from '../../support/old-databases.ts'
import { now, temporaryDirectory } from '../support.ts'

const clock = () => now

let directory: ReturnType<typeof temporaryDirectory>
let path: string
let fresh: ReturnType<typeof read>

beforeEach(async () => {
  directory = temporaryDirectory()
  path = directory.file('gate.db')
  await openSqliteStore({ path: directory.file('fresh.db'), clock }).close()
  fresh = read(schema, directory.file('fresh.db'))
})
afterEach(() => directory[Symbol.dispose]())

const schema = 'SELECT type, name, sql FROM sqlite_schema ORDER BY type, name'

function read(sql: string, file = path) {
  using db = new Database(file, { readonly: true })
  return db.query(sql).values()
}

const run = (sql: string) => {
  using db = new Database(path)
  db.run(sql)
}

/** What is worth something, in every version. */
const worth = () => [
  read('SELECT id, email, balance_nano FROM account ORDER BY id'),
  read('SELECT id, account_id, kind, amount_nano, balance_after_nano FROM ledger ORDER BY id'),
  read('SELECT id, request_id, amount_nano, usage_raw FROM request ORDER BY id'),
  read('SELECT request_row, position, usage_raw FROM attempt ORDER BY 1, 2'),
  read('SELECT id, account_id, name, hex(key_sealed) FROM token ORDER BY id'),
  read('SELECT token_id, day, model, requests, amount_nano FROM usage_day ORDER BY 1, 2, 3'),
]

describe.each(Object.keys(oldDatabases))('a database %s', (name) => {
  test('has the tables of a new one when it is upgraded, and all that is worth something', async () => {
    makeOldDatabase(name, path)
    const before = worth()
    await upgradeFile(path, async () => {})
    expect(read(schema)).toEqual(fresh)
    expect(worth()).toEqual(before)
    expect(read('PRAGMA user_version')).toEqual([[newestVersion]])
    expect(read('PRAGMA foreign_key_check')).toEqual([])
    expect(read('PRAGMA integrity_check')).toEqual([['ok']])
    expect(read('PRAGMA auto_vacuum')).toEqual([[2]])
    await openSqliteStore({ path, clock, toStay: true }).close()
  })
})

test('a database of every version has the tables of a new one when it is upgraded', () => {
  for (let version = 1; version < firstVersion; version++) {
    using db = new Database(':memory:')
    for (const { sqlite } of formerSteps.slice(0, version)) if (sqlite) db.run(sqlite)
    db.run(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${version}`)
    migrate(db, ':memory:')
    expect(db.query(schema).values()).toEqual(fresh)
  }
})

test('what is removed from a new database can be given back', () => {
  expect(read('PRAGMA auto_vacuum', directory.file('fresh.db'))).toEqual([[2]])
})

test('passwords of a program whose fourth step was another one are not lost', async () => {
  makeOldDatabase('of f6266e9, version 4 without signing in', path)
  await upgradeFile(path, async () => {})
  expect(read('SELECT account_id, password_hash FROM credential')).toEqual([[1, 'argon2 hash']])
})

test('an upgrade is one step: what fails in the middle leaves the database as it was', async () => {
  makeOldDatabase('of 55909b4, version 10', path)
  run('CREATE TABLE response (id TEXT, theirs TEXT); INSERT INTO response VALUES (1, 2)')
  const before = read(schema)
  await expect(upgradeFile(path, async () => {})).rejects.toThrow(
    'could not be upgraded from version 10 to',
  )
  expect(read(schema)).toEqual(before)
  expect(read('PRAGMA user_version')).toEqual([[10]])
})

test('tables that are not ours stay, and a column that is not ours is not thrown away', async () => {
  makeOldDatabase('of 5605f96, version 1', path)
  run("CREATE TABLE theirs (a); INSERT INTO theirs VALUES ('kept')")
  run("ALTER TABLE account ADD COLUMN note TEXT; UPDATE account SET note = 'mine' WHERE id = 2")
  await expect(upgradeFile(path, async () => {})).rejects.toThrow('account.note. Remove it first')
  run('ALTER TABLE account DROP COLUMN note')
  await upgradeFile(path, async () => {})
  expect(read('SELECT a FROM theirs')).toEqual([['kept']])
})

test('nobody writes between the copy and the first step', async () => {
  makeOldDatabase('of 55909b4, version 10', path)
  await upgradeFile(path, async () => {
    using other = new Database(path)
    other.run('PRAGMA busy_timeout = 0')
    expect(() => other.run('UPDATE account SET balance_nano = 0')).toThrow('locked')
  })
})

test('a former database is opened by nobody who may not upgrade it', () => {
  makeOldDatabase('of 55909b4, version 10', path)
  const before = read(schema)
  expect(() => openSqliteStore({ path, clock, toStay: true })).toThrow(
    `is at version 10, and this program needs version ${newestVersion}. "tollgate serve" upgrades it`,
  )
  expect(read(schema)).toEqual(before)
})

test('a newer database says which program wrote it, and names the copy of before', async () => {
  makeOldDatabase('of 55909b4, version 10', path)
  makeOldDatabase('of 5605f96, version 1', `${path}.before-v${newestVersion + 1}`)
  await upgradeFile(path, async () => {})
  run(`PRAGMA user_version = ${newestVersion + 1}; UPDATE program SET version = '7.8.9'`)
  const open = () => openSqliteStore({ path, clock })
  expect(open).toThrow(`(it is at version ${newestVersion + 1}, of Tollgate 7.8.9; this program`)
  expect(open).toThrow(`then: tollgate restore ${path}.before-v${newestVersion + 1}`)
  run('DROP TABLE program')
  expect(open).toThrow(`(it is at version ${newestVersion + 1}; this program`)
})
