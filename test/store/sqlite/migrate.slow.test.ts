import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { newestVersion, programVersion } from '../../../src/store/schema/versions.ts'
import { openSqliteStore } from '../../../src/store/sqlite/open.ts'
import {
  accountWrite,
  channelWrite,
  now,
  seed,
  settlement,
  temporaryDirectory,
  tokenWrite,
} from '../support.ts'
import { reservation } from './file-store.ts'
import { type OldVersion, type Row, type Rows, rowsOf, writeOldVersion } from './old-version.ts'

const clock = () => now
const openModule = join(import.meta.dir, '../../../src/store/sqlite/open.ts')

/** What a version knows of a channel and a token besides what the first one knows. */
const known = {
  1: { channel: {}, token: {} },
  2: { channel: { quirks: ['text_only'] }, token: { isStrict: true } },
  3: { channel: { quirks: ['text_only'] }, token: { isStrict: true } },
} as const

/** What stands in the way of an upgrade, and why it can't be made. */
const obstacles = {
  1: [
    'ALTER TABLE token ADD COLUMN theirs INTEGER DEFAULT 1',
    'it holds what no version of this program has made: token.theirs. Remove it first',
  ],
  2: [
    "CREATE TABLE availability (size TEXT); INSERT INTO availability VALUES ('')",
    'NOT NULL constraint failed: availability.started_at',
  ],
  3: [
    'CREATE TABLE passkey (id INTEGER); INSERT INTO passkey VALUES (1)',
    'NOT NULL constraint failed: passkey.account_id',
  ],
} as const

const password = { hash: 'argon2 hash', mark: 'mark' }

let directory: ReturnType<typeof temporaryDirectory>

beforeEach(() => {
  directory = temporaryDirectory()
})
afterEach(() => directory[Symbol.dispose]())

/** Makes a database of an old version with rows in every table. */
async function makeOld(version: OldVersion): Promise<{ path: string; rows: Rows }> {
  const path = directory.file('gate.db')
  const store = openSqliteStore({ path: directory.file('source.db'), clock })
  await seed(store)
  const { channel, token } = known[version]
  await store.admin.write({
    accounts: [accountWrite({ password }), accountWrite({ email: 'bob@example.com' })],
    channels: [channelWrite(channel), channelWrite({ name: 'spare', status: 'disabled' })],
    tokens: [tokenWrite(token), tokenWrite({ name: 'gone', keyHash: 'hash-2' })],
  })
  await store.admin.write({ remove: { tokenIds: [2], channels: ['spare'] } })
  const credit = { amountNano: 5, reason: 'paid', idempotencyKey: 'key-1', actor: 'command line' }
  await store.admin.adjust({ account: 'ann@example.com', kind: 'credit', ...credit })
  await store.records.commit({
    settle: [1, 2, 3].map((at) => settlement({ requestId: `req_${at}` })),
    reserve: [reservation({ requestId: 'open_1' })],
  })
  await store.close()
  writeOldVersion(version, directory.file('source.db'), path)
  return { path, rows: rowsOf(path) }
}

const unlimited = { rpm: null, tpm: null, concurrency: null }
const uncounted = { failed: null, begun: null, first_byte_ms: null }
const unsaid = { draining: 0, proxy_sealed: null, probe: null }

/** The rows of an old version as the newest one has them. */
function inNewest(rows: Rows): Rows {
  const changed = (table: string, change: (row: Row) => Row) => ({
    [table]: (rows[table] ?? []).map(change),
  })
  return {
    ...rows,
    ...changed('channel', (row) => ({ quirks: '[]', ...unlimited, ...unsaid, ...row })),
    ...changed('token', (row) => ({ strict: 0, max_cost_nano: null, ...unlimited, ...row })),
    ...changed('account', ({ password_hash, password_mark, ...row }) => ({
      ...unlimited,
      ...row,
      ...{ regions: null, name: '', email_verified: 1, two_factor_enabled: 0, updated_at: null },
    })),
    ...changed('group', (row) => ({
      tpm: null,
      accounts: null,
      tools: null,
      regions: null,
      ...row,
    })),
    ...changed('usage_day', (row) => ({ ...row, ...uncounted })),
    usage_total: (rows.usage_day ?? []).map(({ token_id: _, ...row }) => ({
      ...row,
      ...uncounted,
    })),
    ...changed('request', (row) => ({ ...row, extras: null, state: null })),
    ...changed('attempt', (row) => ({ ...row, key_mark: null })),
    ...changed('reservation', (row) => ({ ...row, node_id: null })),
    setting: [],
    program: [{ version: programVersion, runs: 0 }],
    node: [],
    cooling: [],
    availability: [],
    credential: [
      {
        ...{ id: 1, account_id: 1, provider: 'credential', subject: '1' },
        ...{ password_hash: password.hash, password_mark: password.mark },
        ...{ created_at: now, updated_at: now },
      },
    ],
    ...{ session: [], verification: [], two_factor: [], passkey: [], used_code: [] },
    ...{ kept_answer: [], background_answer: [], response: [], response_share: [], lease: [] },
  }
}

function read(sql: string, file: string): unknown[] {
  const db = new Database(file, { readonly: true })
  const rows = db.query(sql).values()
  db.close()
  return rows
}

describe.each([1, 2, 3] as const)('a database of version %i', (version) => {
  test('is brought to the newest version without loss', async () => {
    const { path, rows } = await makeOld(version)
    const empty = Object.entries(rows).filter(([, all]) => all.length === 0)
    expect(empty.map(([name]) => name)).toEqual(version < 3 ? [] : ['availability', 'cooling'])
    expect(Object.hasOwn(rows.channel?.[0] ?? {}, 'draining')).toBe(version >= 3)
    expect(Object.hasOwn(rows, 'cooling')).toBe(version >= 3)
    expect(rows.account?.[0]).toMatchObject({ password_hash: 'argon2 hash' })
    expect(read('PRAGMA user_version', path)).toEqual([[version]])

    const store = openSqliteStore({ path, clock })
    const { channel, token } = known[version]
    const { channels, groups } = await store.catalog.load()
    expect(channels).toEqual([
      {
        id: 1,
        ...channelWrite(channel),
        keysSealed: Uint8Array.of(1, 2, 3),
        proxySealed: null,
      },
    ])
    expect(groups[0]?.limits).toEqual({ rpm: 600, tpm: null, concurrency: null })
    expect(await store.tokens.findByHash('hash-1')).toMatchObject({
      isStrict: false,
      limits: unlimited,
      ...token,
      account: { limits: unlimited },
    })
    expect(await store.admin.tokens({})).toEqual([{ id: 1, ...tokenWrite(token), createdAt: now }])
    expect(await store.health.load()).toEqual([])
    expect(await store.admin.account('ann@example.com')).toMatchObject({ passwordMark: 'mark' })
    expect(await store.signIn.passwordHash(1)).toBe('argon2 hash')
    expect(await store.signIn.passwordHash(2)).toBeNull()
    await store.close()

    expect(rowsOf(path)).toEqual(inNewest(rows))
    expect(read('PRAGMA user_version', path)).toEqual([[newestVersion]])
    expect(read('PRAGMA integrity_check', path)).toEqual([['ok']])
    expect(read('PRAGMA foreign_key_check', path)).toEqual([])
  })

  test('has the tables of a new database then', async () => {
    const { path } = await makeOld(version)
    await openSqliteStore({ path, clock }).close()
    const fresh = directory.file('fresh.db')
    await openSqliteStore({ path: fresh, clock }).close()
    const schema = 'SELECT type, name, sql FROM sqlite_schema ORDER BY type, name'
    expect(read(schema, path)).toEqual(read(schema, fresh))
  })

  test('may be brought there by several processes at once', async () => {
    const { path, rows } = await makeOld(version)
    const script = `
      import { openSqliteStore } from ${JSON.stringify(openModule)}
      const start = Number(process.argv[1])
      while (Date.now() < start) {}
      const store = openSqliteStore({ path: ${JSON.stringify(path)}, clock: Date.now })
      console.log(JSON.stringify((await store.catalog.load()).channels[0].limits.rpm))
      await store.close()
    `
    const start = String(Date.now() + 400)
    const runs = [0, 1, 2].map(() =>
      Bun.spawn([process.execPath, '-e', script, start], { stdout: 'pipe', stderr: 'pipe' }),
    )
    const errors = await Promise.all(runs.map((run) => run.stderr.text()))
    expect(errors.join('')).toBe('')
    const answers = await Promise.all(runs.map((run) => run.stdout.text()))
    expect(answers).toEqual(['null\n', 'null\n', 'null\n'])
    expect(rowsOf(path)).toEqual(inNewest(rows))
    expect(read('PRAGMA user_version', path)).toEqual([[newestVersion]])
  })

  test('is still written by a program of its version that is running', async () => {
    const { path } = await makeOld(version)
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
      expect(await store.tokens.findByHash(key)).toMatchObject({
        name: key,
        isStrict: false,
        limits: unlimited,
      })
    await store.close()
  })

  test('stays as it was when the upgrade fails', async () => {
    const { path } = await makeOld(version)
    const [obstacle, complaint] = obstacles[version]
    const db = new Database(path)
    db.run(obstacle)
    db.close()
    const before = rowsOf(path)
    expect(() => openSqliteStore({ path, clock })).toThrow(
      `could not be upgraded from version ${version} to ${newestVersion} (${complaint})`,
    )
    expect(rowsOf(path)).toEqual(before)
    expect(read('PRAGMA user_version', path)).toEqual([[version]])
  })
})

test.each([
  "UPDATE channel SET quirks = '['",
  'UPDATE token SET strict = 2',
  'UPDATE channel SET draining = 2',
  "UPDATE channel SET probe = '{'",
  "INSERT INTO availability VALUES ('week', 0, 1, 'm', '{}')",
])('no column takes what it can not mean: %s', async (sql) => {
  const path = directory.file('gate.db')
  const store = openSqliteStore({ path, clock })
  await seed(store)
  await store.close()
  const db = new Database(path)
  expect(() => db.run(sql)).toThrow('CHECK constraint failed')
  db.close()
})
