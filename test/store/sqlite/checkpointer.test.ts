import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { copyFileSync, existsSync, readFileSync, statSync } from 'node:fs'
import { createCheckpointer } from '../../../src/store/sqlite/checkpointer.ts'
import { openSqliteStore } from '../../../src/store/sqlite/open.ts'
import { now, seed, settlement, temporaryDirectory } from '../support.ts'

let directory: ReturnType<typeof temporaryDirectory>

beforeEach(() => {
  directory = temporaryDirectory()
})
afterEach(() => directory[Symbol.dispose]())

const turn = () => new Promise<void>((resolve) => setImmediate(resolve))
const journalBytes = (path: string) => statSync(`${path}-wal`).size
/** Another one each time that the journal begins anew: the salts in its head. */
const journalName = (path: string) => readFileSync(`${path}-wal`).toHex().slice(32, 48)

/** A database whose own connection never moves the journal, with a row in the journal. */
function openUnmoved(path: string): Database {
  const db = new Database(path, { create: true })
  db.run('PRAGMA journal_mode = WAL')
  db.run('PRAGMA wal_autocheckpoint = 0')
  db.run('CREATE TABLE number (value INTEGER)')
  db.run('INSERT INTO number VALUES (1)')
  return db
}

/** What is in the file itself, without its journal. */
function movedTables(path: string): number {
  copyFileSync(path, directory.file('copy.db'))
  using copy = new Database(directory.file('copy.db'))
  const text = 'SELECT count(*) AS count FROM sqlite_schema'
  return copy.query<{ count: number }, []>(text).get()?.count ?? 0
}

test('after so many commits, and not before, the journal is in the database', async () => {
  const path = directory.file('some.db')
  using _db = openUnmoved(path)
  const checkpointer = createCheckpointer(path)
  for (let commit = 1; commit < 256; commit++) checkpointer.count()
  await checkpointer.close()
  expect(movedTables(path)).toBe(0)
  checkpointer.count()
  await checkpointer.close() // waits for the move
  expect(movedTables(path)).toBe(1)
  await checkpointer.close()
})

test('where no thread can do it, nothing fails', async () => {
  const checkpointer = createCheckpointer(directory.file('missing/some.db'))
  for (let commit = 0; commit < 600; commit++) checkpointer.count()
  await checkpointer.close()
  expect(checkpointer.lastStep).toBeUndefined()
})

test('a journal that is written on all the while does not grow', async () => {
  const path = directory.file('gate.db')
  const store = openSqliteStore({ path, clock: () => now })
  await seed(store)
  await store.changedElsewhere()
  const commit = async (count: number, name: string) => {
    for (let at = 0; at < count; at++) {
      await store.records.commit({ settle: [settlement({ requestId: `${name}_${at}` })] })
      await turn()
    }
  }
  await commit(200, 'first')
  const bytes = journalBytes(path)
  for (let round = 0; round < 6; round++) {
    const name = journalName(path)
    await commit(300, `more_${round}`)
    // A busy machine gives the thread its turn late; too few come meanwhile for another move.
    for (let late = 0; late < 20 && journalName(path) === name; late++) {
      await Bun.sleep(100)
      await commit(1, `late_${round}_${late}`)
    }
  }
  expect(journalBytes(path)).toBeLessThan(5 * bytes)
  // The thread changes nothing: what the gateway remembers of the database stays true.
  expect(await store.changedElsewhere()).toBe(false)
  await store.close()
  expect(existsSync(`${path}-wal`)).toBe(false)
})

test('a store may be closed while its journal is being moved', async () => {
  const path = directory.file('gate.db')
  const store = openSqliteStore({ path, clock: () => now })
  await seed(store)
  for (let at = 0; at < 256; at++) {
    await store.records.commit({ settle: [settlement({ requestId: `req_${at}` })] })
  }
  await store.close()
  expect(existsSync(`${path}-wal`)).toBe(false)
  expect(movedTables(path)).toBeGreaterThan(10)
})

test('where the database can not be read, nothing fails, and it may be closed', async () => {
  const path = directory.file('broken.db')
  await Bun.write(path, 'This is no database.'.repeat(1_000))
  const checkpointer = createCheckpointer(path)
  for (let round = 0; round < 3; round++) {
    for (let commit = 0; commit < 2_816; commit++) checkpointer.count()
    await turn()
  }
  await checkpointer.close()
  expect(checkpointer.lastStep).toBeUndefined()
})

test('while somebody reads an older state, no commit waits for the journal', async () => {
  const path = directory.file('read.db')
  using db = openUnmoved(path)
  using reader = new Database(path)
  reader.run('BEGIN')
  reader.query('SELECT * FROM number').all()
  db.run('INSERT INTO number VALUES (2)')
  const checkpointer = createCheckpointer(path)
  const steps = new Set<unknown>()
  for (let commit = 0; commit < 256; commit++) checkpointer.count()
  const closed = checkpointer.close()
  while (await Promise.race([closed.then(() => false), turn().then(() => true)]))
    steps.add(checkpointer.lastStep)
  expect([...steps]).toEqual([undefined])
  reader.run('COMMIT')
})
