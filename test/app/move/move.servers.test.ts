import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { type Moved, type MoveOptions, move } from '../../../src/app/move/move.ts'
import type { StorePlace } from '../../../src/app/move/rows.ts'
import { exportLines, ledgerFields, requestFields } from '../../../src/billing/receipt/fields.ts'
import { movedTables } from '../../../src/store/moving/move.ts'
import { openPostgresStore } from '../../../src/store/postgres/open.ts'
import { openSqliteStore } from '../../../src/store/sqlite/open.ts'
import { collect, now, requestRow } from '../../store/support.ts'
import { ask, hasPostgres } from '../../support/postgres.ts'
import { someOf } from '../../support/rounds.ts'
import {
  createScene,
  differingTables,
  filledTables,
  type MoveScene,
  makeStore,
  secret,
} from './scene.ts'

let scene: MoveScene

beforeEach(() => {
  scene = createScene()
  process.env.TOLLGATE_SECRET = secret
})
afterEach(async () => {
  delete process.env.TOLLGATE_SECRET
  await scene[Symbol.asyncDispose]()
})

const run = (source: StorePlace, target: StorePlace, more: Partial<MoveOptions> = {}) =>
  move({ source, target, isRestarted: false, ...more })

const open = (place: StorePlace) =>
  place.engine === 'sqlite'
    ? openSqliteStore({ path: place.path, clock: () => now })
    : openPostgresStore({ url: place.url, clock: () => now })

/** What people see of a store. */
async function seen(place: StorePlace) {
  const store = await open(place)
  try {
    const { records, admin, catalog } = store
    const requests = exportLines(records.exportRequests({}), requestFields, { format: 'csv' })
    const ledger = exportLines(records.exportLedger({}), ledgerFields, { format: 'csv' })
    const exported = [await collect(requests), await collect(ledger)]
    const ids = (await collect(records.exportRequests({}))).map(({ requestId }) => requestId)
    const receipts = await Promise.all(ids.slice(0, 5).map((id) => records.receipt(id)))
    return { exported, receipts, catalog: await catalog.load(), audit: await admin.audit(50) }
  } finally {
    await store.close()
  }
}

/** Ends a run in the middle: after so many pages of rows. */
async function interrupted(source: StorePlace, target: StorePlace, pages: number): Promise<void> {
  let left = pages
  const onProgress = () => {
    if (left-- === 0) throw new Error('ended here')
  }
  await expect(run(source, target, { onProgress })).rejects.toThrow('ended here')
}

const digests = ({ tables }: Moved) => tables.map(({ table, sha256 }) => [table, sha256])

describe.skipIf(!hasPostgres)('moving', () => {
  test.each(someOf([1, 2, 3], 1))(
    'everything there and back leaves all as it was (%d)',
    async (seed) => {
      const [first, back] = [scene.sqlite('first.db'), scene.sqlite('back.db')]
      const middle = await scene.postgres()
      await makeStore(first.path, seed, 150)
      const there = await run(first, middle)
      expect(there.tables.map(({ table }) => table)).toEqual(movedTables.map(({ name }) => name))
      expect(there.tables.filter(({ rows }) => rows !== 150).map(({ table }) => table)).toEqual([
        'lease',
      ])
      expect(there).toMatchObject({ rows: 150 * filledTables.length, resumedRows: 0 })
      expect(await seen(middle)).toEqual(await seen(first))

      const again = await run(middle, back)
      expect(digests(again)).toEqual(digests(there))
      expect(differingTables(first.path, back.path)).toEqual([])
      expect(await seen(back)).toEqual(await seen(first))
    },
  )

  test('between two files, and between two databases of PostgreSQL', async () => {
    const [first, second] = [scene.sqlite('first.db'), scene.sqlite('second.db')]
    const [one, two] = [await scene.postgres(), await scene.postgres()]
    await makeStore(first.path, 4, 20)
    const moved = await run(first, second)
    expect(differingTables(first.path, second.path)).toEqual([])
    await run(second, one)
    expect(digests(await run(one, two))).toEqual(digests(moved))
  })

  test('ends leases: no process there holds them', async () => {
    const [first, middle] = [scene.sqlite('first.db'), await scene.postgres()]
    await makeStore(first.path, 10, 20)
    const db = new Database(first.path)
    db.run('UPDATE account SET reserved_nano = 0')
    db.run('UPDATE account SET reserved_nano = 700 WHERE id IN (3, 6)')
    db.run('INSERT INTO lease (purse, node_id, amount_nano, wish_no) VALUES (3, 0, 500, 1)')
    db.close()
    await run(first, middle)
    expect(await ask(middle.url, 'SELECT count(*) AS rows FROM lease')).toEqual([{ rows: 0 }])
    const text = 'SELECT id, reserved_nano AS nano FROM account WHERE reserved_nano > 0 ORDER BY id'
    expect(await ask(middle.url, text)).toEqual([
      { id: 3, nano: 200 },
      { id: 6, nano: 700 },
    ])
  })

  test('goes on after new rows as the old place would have', async () => {
    const [first, back] = [scene.sqlite('first.db'), scene.sqlite('back.db')]
    const middle = await scene.postgres()
    await makeStore(first.path, 5, 40)
    await run(first, middle)
    const store = await openPostgresStore({ url: middle.url, clock: () => now })
    const request = requestRow({
      requestId: 'new',
      accountId: 3,
      tokenId: 3,
      groupId: 3,
      channelId: 3,
      priceId: 3,
    })
    await ask(middle.url, 'UPDATE account SET balance_nano = 500 WHERE id = 3')
    await ask(middle.url, 'DELETE FROM reservation; UPDATE account SET reserved_nano = 0')
    await store.records.commit({ settle: [{ request, attempts: [] }] })
    await store.signIn.note('ann@example.com', 'noted', 'account 3')
    await store.close()
    for (const table of ['request', 'ledger', 'audit'])
      expect(await ask(middle.url, `SELECT max(id) AS newest FROM ${table}`)).toEqual([
        { newest: 121 },
      ])
    const { tables } = await run(middle, back)
    expect(tables.find(({ table }) => table === 'request')?.rows).toBe(41)
  })

  test('tells counts and sums of what it has compared', async () => {
    const [first, middle] = [scene.sqlite('first.db'), await scene.postgres()]
    await makeStore(first.path, 6, 30)
    const { tables } = await run(first, middle)
    for (const { table, rows, sumsNano } of tables)
      for (const [column, nano] of Object.entries(sumsNano)) {
        const text = `SELECT count(*) AS rows, coalesce(sum(${column}), 0)::text AS nano FROM ${table}`
        expect(await ask<object>(middle.url, text)).toEqual([{ rows, nano: String(nano) }])
      }
    expect(tables.find(({ table }) => table === 'account')?.sumsNano).toContainKeys([
      'balance_nano',
      'reserved_nano',
    ])
  })

  test.each(['to PostgreSQL', 'to SQLite'] as const)(
    'ended after any number of pages it goes on where it was, %s',
    async (direction) => {
      const first = scene.sqlite('first.db')
      const middle = await scene.postgres()
      const back = scene.sqlite('back.db')
      await makeStore(first.path, 7, 250)
      if (direction === 'to SQLite') await run(first, middle)
      const [source, target] = direction === 'to SQLite' ? [middle, back] : [first, middle]
      for (const pages of [0, 3, 9, 20]) {
        await interrupted(source, target, pages)
        expect(async () => (await open(target)).close()).toThrow('is not whole')
      }
      const resumed = await run(source, target)
      expect(resumed.resumedRows).toBeGreaterThan(3_000)
      expect(resumed.rows).toBe(250 * filledTables.length)
      if (direction === 'to PostgreSQL') await run(middle, back)
      expect(differingTables(first.path, back.path)).toEqual([])
    },
  )

  test('begins anew when it is told to, from another place, too', async () => {
    const [first, other] = [scene.sqlite('first.db'), scene.sqlite('other.db')]
    const [middle, back] = [await scene.postgres(), scene.sqlite('back.db')]
    await makeStore(first.path, 8, 200)
    await makeStore(other.path, 9, 200)
    await interrupted(first, middle, 20)
    await expect(run(other, middle)).rejects.toThrow('unfinished rest of moving another database')
    expect(await run(other, middle, { isRestarted: true })).toMatchObject({ resumedRows: 0 })
    await interrupted(middle, back, 20)
    await run(middle, back, { isRestarted: true })
    expect(differingTables(other.path, back.path)).toEqual([])
  })
})
