import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { ListsBusy } from '../../../../src/store/ports/lists.ts'
import { StoreError } from '../../../../src/store/ports/store-error.ts'
import { createReader, createThreadReader } from '../../../../src/store/sqlite/lists.ts'
import { temporaryDirectory } from '../../support.ts'

let directory: ReturnType<typeof temporaryDirectory>
let path: string
let db: Database

beforeEach(() => {
  directory = temporaryDirectory()
  path = directory.file('things.db')
  db = new Database(path)
  db.run('PRAGMA journal_mode = WAL')
  db.run('CREATE TABLE thing (size INTEGER)')
  db.run('INSERT INTO thing VALUES (1), (2)')
})
afterEach(() => {
  db.close()
  directory[Symbol.dispose]()
})

const slow = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000000)
  SELECT count(*) AS count FROM n`

test('reads what is committed, and leaves this thread free meanwhile', async () => {
  const reader = createReader(db)
  expect(await reader.all('SELECT * FROM thing WHERE size > ?', [1])).toEqual([{ size: 2 }])
  db.run('INSERT INTO thing VALUES (3)')
  expect(await reader.all('SELECT max(size) AS size FROM thing', [])).toEqual([{ size: 3 }])
  const counting = reader.all(slow, [])
  let turns = 0
  while (Bun.peek.status(counting) === 'pending') {
    turns++
    await new Promise((resolve) => setImmediate(resolve))
  }
  expect(turns).toBeGreaterThan(10)
  await reader.close()
})

test('writes nothing', async () => {
  const reader = createReader(db)
  const writing = reader.all('DELETE FROM thing', [])
  await expect(writing).rejects.toBeInstanceOf(StoreError)
  expect(db.query('SELECT count(*) AS count FROM thing').get()).toEqual({ count: 2 })
  await reader.close()
})

test('refuses the 65th statement that is to wait, and takes others when these are done', async () => {
  const reader = createReader(db)
  const asked = Array.from({ length: 70 }, (_, at) =>
    reader.all(at === 0 ? slow : 'SELECT 1 AS one', []),
  )
  const answers = await Promise.allSettled(asked)
  const refused = answers.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))
  expect(refused).toHaveLength(6)
  for (const reason of refused) expect(reason).toBeInstanceOf(ListsBusy)
  expect(String(refused[0])).toContain('Try again in some seconds')
  expect(await reader.all('SELECT 1 AS one', [])).toEqual([{ one: 1 }])
  await reader.close()
})

test('lets go of the file when idle, and opens it again', async () => {
  const reader = createThreadReader(path, 20)
  const cacheSize = async () => (await reader.all<object>('PRAGMA cache_size', []))[0]
  const usual = await cacheSize()
  await reader.all('PRAGMA cache_size = -777', [])
  expect(await cacheSize()).toEqual({ cache_size: -777 })
  // What was set of the connection is gone with it.
  for (let waitMs = 40; !Bun.deepEquals(await cacheSize(), usual); waitMs *= 2) {
    await Bun.sleep(waitMs)
  }
  await reader.close()
  await expect(reader.all('SELECT 1', [])).rejects.toThrow('closed')
})

test('opens no file before its first use', async () => {
  const none = directory.file('none.db')
  const reader = createThreadReader(none, 20)
  new Database(none, { create: true }).close()
  expect(await reader.all('SELECT 1 AS one', [])).toEqual([{ one: 1 }])
  await reader.close()
})

test('a failure is the answer to its question alone', async () => {
  const reader = createReader(db)
  const [wrong, right] = await Promise.allSettled([
    reader.all('SELECT missing FROM thing', []),
    reader.all('SELECT 1 AS one', []),
  ])
  expect(wrong.status).toBe('rejected')
  expect(right).toEqual({ status: 'fulfilled', value: [{ one: 1 }] })
  await reader.close()
})

test('a database in memory is read through its only connection', async () => {
  const memory = new Database(':memory:')
  memory.run('CREATE TABLE thing AS SELECT 5 AS size')
  const reader = createReader(memory)
  expect(await reader.all('SELECT * FROM thing WHERE size = ?', [5])).toEqual([{ size: 5 }])
  await expect(reader.all('SELECT missing', [])).rejects.toThrow('missing')
  await reader.close()
  memory.close()
})
