import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { getPriority } from 'node:os'
import { StoreError } from '../../../src/store/ports/store-error.ts'
import { openDatabaseThread } from '../../../src/store/sqlite/thread.ts'
import { temporaryDirectory } from '../support.ts'

function makeDatabase(path: string): void {
  const db = new Database(path, { create: true })
  db.run('CREATE TABLE thing (name TEXT, size INTEGER, body BLOB)')
  db.run("INSERT INTO thing VALUES ('a', 1, x'0102'), ('b', NULL, NULL)")
  db.close()
}

test('gives rows, and takes parameters, in the order in which it was asked', async () => {
  using directory = temporaryDirectory()
  const path = directory.file('things.db')
  makeDatabase(path)
  const thread = await openDatabaseThread(path)
  expect(await thread.all<object>('SELECT * FROM thing ORDER BY name')).toEqual([
    { name: 'a', size: 1, body: new Uint8Array([1, 2]) },
    { name: 'b', size: null, body: null },
  ])
  expect(await thread.all<object>('SELECT size FROM thing WHERE name = ?', 'a')).toEqual([
    { size: 1 },
  ])
  await thread.all('INSERT INTO thing VALUES (?, ?, NULL)', 'c', 3)
  await thread.all('UPDATE thing SET size = size + 1')
  expect(await thread.all<object>("SELECT size FROM thing WHERE name = 'c'")).toEqual([{ size: 4 }])
  await thread.close()
})

test('answers each of several questions at once with its own rows', async () => {
  using directory = temporaryDirectory()
  const path = directory.file('things.db')
  makeDatabase(path)
  const thread = await openDatabaseThread(path)
  const select = 'SELECT ? AS value'
  const [one, wrong, two] = await Promise.allSettled([
    thread.all<object>(select, 1),
    thread.all('SELECT missing'),
    thread.all<object>(select, 2),
  ])
  expect([one, two]).toEqual([
    { status: 'fulfilled', value: [{ value: 1 }] },
    { status: 'fulfilled', value: [{ value: 2 }] },
  ])
  expect(wrong.status).toBe('rejected')
  await thread.close()
})

test('leaves this thread free while a statement runs', async () => {
  using directory = temporaryDirectory()
  const path = directory.file('things.db')
  makeDatabase(path)
  const thread = await openDatabaseThread(path)
  const count = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000000)
    SELECT count(*) AS count FROM n`
  const counting = thread.all<object>(count)
  let turns = 0
  while (Bun.peek.status(counting) === 'pending') {
    turns++
    await new Promise((resolve) => setImmediate(resolve))
  }
  expect(await counting).toEqual([{ count: 3_000_000 }])
  expect(turns).toBeGreaterThan(10)
  await thread.close()
})

test('a failure comes out explained, under the name that it is to have, and the thread goes on', async () => {
  using directory = temporaryDirectory()
  const path = directory.file('things.db')
  makeDatabase(path)
  const thread = await openDatabaseThread(path, 'the copy')
  const failureOf = (sql: string) => thread.all(sql).catch((error: unknown) => error)
  const wrong = await failureOf('SELECT missing FROM thing')
  expect(String(wrong)).toContain('no such column: missing')
  expect(wrong).not.toBeInstanceOf(StoreError)
  const locked = new Database(path)
  locked.run('BEGIN EXCLUSIVE')
  await thread.all('PRAGMA busy_timeout = 0')
  const blocked = await failureOf('SELECT * FROM thing')
  expect(blocked).toBeInstanceOf(StoreError)
  expect(String(blocked)).toContain('The database the copy is locked by another process')
  locked.close()
  expect(await thread.all('SELECT * FROM thing')).toHaveLength(2)
  await thread.close()
})

test('makes no database where there is none', async () => {
  using directory = temporaryDirectory()
  const path = directory.file('none.db')
  await expect(openDatabaseThread(path)).rejects.toThrow(`${path} can not be opened`)
  expect(await Bun.file(path).exists()).toBeFalse()
})

test.if(process.platform === 'linux')(
  'a patient thread gives way to all others, and this one stays as it is',
  async () => {
    using directory = temporaryDirectory()
    const path = directory.file('things.db')
    makeDatabase(path)
    const before = new Set(readdirSync('/proc/self/task'))
    const own = getPriority(process.pid)
    const thread = await openDatabaseThread(path, path, true)
    const others = readdirSync('/proc/self/task').filter((name) => !before.has(name))
    expect(others.map((name) => getPriority(Number(name)))).toContain(19)
    expect(getPriority(process.pid)).toBe(own)
    await thread.close()
  },
)
