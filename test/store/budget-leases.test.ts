import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { createBorrower } from '../../src/leases/borrower.ts'
import type { LeaseWish } from '../../src/leases/messages.ts'
import { eachPaid, purseOfAccount, purseOfBudget } from '../../src/leases/purse.ts'
import { silentNodeMs } from '../../src/store/ports/nodes.ts'
import type { Batch, Committed } from '../../src/store/ports/records.ts'
import { type AnyStore, eachEngine, type TestStore } from './each-engine.ts'
import { reservation } from './sqlite/file-store.ts'
import { collect, settlement } from './support.ts'

// What is leased of a budget is reserved against it, as requests of its token are.

const account = purseOfAccount(1)
const budget = purseOfBudget(1)
const totalNano = 1_000

eachEngine((open, engine) => {
  let file: TestStore
  let node: number

  beforeEach(async () => {
    file = await open()
    node = await file.store.nodes.register({ name: 'here', version: '1' })
    await setBudget({ totalNano })
  })
  afterEach(() => file[Symbol.asyncDispose]())

  const setBudget = (limits: object) =>
    file.store.admin.changeToken({
      ...{ id: 1, actor: 'someone' },
      budget: { totalNano: null, dayNano: null, monthNano: null, ...limits },
    })
  const commit = (batch: Batch, store: AnyStore = file.store) => store.records.commit(batch)
  const wish = (no: number, byNano: number, more: Partial<LeaseWish> = {}) => ({
    leases: [{ purse: budget, no, byNano, ...more }],
  })
  const leaseOf = ({ leases = [] }: Committed, of = budget) =>
    leases.find(({ purse }) => purse === of)?.leaseNano
  const reserve = (requestId: string, amountNano: number) => reservation({ requestId, amountNano })
  const settle = (requestId: string, amountNano: number, leasedNano = amountNano) => ({
    ...settlement({ requestId, amountNano }),
    ...{ leasedNano, budgetLeasedNano: leasedNano },
  })
  const denials = async (batch: Batch) => [...(await commit(batch)).denied.values()]
  /** What is wrong with the sums that the store keeps. */
  async function odd() {
    const { verification } = file.store
    await file.reserved()
    const pages = [
      ...(await collect(verification.oddReserved())),
      ...(await collect(verification.oddSpendings())),
    ]
    return pages.flatMap(({ rows }) => [...rows])
  }
  const reservedNano = async () => (await file.store.admin.account('ann@example.com'))?.reservedNano
  async function killNode() {
    await file.store.nodes.forget(node)
    await file.change('UPDATE reservation SET created_at = created_at - 60000')
    await file.store.records.sweep()
  }

  test('a lease grows by a quarter of what the budget leaves at most', async () => {
    await commit({ settle: [settlement({ requestId: 'spent', amountNano: 100 })] })
    await commit({ reserve: [reserve('held', 100)] })
    expect(leaseOf(await commit(wish(1, 5)))).toBe(5)
    expect(leaseOf(await commit(wish(2, totalNano)))).toBe(5 + Math.floor((800 - 5) / 4))
    expect(leaseOf(await commit(wish(2, totalNano)))).toBe(203) // again
    expect(leaseOf(await commit(wish(3, -3)))).toBe(200)
    expect(await odd()).toEqual([])
  })

  test('it is part of no account', async () => {
    await commit(wish(1, 100))
    expect(await reservedNano()).toBe(0)
    await commit({ leases: [{ purse: account, no: 2, byNano: 70 }] })
    expect(await reservedNano()).toBe(70)
    expect((await file.store.nodes.reservations()).map(({ amountNano }) => amountNano)).toEqual([
      70,
    ])
  })

  test('what is leased is not there for others, and is asked back', async () => {
    await commit(wish(1, 200))
    const heard = Promise.withResolvers<readonly number[]>()
    file.store.records.leases?.onRecall(heard.resolve)
    const refused = await commit({ reserve: [reserve('a', 801)] })
    expect([[...refused.denied], refused.recalled]).toEqual([[['a', 'budget']], [budget]])
    expect(await heard.promise).toEqual([budget])
    expect(await denials({ ...wish(2, -200), reserve: [reserve('a', 801)] })).toEqual([])
    // There is nothing to ask back.
    const again = await commit({ reserve: [reserve('b', 200)] })
    expect([[...again.denied], again.recalled]).toEqual([[['b', 'budget']], []])
    expect(await odd()).toEqual([])
  })

  test('a growth that the budget lacks asks it back, too', async () => {
    await commit({ reserve: [reserve('a', 500)] })
    await commit(wish(1, 100))
    const grow = [{ requestId: 'a', accountId: 1, tokenId: 1, byNano: 401 }]
    const { denied, recalled } = await commit({ grow })
    expect([[...denied], recalled]).toEqual([[['a', 'budget']], [budget]])
  })

  test('a request under both leases reserves nothing, and is paid by both, once', async () => {
    const both = [account, budget].map((purse) => ({ purse, no: 1, byNano: 200 }))
    await commit({ leases: both, reserve: [reserve('a', 0)] })
    expect(await file.reserved()).toEqual({ a: 0 })
    const batch = { settle: [settle('a', 150), settle('b', 20, 10)] }
    for (let times = 0; times < 2; times++) {
      const committed = await commit(batch)
      expect([leaseOf(committed, account), leaseOf(committed)]).toEqual([40, 40])
      expect(committed.tokens.map(({ spent }) => spent.totalNano)).toEqual([170])
    }
    expect(await file.reserved()).toEqual({})
    expect(await reservedNano()).toBe(40)
    expect(await denials({ reserve: [reserve('c', totalNano - 170 - 40)] })).toEqual([])
    expect(await denials({ reserve: [reserve('d', 1)] })).toEqual(['budget'])
    expect(await odd()).toEqual([])
  })

  test('wishes come after the charges and returns of their batch', async () => {
    await commit(wish(1, 200))
    const batch = { settle: [settle('a', 120)], ...wish(2, totalNano) }
    expect(leaseOf(await commit(batch))).toBe(80 + (totalNano - 120 - 80) / 4)
    expect(await odd()).toEqual([])
  })

  test('without a budget nothing is lent, and what is owed counts when there is one', async () => {
    await setBudget({})
    expect(leaseOf(await commit(wish(1, 200)))).toBe(0)
    expect(leaseOf(await commit(wish(2, 300, { isOwed: true })))).toBe(300)
    expect(await odd()).toEqual([])
    await setBudget({ dayNano: totalNano })
    expect(await denials({ reserve: [reserve('a', 701)] })).toEqual(['budget'])
    expect(await denials({ reserve: [reserve('a', 700)] })).toEqual([])
    expect(await odd()).toEqual([])
  })

  test.if(engine === 'SQLite')('verification takes its row for what it is', async () => {
    await commit(wish(1, 200))
    const pages = await collect(file.store.verification.checkFile(true))
    expect(pages.flatMap(({ rows }) => rows)).toEqual([])
  })

  test('the lease of a dead node is free again', async () => {
    await commit({ ...wish(1, 200), reserve: [reserve('a', 0), reserve('b', 300)] })
    await killNode()
    expect(await odd()).toEqual([])
    expect(await denials({ reserve: [reserve('c', totalNano)] })).toEqual([])
    expect(await odd()).toEqual([])
  })

  test('several borrowers spend all of it, and no more', async () => {
    await setBudget({ totalNano: 100_000 })
    const lenders = engine === 'SQLite' ? [file.store] : [file.store, await file.openBeside()]
    const nodes = lenders.map((store) => ({ store, borrower: createBorrower() }))
    for (const { store } of nodes.slice(1)) await store.nodes.register({ name: 'b', version: '1' })
    const price = 700
    const counts = { covered: 0, stored: 0 }
    let now = 0
    let denied = 0
    for (let id = 0; denied < 8; id++) {
      const { store, borrower } = nodes[id % nodes.length] ?? { ...nodes[0] }
      if (store === undefined || borrower === undefined) throw new Error('There is no node.')
      now += 10
      const requestId = `req_${String(id).padStart(4, '0')}`
      const isCovered = borrower.take(budget, price, now)
      if (!isCovered) {
        const leases = borrower.wishes(now)
        const committed = await commit({ leases, reserve: [reserve(requestId, price)] }, store)
        borrower.answered(committed.leases ?? [], now)
        if (committed.denied.size > 0) {
          denied++
          for (const one of nodes) one.borrower.recalled(committed.recalled ?? [], now)
          continue
        }
      }
      counts[isCovered ? 'covered' : 'stored']++
      const charge = settlement({ requestId, amountNano: price })
      const one = isCovered ? { ...charge, budgetLeasedNano: price } : charge
      const leases = borrower.wishes(now)
      const committed = await commit({ settle: [one], leases }, store)
      eachPaid(one, borrower.release)
      borrower.answered(committed.leases ?? [], now)
    }
    expect(counts.covered + counts.stored).toBe(Math.floor(100_000 / price))
    expect(counts.covered).toBeGreaterThan(counts.stored)
    expect(await odd()).toEqual([])
    for (const { store } of nodes.slice(1)) await (store as { close(): Promise<void> }).close()
  })

  describe.if(engine === 'PostgreSQL')('of a cluster', () => {
    test('a living node gives back what a dead one has leased, of budgets whose account has no lease, too', async () => {
      const beside = await file.openBeside()
      const theirs = await beside.nodes.register({ name: 'theirs', version: '1' })
      await commit(wish(1, 100))
      await commit(wish(1, 150), beside)
      const silent = silentNodeMs + 1_000
      await file.change(`UPDATE node SET seen_at = seen_at - ${silent} WHERE id = ${theirs}`)
      expect(leaseOf(await commit(wish(2, 70), beside))).toBe(150)
      expect(await file.store.nodes.sweepDead()).toBe(0)
      expect(await odd()).toEqual([])
      expect(await denials({ reserve: [reserve('a', totalNano - 100)] })).toEqual([])
      await beside.close()
    })

    test('verification says when a lease is not what the budget holds for it', async () => {
      await commit(wish(1, 100))
      await file.change('UPDATE lease SET amount_nano = 99')
      expect(await odd()).toMatchObject([{ stored: [0, 0, 0, 100], summed: [0, 0, 0, 99] }])
    })
  })
})
