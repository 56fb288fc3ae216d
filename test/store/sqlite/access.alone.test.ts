import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { createAccess } from '../../../src/store/sqlite/file.ts'
import { openSqliteStore } from '../../../src/store/sqlite/open.ts'
import { startOwnTime } from '../../support/own-time.ts'
import { now, seed, settlement, temporaryDirectory } from '../support.ts'

let directory: ReturnType<typeof temporaryDirectory>
let db: Database
let other: Database

beforeEach(() => {
  directory = temporaryDirectory()
  db = new Database(directory.file('some.db'), { create: true })
  db.run('PRAGMA journal_mode = WAL')
  db.run('CREATE TABLE number (value INTEGER)')
  db.run('PRAGMA busy_timeout = 400')
  other = new Database(directory.file('some.db'))
})
afterEach(() => {
  other.close()
  db.close()
  directory[Symbol.dispose]()
})

const write = () => db.run('INSERT INTO number VALUES (1)')

test.each(['the first', 'the second'])(
  '%s work leaves the others free while it waits',
  async (which) => {
    // A machine may stall, and not each time.
    let takenMs = Number.POSITIVE_INFINITY
    for (let round = 0; round < 5 && takenMs >= 100; round++) {
      db.run('PRAGMA busy_timeout = 400')
      const access = createAccess(db)
      if (which === 'the second') await access(write)
      other.run('BEGIN IMMEDIATE')
      const started = performance.now()
      const working = access(write)
      takenMs = performance.now() - started
      other.run('ROLLBACK')
      expect((await working).changes).toBe(1)
    }
    expect(takenMs).toBeLessThan(100)
  },
)

test('it gives up after the busy timeout, and says why', async () => {
  const access = createAccess(db)
  other.run('BEGIN IMMEDIATE')
  using time = startOwnTime()
  const started = performance.now()
  await expect(access(write)).rejects.toThrow('is locked by another process')
  expect(performance.now() - started).toBeGreaterThanOrEqual(390)
  expect(time.now()).toBeLessThan(1_500)
  other.run('ROLLBACK')
})

test('what fails for another reason is not tried again', async () => {
  let tries = 0
  const access = createAccess(db)
  const failing = access(() => {
    tries++
    throw new RangeError('no')
  })
  await expect(failing).rejects.toThrow(RangeError)
  expect(tries).toBe(1)
})

test('everything that a store does waits for another process, and leaves the others free', async () => {
  const path = directory.file('gate.db')
  const store = openSqliteStore({ path, clock: () => now })
  await seed(store)
  const gate = new Database(path)
  gate.run('BEGIN IMMEDIATE')
  const started = performance.now()
  const working = [
    store.records.commit({ settle: [settlement({ requestId: 'req_1' })] }),
    store.records.sweep(),
    store.file?.countRun(),
  ]
  expect(performance.now() - started).toBeLessThan(100)
  const first = await Promise.race([...working, Bun.sleep(50).then(() => 'still waiting')])
  expect(first).toBe('still waiting')
  gate.run('ROLLBACK')
  await Promise.all(working)
  expect((await store.records.receipt('req_1'))?.request.requestId).toBe('req_1')
  gate.close()
  await store.close()
})
