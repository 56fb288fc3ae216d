import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { createPatience } from '../../../src/store/sqlite/file.ts'
import { startOwnTime } from '../../support/own-time.ts'
import { temporaryDirectory } from '../support.ts'

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
const timeout = () => db.prepare('PRAGMA busy_timeout').get()

test.each(['the first', 'the second'])(
  '%s work leaves the others free while it waits',
  async (which) => {
    const patiently = createPatience(db)
    if (which === 'the second') await patiently(write)
    // A machine may stall, and not each time.
    let takenMs = Number.POSITIVE_INFINITY
    for (let round = 0; round < 5 && takenMs >= 100; round++) {
      other.run('BEGIN IMMEDIATE')
      const started = performance.now()
      const working = (which === 'the first' ? createPatience(db) : patiently)(write)
      takenMs = performance.now() - started
      other.run('ROLLBACK')
      expect((await working).changes).toBe(1)
    }
    expect(takenMs).toBeLessThan(100)
  },
)

test('it gives up after the busy timeout, and says why', async () => {
  const patiently = createPatience(db)
  other.run('BEGIN IMMEDIATE')
  using time = startOwnTime()
  const started = performance.now()
  await expect(patiently(write)).rejects.toThrow('is locked by another process')
  expect(performance.now() - started).toBeGreaterThanOrEqual(390)
  expect(time.now()).toBeLessThan(1_500)
  other.run('ROLLBACK')
})

test('what fails for another reason is not tried again', async () => {
  let tries = 0
  const patiently = createPatience(db)
  const failing = patiently(() => {
    tries++
    throw new RangeError('no')
  })
  await expect(failing).rejects.toThrow(RangeError)
  expect(tries).toBe(1)
})

test('other writing of the connection waits as long as ever', async () => {
  const patiently = createPatience(db)
  expect(timeout()).toEqual({ timeout: 400 })
  await patiently(write)
  expect(timeout()).toEqual({ timeout: 400 })
})
