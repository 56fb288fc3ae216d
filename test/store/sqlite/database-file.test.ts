import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { existsSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { newestVersion } from '../../../src/store/schema/versions.ts'
import { openDatabaseFile } from '../../../src/store/sqlite/database-file.ts'
import { openSqliteStore } from '../../../src/store/sqlite/open.ts'
import { now, seed, settlement, temporaryDirectory } from '../support.ts'

const clock = () => now

async function makeStore(path: string, requests = 3) {
  const store = openSqliteStore({ path, clock })
  await seed(store)
  const settle = Array.from({ length: requests }, (_, i) => settlement({ requestId: `req_${i}` }))
  await store.records.commit({ settle })
  return store
}

async function inspectionOf(path: string, thorough = true) {
  const file = await openDatabaseFile(path)
  try {
    return await file.inspect({ thorough })
  } finally {
    await file.close()
  }
}

/** Changes a database behind our back. */
function tamper(path: string, sql: string): void {
  const db = new Database(path)
  db.run(sql)
  db.close()
}

test('copies what is committed, beside an open store that goes on writing', async () => {
  using directory = temporaryDirectory()
  const store = await makeStore(directory.file('gate.db'))
  const source = await openDatabaseFile(directory.file('gate.db'))
  const copy = directory.file('copy.db')
  writeFileSync(copy, '')
  const copying = source.copyInto(copy)
  await store.records.commit({ settle: [settlement({ requestId: 'req_late' })] })
  await copying
  const { newestRequest } = await source.newest()
  expect(newestRequest).toBe(4)
  await source.close()
  await store.close()
  const contents = await inspectionOf(copy)
  expect(contents).toMatchObject({ version: newestVersion, accounts: 1, tokens: 1, channels: 1 })
  expect(contents.requests).toBeWithin(3, 5)
  expect(contents.ledgerEntries).toBe(contents.requests + 1)
  expect(existsSync(`${copy}-wal`)).toBeFalse()
})

test('the journal that grew while it copied can be begun anew by whoever commits next', async () => {
  using directory = temporaryDirectory()
  const path = directory.file('gate.db')
  const store = await makeStore(path, 500)
  const source = await openDatabaseFile(path)
  writeFileSync(directory.file('copy.db'), '')
  const journalBytes = () => statSync(`${path}-wal`).size
  const before = journalBytes()
  await store.records.commit({ settle: [settlement({ requestId: 'req_1000' })] })
  const grown = journalBytes()
  expect(grown).toBeGreaterThan(before)
  await source.copyInto(directory.file('copy.db'))
  await store.records.commit({ settle: [settlement({ requestId: 'req_1001' })] })
  expect(journalBytes()).toBe(grown)
  await source.close()
  await store.close()
})

test('says how many bytes a copy takes', async () => {
  using directory = temporaryDirectory()
  const store = await makeStore(directory.file('gate.db'), 2000)
  await store.close()
  const source = await openDatabaseFile(directory.file('gate.db'))
  const expected = await source.copyBytes()
  writeFileSync(directory.file('copy.db'), '')
  await source.copyInto(directory.file('copy.db'))
  await source.close()
  const { size } = statSync(directory.file('copy.db'))
  expect(Math.abs(size - expected)).toBeLessThan(size / 5)
})

test('tells the steps of an inspection in their order', async () => {
  using directory = temporaryDirectory()
  await (await makeStore(directory.file('gate.db'))).close()
  const file = await openDatabaseFile(directory.file('gate.db'))
  const steps: string[] = []
  const contents = await file.inspect({ thorough: false, onStep: (step) => steps.push(step) })
  await file.close()
  expect(steps).toEqual(['structure', 'balances', 'contents'])
  expect(contents).toEqual({
    version: newestVersion,
    accounts: 1,
    tokens: 1,
    channels: 1,
    requests: 3,
    ledgerEntries: 4,
    reservations: 0,
    newestRequest: 3,
    newestLedgerEntry: 4,
  })
})

test('refuses a balance that is not the sum of its ledger, and names the account', async () => {
  using directory = temporaryDirectory()
  const path = directory.file('gate.db')
  await (await makeStore(path)).close()
  tamper(path, 'UPDATE account SET balance_nano = balance_nano + 1')
  await expect(inspectionOf(path)).rejects.toThrow(
    'account 1 (ann@example.com) has 999999701 nano-USD, but its ledger adds up to 999999700',
  )
})

test('refuses an account without a ledger that has a balance', async () => {
  using directory = temporaryDirectory()
  const path = directory.file('gate.db')
  await (await makeStore(path)).close()
  tamper(path, 'DELETE FROM ledger')
  await expect(inspectionOf(path)).rejects.toThrow('but its ledger adds up to 0')
})

test('refuses what is damaged: a page overwritten, a file cut off, an index unlike its table', async () => {
  using directory = temporaryDirectory()
  const path = directory.file('gate.db')
  await (await makeStore(path, 100)).close()
  const bytes = await Bun.file(path).bytes()
  const pageBytes = Buffer.from(bytes).readUInt16BE(16)

  const page = directory.file('page.db')
  writeFileSync(page, bytes)
  writeFileSync(
    page,
    new Uint8Array(bytes).fill(0x7f, bytes.length / 2, bytes.length / 2 + pageBytes),
  )
  await expect(inspectionOf(page, false)).rejects.toThrow(/page\.db is damaged/)

  const cut = directory.file('cut.db')
  writeFileSync(cut, bytes)
  truncateSync(cut, bytes.length - 2 * pageBytes)
  await expect(inspectionOf(cut, false)).rejects.toThrow(/cut\.db is damaged/)

  // An entry of an index that no row has: only the thorough look finds that.
  const index = directory.file('index.db')
  writeFileSync(index, bytes)
  const db = new Database(index)
  const root = db
    .query("SELECT rootpage FROM sqlite_schema WHERE name = 'request_created_at'")
    .get()
  db.close()
  const pageEnd = (root as { rootpage: number }).rootpage * pageBytes
  const changed = new Uint8Array(bytes)
  changed[pageEnd - 1] = (changed[pageEnd - 1] ?? 0) ^ 0x40
  writeFileSync(index, changed)
  expect(await inspectionOf(index, false)).toMatchObject({ requests: 100 })
  await expect(inspectionOf(index, true)).rejects.toThrow('is damaged (integrity_check: row 1 ')
})

test('refuses a database of another program, an empty one, and one of a newer version', async () => {
  using directory = temporaryDirectory()
  const empty = directory.file('empty.db')
  writeFileSync(empty, '')
  await expect(inspectionOf(empty)).rejects.toThrow(`${empty} is no database of Tollgate`)
  const foreign = directory.file('foreign.db')
  new Database(foreign, { create: true }).close()
  tamper(foreign, 'CREATE TABLE account (id INTEGER)')
  await expect(inspectionOf(foreign)).rejects.toThrow('belongs to another program')
  const newer = directory.file('newer.db')
  await (await makeStore(newer)).close()
  tamper(newer, 'PRAGMA user_version = 77')
  await expect(inspectionOf(newer)).rejects.toThrow('it is at version 77')
})

test('gives sealed keys with their owners, live ones only', async () => {
  using directory = temporaryDirectory()
  const path = directory.file('gate.db')
  const store = await makeStore(path)
  await store.admin.write({ remove: { tokenIds: [1] } })
  await store.close()
  const file = await openDatabaseFile(path)
  expect(await file.sealedKeys()).toEqual([
    { owner: 'channel "main"', sealed: Uint8Array.of(1, 2, 3) },
  ])
  await file.close()
})
