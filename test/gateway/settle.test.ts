import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { createSettler, type Settler } from '../../src/gateway/settle.ts'
import { createLogger } from '../../src/lib/log.ts'
import type { AccountFigures, RecordStore } from '../../src/store/ports/records.ts'
import type { Store } from '../../src/store/ports/store.ts'
import { openSqliteStore } from '../../src/store/sqlite/open.ts'
import { collect, now, seed, settlement, temporaryDirectory } from '../store/support.ts'

let store: Store
let settler: Settler
/** Sizes of the batches that the store was given. */
let batches: number[]
let balances: (readonly AccountFigures[])[]
let lines: string[]

beforeEach(async () => {
  store = openSqliteStore({ path: ':memory:', clock: () => now })
  await seed(store)
  batches = []
  balances = []
  lines = []
  const log = createLogger({
    sink: (line) => lines.push(line),
    pretty: false,
    clock: () => now,
    level: 'info',
  })
  const records: RecordStore = {
    ...store.records,
    commit(batch) {
      batches.push(batch.settle?.length ?? 0)
      return store.records.commit(batch)
    },
  }
  settler = createSettler(records, (settled) => balances.push(settled), log)
})
afterEach(() => store.close())

const one = (id: number, amountNano = 100) => settlement({ requestId: `req_${id}`, amountNano })
const stored = async () =>
  (await collect(store.records.exportRequests({}))).map((row) => row.requestId)
const opening = 1_000_000_000

test('what is ready in one turn of the event loop shares one commit', async () => {
  await Promise.all([1, 2, 3].map((id) => settler.settle(one(id))))
  expect(batches).toEqual([3])
  expect(balances).toEqual([[{ accountId: 1, balanceNano: opening - 300 }]])
  await Promise.all([4, 5].map((id) => settler.settle(one(id))))
  expect(batches).toEqual([3, 2])
  expect(await stored()).toEqual([1, 2, 3, 4, 5].map((id) => `req_${id}`))
})

test('what comes while a commit is under way is in the next one', async () => {
  const first = settler.settle(one(1)).then(() => settler.settle(one(2)))
  await Promise.all([first, settler.settle(one(3))])
  expect(batches).toEqual([2, 1])
})

test('it resolves only when the row is there', async () => {
  const settled = settler.settle(one(1))
  expect(await stored()).toEqual([])
  await settled
  expect(await stored()).toEqual(['req_1'])
})

test('one that cannot be stored does not take the others with it', async () => {
  const results = await Promise.allSettled([one(1), one(2, -1), one(3)].map(settler.settle))
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(results[1]).toMatchObject({ reason: { message: expect.stringContaining('req_2') } })
  expect(await stored()).toEqual(['req_1', 'req_3'])
  expect(balances.at(-1)).toEqual([{ accountId: 1, balanceNano: opening - 200 }])
  await settler.settle(one(4))
  expect(await stored()).toEqual(['req_1', 'req_3', 'req_4'])
})

test('the same request twice is charged once', async () => {
  await Promise.all([settler.settle(one(1)), settler.settle(one(1))])
  await settler.settle(one(1))
  expect(balances.at(-1)).toEqual([{ accountId: 1, balanceNano: opening - 100 }])
  expect(await stored()).toEqual(['req_1'])
})

test('a store that fails as a whole is not asked for each one again', async () => {
  using directory = temporaryDirectory()
  const path = directory.file('gate.db')
  const file = openSqliteStore({ path, clock: () => now, busyTimeoutMs: 50 })
  await seed(file)
  let calls = 0
  const counting: RecordStore = {
    ...file.records,
    commit(batch) {
      calls++
      return file.records.commit(batch)
    },
  }
  const log = createLogger({ sink: () => {}, pretty: false, clock: () => now, level: 'info' })
  const waiting = createSettler(counting, () => {}, log)
  using other = new Database(path)
  other.run('BEGIN IMMEDIATE')
  const results = await Promise.allSettled([1, 2, 3].map((id) => waiting.settle(one(id))))
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
  expect(calls).toBe(1)
  other.run('ROLLBACK')
  await waiting.settle(one(4))
  expect((await file.admin.account('ann@example.com'))?.balanceNano).toBe(opening - 100)
  await file.close()
})

test('a record that nobody waits for is stored, or its failure logged', async () => {
  settler.record(one(1))
  settler.record(one(2, -1))
  await settler.idle()
  expect(await stored()).toEqual(['req_1'])
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    expect.objectContaining({ level: 'error', request_id: 'req_2' }),
  ])
})

test('idle waits for everything, also for what was added meanwhile', async () => {
  settler.record(one(1))
  void settler.settle(one(2)).then(() => settler.record(one(3)))
  await settler.idle()
  expect(await stored()).toEqual(['req_1', 'req_2', 'req_3'])
  await settler.idle()
})
