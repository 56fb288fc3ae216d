import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { chmodSync, existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openSqliteStore } from '../../../src/store/sqlite/open.ts'
import { now, priceWrite, seed, settlement, temporaryDirectory } from '../support.ts'

const clock = () => now
const openModule = join(import.meta.dir, '../../../src/store/sqlite/open.ts')

function failureOf(path: string): string {
  try {
    openSqliteStore({ path, clock })
  } catch (error) {
    return String(error)
  }
  return 'opened'
}

test('opens a database in memory', async () => {
  const store = openSqliteStore({ path: ':memory:', clock })
  expect(await store.catalog.load()).toEqual({ channels: [], groups: [], prices: [] })
  await store.close()
})

test('keeps what was written, in one file that only its owner reads', async () => {
  using directory = temporaryDirectory()
  const path = directory.file('gate.db')
  const first = openSqliteStore({ path, clock })
  await seed(first)
  await first.close()
  expect(existsSync(`${path}-wal`)).toBe(false)
  expect(statSync(path).mode & 0o777).toBe(0o600)
  const second = openSqliteStore({ path, clock })
  expect((await second.tokens.findByHash('hash-1'))?.name).toBe('laptop')
  await second.close()
  await second.close()
})

test.each(['normal', 'full'] as const)(
  'writes with WAL, foreign keys and strict tables (%s)',
  async (synchronous) => {
    using directory = temporaryDirectory()
    const path = directory.file('gate.db')
    const store = openSqliteStore({ path, clock, synchronous })
    await seed(store)
    await expect(
      store.records.commit({ settle: [settlement({ requestId: 'req_1', tokenId: 77 })] }),
    ).rejects.toThrow('FOREIGN KEY')
    await expect(
      store.records.commit({ settle: [settlement({ requestId: 'req_1', durationMs: 1.5 })] }),
    ).rejects.toThrow('cannot store REAL value in INTEGER column')
    await store.close()
    const db = new Database(path)
    expect(db.query('PRAGMA journal_mode').get()).toEqual({ journal_mode: 'wal' })
    expect(
      db
        .query(
          "SELECT name FROM pragma_table_list WHERE schema = 'main' AND NOT strict AND name NOT LIKE 'sqlite_%'",
        )
        .all(),
    ).toEqual([])
    db.close()
  },
)

test.each([
  ['a new database has small pages', undefined, 2048],
  ['an old one keeps its own', 4096, 4096],
])('%s', async (_, before, after) => {
  using directory = temporaryDirectory()
  const path = directory.file('gate.db')
  if (before) {
    using old = new Database(path)
    old.run(`PRAGMA page_size = ${before}; VACUUM`)
  }
  const store = openSqliteStore({ path, clock })
  await seed(store)
  await store.close()
  using db = new Database(path)
  expect(db.query('PRAGMA page_size').get()).toEqual({ page_size: after })
})

test('refuses a database of a newer version', async () => {
  using directory = temporaryDirectory()
  const path = directory.file('gate.db')
  await openSqliteStore({ path, clock }).close()
  const db = new Database(path)
  db.run('PRAGMA user_version = 999')
  db.close()
  expect(failureOf(path)).toContain(`${path} was written by a newer version`)
  expect(failureOf(path)).toContain('999')
})

test('refuses a database of another program and leaves it as it is', () => {
  using directory = temporaryDirectory()
  const path = directory.file('other.db')
  const db = new Database(path)
  db.run('CREATE TABLE notes (text TEXT)')
  db.close()
  expect(failureOf(path)).toContain(`${path} belongs to another program`)
  const after = new Database(path)
  expect(after.query('SELECT name FROM sqlite_schema').all()).toEqual([{ name: 'notes' }])
  after.close()
})

test('names the path and the way out when there is no database to be had', () => {
  using directory = temporaryDirectory()
  const text = directory.file('notes.txt')
  writeFileSync(text, 'this is no database, but some words that are long enough to look at')
  expect(failureOf(text)).toContain(`${text} is not a SQLite database: give the path`)
  const missing = directory.file('no/such/gate.db')
  expect(failureOf(missing)).toMatch(/gate\.db can not be opened: the directory .* does not exist/)
  expect(failureOf(directory.path)).toContain('it is not a file')
  expect(failureOf('/proc/gate.db')).toContain('/proc/gate.db')
})

test.skipIf(process.getuid?.() === 0)('says what is not writable', () => {
  using directory = temporaryDirectory()
  const closed = directory.file('closed')
  mkdirSync(closed)
  chmodSync(closed, 0o500)
  expect(failureOf(join(closed, 'gate.db'))).toContain(`${closed} is not writable`)
})

test('two processes may make the same new file at once', async () => {
  using directory = temporaryDirectory()
  const path = directory.file('gate.db')
  const script = `
    import { openSqliteStore } from ${JSON.stringify(openModule)}
    const start = Number(process.argv[1])
    while (Date.now() < start) {}
    const store = openSqliteStore({ path: ${JSON.stringify(path)}, clock: Date.now })
    await store.admin.accounts()
    await store.close()
  `
  const start = String(Date.now() + 400)
  const runs = [0, 1, 2, 3].map(() =>
    Bun.spawn([process.execPath, '-e', script, start], { stdout: 'pipe', stderr: 'pipe' }),
  )
  const errors = await Promise.all(runs.map((run) => new Response(run.stderr).text()))
  expect(errors.join('')).toBe('')
  expect(await Promise.all(runs.map((run) => run.exited))).toEqual([0, 0, 0, 0])
  const store = openSqliteStore({ path, clock })
  expect(await store.admin.accounts()).toEqual([])
  await store.close()
})

test('tells a change by another process from its own', async () => {
  using directory = temporaryDirectory()
  const path = directory.file('gate.db')
  const server = openSqliteStore({ path, clock })
  const command = openSqliteStore({ path, clock })
  await server.changedElsewhere()
  await seed(server)
  expect(await server.changedElsewhere()).toBe(false)
  expect(await command.changedElsewhere()).toBe('all')
  await command.admin.write({ prices: [priceWrite('new', { unit: 'free' })] })
  expect(await server.changedElsewhere()).toBe('all')
  expect(await server.changedElsewhere()).toBe(false)
  await command.admin.accounts()
  expect(await server.changedElsewhere()).toBe(false)
  await command.close()
  await server.close()
})
