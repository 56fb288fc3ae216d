import { afterEach, beforeEach, expect, test } from 'bun:test'
import { createLending, type Lending, type WorkerLoan } from '../../../src/app/group/lending.ts'
import { type Borrower, createBorrower } from '../../../src/leases/borrower.ts'
import { eachPaid, purseOfAccount, purseOfBudget } from '../../../src/leases/purse.ts'
import type { Batch, Settlement } from '../../../src/store/ports/records.ts'
import type { Store } from '../../../src/store/ports/store.ts'
import { openSqliteStore } from '../../../src/store/sqlite/open.ts'
import { reservation } from '../../store/sqlite/file-store.ts'
import { now, seed, settlement } from '../../store/support.ts'

// A keeper lends to its workers what it has borrowed itself: of accounts, and of the budgets of tokens.

const account = purseOfAccount(1)
const budget = purseOfBudget(1)
const purses = [account, budget]
const price = 100
const budgetNano = 20_000

interface Worker {
  readonly borrower: Borrower
  readonly loan: WorkerLoan
}

let store: Store
let lending: Lending
let workers: Worker[]
let batches: Batch[]
let tick: number

beforeEach(async () => {
  store = openSqliteStore({ path: ':memory:', clock: () => now })
  await seed(store)
  const limits = { totalNano: budgetNano, dayNano: null, monthNano: null }
  await store.admin.changeToken({ id: 1, actor: 'someone', budget: limits })
  workers = []
  batches = []
  tick = 0
  const onRecall = store.records.leases?.onRecall ?? (() => {})
  lending = createLending({
    async commit(batch) {
      batches.push(batch)
      return await store.records.commit(batch)
    },
    source: { mayBegin: () => true, onRecall, onLost() {} },
    recall(purses) {
      for (const { borrower } of workers) borrower.recalled(purses, tick)
    },
    ...{ onLost() {}, tick: () => tick, repeat: () => () => {} },
  })
})
afterEach(() => store.close())

function join(): Worker {
  const borrower = createBorrower()
  const worker = { borrower, loan: lending.joined(borrower.owed()) }
  workers.push(worker)
  return worker
}

/** What a worker sends, by the way of the keeper. */
async function send({ borrower, loan }: Worker, batch: Batch) {
  const arrived = loan.arrived({ ...batch, leases: borrower.wishes(tick) })
  if (arrived === undefined) throw new Error('The loan is over.')
  const committed = await lending.commit(arrived)
  for (const one of batch.settle ?? []) eachPaid(one, borrower.release)
  borrower.answered(loan.committed(arrived), tick)
  return committed
}

/** One request of a worker; gives whether it was covered, or what denied it. */
async function request(worker: Worker, requestId: string) {
  tick += 10
  const taken = purses.map((purse) => worker.borrower.take(purse, price, tick))
  const isCovered = taken.every(Boolean)
  if (!isCovered) {
    for (const [at, purse] of purses.entries()) if (taken[at]) worker.borrower.release(purse, price)
    const { denied } = await send(worker, {
      reserve: [reservation({ requestId, amountNano: price })],
    })
    if (denied.size > 0) return [...denied.values()][0]
  }
  const charge = settlement({ requestId, amountNano: price })
  const paid = { leasedNano: price, budgetLeasedNano: price }
  await send(worker, { settle: [isCovered ? { ...charge, ...paid } : charge] })
  return isCovered ? 'covered' : 'stored'
}

test('two workers spend the whole budget, most of it on what they were lent', async () => {
  const both = [join(), join()]
  const counts = new Map<unknown, number>()
  for (let id = 0; id < 300; id++) {
    const outcome = await request(both[id % 2] as Worker, `req_${String(id).padStart(4, '0')}`)
    counts.set(outcome, (counts.get(outcome) ?? 0) + 1)
  }
  const [covered = 0, stored = 0] = [counts.get('covered'), counts.get('stored')]
  expect(covered + stored).toBe(budgetNano / price)
  expect(covered).toBeGreaterThan(stored)
  expect((await store.records.tokenUsage(1)).amountNano).toBe(budgetNano)
})

test('what a dead worker had begun is free for the others', async () => {
  const [dead, other] = [join(), join()]
  for (let id = 0; id < 10; id++) await request(dead, `req_a${id}`)
  expect(purses.map((purse) => dead.borrower.take(purse, price, tick))).toEqual([true, true])
  dead.loan.end()
  lending.returnAll()
  await lending.commit({})
  const whole = reservation({ requestId: 'whole', amountNano: budgetNano - 10 * price })
  expect((await send(other, { reserve: [whole] })).denied.size).toBe(0)
  const found = await store.admin.account('ann@example.com')
  expect(found?.reservedNano).toBe(whole.amountNano)
})

test('a settlement that was not stored is paid by both leases when it is', async () => {
  const worker = join()
  for (let id = 0; id < 10; id++) await request(worker, `req_a${id}`)
  const spare = () => purses.map((purse) => worker.borrower.spareNano(purse))
  const before = spare()
  for (const purse of purses) worker.borrower.take(purse, price, tick)
  const paid = { leasedNano: price, budgetLeasedNano: price }
  const settled: Settlement = { ...settlement({ requestId: 'late', amountNano: 40 }), ...paid }
  const arrived = worker.loan.arrived({ settle: [settled] })
  expect(arrived?.settle).toMatchObject([paid])
  expect(worker.loan.failed({ settle: [settled] })).toBeTrue()
  await send(worker, { settle: [settled] })
  expect(spare()).toEqual(before.map((nano) => nano - price))
  expect(batches.at(-1)?.settle).toMatchObject([paid])
  // Of a worker that has spoken anew nothing is held any more: the money pays it all the same.
  worker.loan.end()
  expect(worker.loan.failed({ settle: [settled] })).toBeFalse()
})
