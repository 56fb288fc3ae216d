import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { join } from 'node:path'
import { openSqliteStore } from '../../../src/store/sqlite/open.ts'
import { channelWrite, now, seed, settlement, temporaryDirectory, tokenWrite } from '../support.ts'
import { reservation } from './file-store.ts'
import { rowsOf, writeFirstVersion } from './first-version.ts'

const clock = () => now
const openModule = join(import.meta.dir, '../../../src/store/sqlite/open.ts')

let directory: ReturnType<typeof temporaryDirectory>
/** A database of version 1 with rows in every table. */
let path: string
/** What is in it. */
let first: ReturnType<typeof rowsOf>

beforeEach(async () => {
  directory = temporaryDirectory()
  path = directory.file('gate.db')
  const store = openSqliteStore({ path: directory.file('source.db'), clock })
  await seed(store)
  await store.admin.write({
    channels: [channelWrite({ name: 'spare', status: 'disabled' })],
    tokens: [tokenWrite({ name: 'gone', keyHash: 'hash-2' })],
  })
  await store.admin.write({ remove: { tokenIds: [2], channels: ['spare'] } })
  const credit = { amountNano: 5, reason: 'paid', idempotencyKey: 'key-1', actor: 'command line' }
  await store.admin.adjust({ account: 'ann@example.com', kind: 'credit', ...credit })
  await store.records.commit({
    settle: [1, 2, 3].map((at) => settlement({ requestId: `req_${at}` })),
    reserve: [reservation({ requestId: 'open_1' })],
  })
  await store.close()
  writeFirstVersion(directory.file('source.db'), path)
  first = rowsOf(path)
})
afterEach(() => directory[Symbol.dispose]())

/** The rows of version 1 as version 2 has them. */
const second = (): typeof first => ({
  ...first,
  channel: (first.channel ?? []).map((row) => ({ ...row, quirks: '[]' })),
  token: (first.token ?? []).map((row) => ({ ...row, strict: 0 })),
})

function read(sql: string, file = path): unknown[] {
  const db = new Database(file, { readonly: true })
  const rows = db.query(sql).values()
  db.close()
  return rows
}

test('a database of version 1 is brought to version 2 without loss', async () => {
  const empty = Object.entries(first).filter(([, rows]) => rows.length === 0)
  expect(empty).toEqual([])
  expect(first.channel?.[0]).not.toHaveProperty('quirks')
  expect(read('PRAGMA user_version')).toEqual([[1]])

  const store = openSqliteStore({ path, clock })
  const { channels } = await store.catalog.load()
  expect(channels).toEqual([{ id: 1, ...channelWrite(), keysSealed: Uint8Array.of(1, 2, 3) }])
  expect((await store.tokens.findByHash('hash-1'))?.isStrict).toBe(false)
  expect(await store.admin.tokens({})).toEqual([{ id: 1, ...tokenWrite(), createdAt: now }])
  await store.close()

  expect(rowsOf(path)).toEqual(second())
  expect(read('PRAGMA user_version')).toEqual([[2]])
  expect(read('PRAGMA integrity_check')).toEqual([['ok']])
  expect(read('PRAGMA foreign_key_check')).toEqual([])
})

test('its tables are those of a new database', async () => {
  await openSqliteStore({ path, clock }).close()
  const fresh = directory.file('fresh.db')
  await openSqliteStore({ path: fresh, clock }).close()
  const schema = 'SELECT type, name, sql FROM sqlite_schema ORDER BY type, name'
  expect(read(schema)).toEqual(read(schema, fresh))
})

test('several processes may bring it to version 2 at once', async () => {
  const script = `
    import { openSqliteStore } from ${JSON.stringify(openModule)}
    const start = Number(process.argv[1])
    while (Date.now() < start) {}
    const store = openSqliteStore({ path: ${JSON.stringify(path)}, clock: Date.now })
    console.log(JSON.stringify((await store.catalog.load()).channels[0].quirks))
    await store.close()
  `
  const start = String(Date.now() + 400)
  const runs = [0, 1, 2].map(() =>
    Bun.spawn([process.execPath, '-e', script, start], { stdout: 'pipe', stderr: 'pipe' }),
  )
  const errors = await Promise.all(runs.map((run) => run.stderr.text()))
  expect(errors.join('')).toBe('')
  expect(await Promise.all(runs.map((run) => run.stdout.text()))).toEqual(['[]\n', '[]\n', '[]\n'])
  expect(rowsOf(path)).toEqual(second())
  expect(read('PRAGMA user_version')).toEqual([[2]])
})

test('a program of version 1 that is running goes on writing beside it', async () => {
  const old = new Database(path)
  const columns = 'group_id, key_sealed, key_hint, status, models, ip_allow, created_at'
  const insert = old.prepare(
    `INSERT INTO token (account_id, name, key_hash, ${columns})
     SELECT account_id, ?1, ?1, ${columns} FROM token WHERE id = 1`,
  )
  insert.run('before')
  const store = openSqliteStore({ path, clock })
  insert.run('after')
  insert.finalize()
  old.close()
  for (const key of ['before', 'after'])
    expect(await store.tokens.findByHash(key)).toMatchObject({ name: key, isStrict: false })
  await store.close()
})

test('a step that fails leaves version 1 as it was', () => {
  // The second column of the step is there already, so that only its first one could be added.
  const db = new Database(path)
  db.run('ALTER TABLE token ADD COLUMN strict INTEGER')
  db.close()
  const before = rowsOf(path)
  expect(() => openSqliteStore({ path, clock })).toThrow('duplicate column name: strict')
  expect(rowsOf(path)).toEqual(before)
  expect(read('PRAGMA user_version')).toEqual([[1]])
})

test('neither column takes what it can not mean', async () => {
  await openSqliteStore({ path, clock }).close()
  const db = new Database(path)
  expect(() => db.run("UPDATE channel SET quirks = '['")).toThrow('CHECK constraint failed')
  expect(() => db.run('UPDATE token SET strict = 2')).toThrow('CHECK constraint failed')
  db.close()
})
