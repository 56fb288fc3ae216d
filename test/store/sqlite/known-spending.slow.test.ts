import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { utcDay } from '../../../src/lib/clock.ts'
import type { Batch } from '../../../src/store/ports/records.ts'
import type { Store } from '../../../src/store/ports/store.ts'
import { openSqliteStore } from '../../../src/store/sqlite/open.ts'
import { createSpending } from '../../../src/store/sqlite/sums.ts'
import { seed, settlement, now as start, temporaryDirectory, tokenWrite } from '../support.ts'

const day = 86_400_000

let directory: ReturnType<typeof temporaryDirectory>
let store: Store
let other: Store
let db: Database
let now: number

beforeEach(async () => {
  directory = temporaryDirectory()
  now = start
  const path = directory.file('gate.db')
  store = openSqliteStore({ path, clock: () => now })
  await seed(store)
  const budget = { totalNano: 1_000_000, dayNano: null, monthNano: null }
  await store.admin.write({
    tokens: [tokenWrite({ budget }), tokenWrite({ name: 'spare', keyHash: 'hash-2', budget })],
  })
  other = openSqliteStore({ path, clock: () => now })
  db = new Database(path, { strict: true })
})
afterEach(async () => {
  db.close()
  await other.close()
  await store.close()
  directory[Symbol.dispose]()
})

let count = 0
const charge = (tokenId: number, amountNano: number, createdAt = now) =>
  settlement({ requestId: `req_${count++}`, tokenId, amountNano, createdAt })

/** Commits, and holds what it tells of tokens to the daily sums themselves. */
async function commit(into: Store, batch: Batch) {
  const { tokens } = await into.records.commit(batch)
  const spending = createSpending(db)
  for (const { tokenId, spent } of tokens) expect(spent).toEqual(spending(tokenId, utcDay(now)))
  return Object.fromEntries(tokens.map(({ tokenId, spent }) => [tokenId, spent]))
}

test('sums go on from batch to batch', async () => {
  await commit(store, { settle: [charge(1, 100)] })
  const spent = await commit(store, { settle: [charge(1, 20), charge(2, 7), charge(1, 3)] })
  const { totalNano, dayNano, monthNano } = spent[1] ?? {}
  expect({ totalNano, dayNano, monthNano }).toEqual({
    ...{ totalNano: 123, dayNano: 123, monthNano: 123 },
  })
})

test('what began on another day or in another month counts there', async () => {
  await commit(store, { settle: [charge(1, 100)] })
  const spent = await commit(store, {
    settle: [charge(1, 1, now - day), charge(1, 2, now - 40 * day), charge(1, 4)],
  })
  expect(spent[1]).toMatchObject({ totalNano: 107, dayNano: 104, monthNano: 105 })
})

test('a new day begins with nothing, and a clock that is set back finds the old one', async () => {
  await commit(store, { settle: [charge(1, 100)] })
  now += 20 * day
  expect((await commit(store, { settle: [charge(1, 1)] }))[1]).toMatchObject({ monthNano: 1 })
  now = start
  expect((await commit(store, { settle: [charge(1, 2)] }))[1]).toMatchObject({ dayNano: 102 })
})

test('what another process has stored is counted', async () => {
  await commit(store, { settle: [charge(1, 100)] })
  await commit(other, { settle: [charge(1, 10)] })
  expect((await commit(store, { settle: [charge(1, 1)] }))[1]).toMatchObject({ totalNano: 111 })
  await commit(other, { settle: [charge(1, 20)] })
  expect((await commit(store, { settle: [charge(1, 1)] }))[1]).toMatchObject({ totalNano: 132 })
})

test('a batch that was taken back, and a repeat, count for nothing', async () => {
  db.run(
    'CREATE TRIGGER fails BEFORE UPDATE ON account WHEN new.balance_nano < 0 ' +
      "BEGIN SELECT RAISE(ABORT, 'below zero'); END",
  )
  const first = charge(1, 100)
  await commit(store, { settle: [first] })
  await commit(store, { settle: [charge(1, 10)] })
  const failing = store.records.commit({ settle: [charge(1, 2_000_000_000)] })
  await expect(failing).rejects.toThrow('below zero')
  const spent = await commit(store, { settle: [first, charge(1, 1)] })
  expect(spent[1]).toMatchObject({ totalNano: 111 })
})

test('what is read does not grow with the days that a token is old', async () => {
  const old = db.prepare(
    "INSERT INTO usage_day VALUES (1, ?, 'small', 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0)",
  )
  db.transaction(() => {
    for (let at = 1; at <= 20_000; at++) old.run(utcDay(start - at * day))
  })()
  const timeOf = async (tokenId: number) => {
    const times: number[] = []
    for (let round = 0; round < 200; round++) {
      const batch = { settle: [charge(tokenId, 1)] }
      const begin = performance.now()
      await store.records.commit(batch)
      times.push(performance.now() - begin)
    }
    return times.sort((a, b) => a - b)[100] ?? 0
  }
  // By the clock, so that a machine with other work may spoil a round.
  let [young, aged] = [0, Number.POSITIVE_INFINITY]
  for (let round = 0; round < 5 && aged >= 4 * young + 0.1; round++)
    [young, aged] = [await timeOf(2), await timeOf(1)]
  expect(aged).toBeLessThan(4 * young + 0.1)
})
