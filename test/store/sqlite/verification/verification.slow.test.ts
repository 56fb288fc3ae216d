import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Store } from '../../../../src/store/ports/store.ts'
import type { Page } from '../../../../src/store/ports/verification.ts'
import { openSqliteStore } from '../../../../src/store/sqlite/open.ts'
import { makeDatabase } from '../../../app/verify/scene.ts'
import { madeStart } from '../../../support/made-ledger.ts'
import { now, priceWrite, seed, settlement, temporaryDirectory } from '../../support.ts'

const count = 2_400
const folder = temporaryDirectory()
const path = folder.file('made.db')
let store: Store

beforeAll(async () => {
  await makeDatabase(path, count)
  store = openSqliteStore({ path, clock: () => now })
})
afterAll(async () => {
  await store.close()
  folder[Symbol.dispose]()
})

async function read<Row>(pages: AsyncIterable<Page<Row>>) {
  const all: Page<Row>[] = []
  for await (const page of pages) all.push(page)
  return { pages: all, rows: all.flatMap(({ rows }) => rows) }
}

test('all rows come once, a bounded page at a time, and the pages say how far they are', async () => {
  const { verification } = store
  const extent = await verification.extent(undefined)
  const requests = await read(verification.requests(extent))
  expect(requests.rows.map(({ row }) => row)).toEqual(
    Array.from({ length: count + 3 }, (_, at) => at + 1),
  )
  expect(requests.pages.map(({ looked }) => looked)).toEqual([1000, 1000, 403])
  const entries = await read(verification.entries(extent))
  expect(new Set(entries.rows.map(({ id }) => id)).size).toBe(extent.lastEntry)
  expect(Math.max(...entries.pages.map(({ rows }) => rows.length))).toBe(1000)
  expect(entries.pages.reduce((sum, { looked }) => sum + looked, 0)).toBe(extent.lastEntry)
  const attempts = await read(verification.oddAttempts(extent))
  expect(attempts.rows).toEqual([])
})

test('entries come account by account, the first of each with the balance before it', async () => {
  const { verification } = store
  const since = madeStart + 5 * 86_400_000
  for (const [extent, isWhole] of [
    [await verification.extent(undefined), true],
    [await verification.extent(since), false],
  ] as const) {
    const { rows } = await read(verification.entries(extent))
    const seen = new Map<number, number>()
    for (const { accountId, id, beforeNano } of rows) {
      expect(beforeNano === null).toBe(seen.has(accountId))
      if (isWhole && beforeNano !== null) expect(beforeNano).toBe(0)
      if (!isWhole && beforeNano !== null) expect(beforeNano).toBeGreaterThan(0)
      expect(id).toBeGreaterThan(seen.get(accountId) ?? 0)
      seen.set(accountId, id)
    }
    expect(rows.map(({ accountId }) => accountId)).toEqual(
      rows.map(({ accountId }) => accountId).toSorted((a, b) => a - b),
    )
  }
})

test('who stops reading in the middle leaves nothing open behind', async () => {
  const file = folder.file('stopped.db')
  await makeDatabase(file, 300)
  using other = new Database(file)
  other.run("UPDATE usage_day SET requests = 9 WHERE model = 'gpt-large'")
  const stopped = openSqliteStore({ path: file, clock: () => now })
  const { verification } = stopped
  for (let round = 0; round < 2; round++) {
    const extent = await verification.extent(undefined)
    for await (const { rows } of verification.oddDays(extent)) if (rows.length > 0) break
    for await (const _ of verification.requests(extent)) break
    for await (const _ of verification.entries(extent)) break
    for await (const _ of verification.checkFile(true)) break
  }
  // A reader that still held a snapshot would keep the journal from being emptied.
  other.run('UPDATE account SET balance_low_nano = 1')
  expect(other.query('PRAGMA wal_checkpoint(TRUNCATE)').get()).toMatchObject({ busy: 0, log: 0 })
  await stopped.close()
})

test('an empty database has nothing to verify, and nothing wrong', async () => {
  const empty = openSqliteStore({ path: ':memory:', clock: () => now })
  const { verification } = empty
  for (const since of [undefined, now]) {
    const extent = await verification.extent(since)
    expect(extent).toMatchObject({ firstRequest: 1, lastRequest: 0, firstEntry: 1, lastEntry: 0 })
    for (const pages of [
      verification.requests(extent),
      verification.entries(extent),
      verification.oddAttempts(extent),
      verification.oddDays(extent),
      verification.oddBalances(extent),
      verification.oddReserved(),
      verification.leftReservations(),
      verification.checkFile(true),
    ]) {
      expect((await read<unknown>(pages)).rows).toEqual([])
    }
  }
  expect(await verification.counts()).toEqual({ accounts: 0, reservations: 0 })
  await empty.close()
})

test('a price comes with the time at which the next one of its model took its place', async () => {
  let time = now
  const own = openSqliteStore({ path: ':memory:', clock: () => time })
  await seed(own)
  const set = (perCallNano: number) =>
    own.admin.write({ prices: [priceWrite('small', { unit: 'call', perCallNano })] })
  time = now + 1_000
  await set(1)
  time = now + 2_000
  await set(2)
  const { verification } = own
  expect(await verification.price(1)).toMatchObject({ validFrom: now, replacedAt: now + 1_000 })
  expect(await verification.price(2)).toEqual({
    id: 2,
    model: 'small',
    terms: '{"unit":"call","perCallNano":1}',
    validFrom: now + 1_000,
    replacedAt: now + 2_000,
  })
  expect(await verification.price(3)).toMatchObject({ replacedAt: null })
  expect(await verification.price(4)).toBeUndefined()
  await own.close()
})

test('a request comes with its entry, its token, and flags as flags', async () => {
  const own = openSqliteStore({ path: ':memory:', clock: () => now })
  await seed(own)
  await own.records.commit({
    settle: [
      settlement({ requestId: 'req_1', estimated: true, longContextPricing: false }),
      settlement({ requestId: 'req_2', amountNano: 0, clamped: true }),
    ],
  })
  const extent = await own.verification.extent(undefined)
  const { rows } = await read(own.verification.requests(extent))
  expect(rows).toMatchObject([
    {
      requestId: 'req_1',
      estimated: true,
      clamped: false,
      longContextPricing: false,
      tokenAccountId: 1,
      entryId: 2,
      entryKind: 'charge',
      entryAccountId: 1,
      entryAmountNano: -100,
    },
    { requestId: 'req_2', estimated: false, clamped: true, entryId: null, entryAmountNano: null },
  ])
  await own.close()
})
