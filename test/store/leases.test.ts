import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { grant } from '../../src/leases/grant.ts'
import type { Lease, LeaseWish } from '../../src/leases/messages.ts'
import { silentNodeMs } from '../../src/store/ports/nodes.ts'
import type { Batch, Committed } from '../../src/store/ports/records.ts'
import { type AnyStore, eachEngine, type TestStore } from './each-engine.ts'
import { reservation } from './sqlite/file-store.ts'
import { collect, settlement } from './support.ts'

const opening = 1_000_000_000
const accountId = 1

eachEngine((open, engine) => {
  let file: TestStore
  let node: number

  beforeEach(async () => {
    file = await open()
    node = await file.store.nodes.register({ name: 'here', version: '1' })
  })
  afterEach(() => file[Symbol.asyncDispose]())

  const commit = (batch: Batch, store: AnyStore = file.store) => store.records.commit(batch)
  const wish = (no: number, byNano: number, more: Partial<LeaseWish> = {}) => ({
    leases: [{ purse: accountId, no, byNano, ...more }],
  })
  const leaseOf = ({ leases = [] }: Committed) => leases.find(({ purse }) => purse === accountId)
  const lease = (leaseNano: number, no: number): Lease => ({ purse: accountId, leaseNano, no })
  const account = async () => await file.store.admin.account('ann@example.com')
  const settle = (requestId: string, amountNano: number, leasedNano = amountNano) => ({
    ...{ ...settlement({ requestId, amountNano }), leasedNano },
  })
  const leased = (requestId: string) => reservation({ requestId, amountNano: 0 })
  /** Throws where an account carries another sum than that of its reservations and leases. */
  const reservedNano = async () => {
    await file.reserved()
    return (await account())?.reservedNano
  }

  test('a lease is reserved, and grows by a quarter of what is free at most', async () => {
    expect(leaseOf(await commit(wish(1, 100)))).toEqual(lease(100, 1))
    expect(await reservedNano()).toBe(100)
    expect(leaseOf(await commit(wish(2, opening)))).toEqual(lease(100 + (opening - 100) / 4, 2))
    await commit({ reserve: [reservation({ requestId: 'rest', amountNano: 749_999_925 })] })
    expect(leaseOf(await commit(wish(3, 1)))).toEqual(lease(250_000_075, 3))
    expect(await reservedNano()).toBe(opening)
    const { denied } = await commit({ reserve: [reservation({ requestId: 'more' })] })
    expect([...denied]).toEqual([['more', 'balance']])
  })

  test('what is returned is free in the same batch', async () => {
    await commit(wish(1, 250_000_000))
    const reserve = [reservation({ requestId: 'whole', amountNano: opening })]
    const committed = await commit({ ...wish(2, -opening), reserve })
    expect(committed.denied.size).toBe(0)
    expect(leaseOf(committed)).toEqual(lease(0, 2))
    expect(await reservedNano()).toBe(opening)
  })

  test('a wish that comes again, or late, changes nothing', async () => {
    await commit(wish(4, 100))
    for (const no of [4, 3]) {
      expect(leaseOf(await commit(wish(no, 50)))).toEqual(lease(100, 4))
      expect(leaseOf(await commit(wish(no, -50)))).toEqual(lease(100, 4))
    }
    expect(leaseOf(await commit(wish(5, 0)))).toEqual(lease(100, 5))
  })

  test('what is owed is granted whatever is free', async () => {
    expect(leaseOf(await commit(wish(1, 2 * opening, { isOwed: true })))).toEqual(
      lease(2 * opening, 1),
    )
    expect((await account())?.balanceNano).toBe(opening)
    expect(await reservedNano()).toBe(2 * opening)
  })

  test('a charge under a lease is paid by it, once', async () => {
    await commit(wish(1, 1_000))
    const batch = { settle: [settle('a', 300), settle('b', 500, 200), settle('free', 0)] }
    expect(leaseOf(await commit(batch))).toEqual(lease(500, 1))
    expect(await account()).toMatchObject({ balanceNano: opening - 800, reservedNano: 500 })
    // Not answered, it is committed again, also with others.
    expect(leaseOf(await commit(batch))).toEqual(lease(500, 1))
    expect(leaseOf(await commit({ settle: [...batch.settle, settle('c', 7)] }))).toEqual(
      lease(493, 1),
    )
    expect(await account()).toMatchObject({ balanceNano: opening - 807, reservedNano: 493 })
    expect(await reservedNano()).toBe(493)
  })

  test('a lease that is too small pays what it can, and the balance the charge', async () => {
    await commit(wish(1, 1_000))
    expect(leaseOf(await commit({ settle: [settle('a', 700), settle('b', 700)] }))).toEqual(
      lease(0, 1),
    )
    expect(leaseOf(await commit({ settle: [settle('c', 5)] }))).toEqual(lease(0, 1))
    expect(await account()).toMatchObject({ balanceNano: opening - 1_405, reservedNano: 0 })
  })

  test('the wishes of a batch come after its charges', async () => {
    await commit(wish(1, 1_000))
    const batch = { settle: [settle('a', 600)], ...wish(2, 600) }
    expect(leaseOf(await commit(batch))).toEqual(lease(1_000, 2))
    expect(leaseOf(await commit(batch))).toEqual(lease(1_000, 2))
    expect(await reservedNano()).toBe(1_000)
  })

  test('a request under a lease has a row without money, by which it is closed as interrupted', async () => {
    await commit({ ...wish(1, 1_000), reserve: [leased('ended'), leased('lost')] })
    await commit({ settle: [settle('ended', 100)] })
    expect(await file.reserved()).toEqual({ lost: 0 })
    expect((await account())?.reservedNano).toBe(900)
    await file.store.nodes.forget(node)
    await file.change('UPDATE reservation SET created_at = created_at - 60000')
    expect(await file.store.records.sweep()).toBe(1)
    const requests = await collect(file.store.records.exportRequests({}))
    expect(requests.map(({ requestId, ending }) => [requestId, ending]).sort()).toEqual([
      ['ended', 'complete'],
      ['lost', 'interrupted'],
    ])
    expect(await reservedNano()).toBe(0)
  })

  test('a request under a lease that was closed meanwhile is charged when its node comes back', async () => {
    await commit({ ...wish(1, 1_000), reserve: [leased('a')] })
    await file.store.nodes.forget(node)
    await file.change('UPDATE reservation SET created_at = created_at - 60000')
    expect(await file.store.records.sweep()).toBe(1)
    const batch = { settle: [settle('a', 100), settle('b', 10)] }
    expect(leaseOf(await commit(batch))).toEqual(lease(0, 0))
    expect(await account()).toMatchObject({ balanceNano: opening - 110, reservedNano: 0 })
    expect(leaseOf(await commit(batch))).toEqual(lease(0, 0))
    expect(await account()).toMatchObject({ balanceNano: opening - 110, reservedNano: 0 })
    const totals = await file.rows('SELECT requests, failed, amount_nano FROM usage_total')
    expect(totals.map((row) => Object.values(row))).toEqual([[2, 0, 110]])
  })

  test('a reservation of what has ended asks nothing back', async () => {
    await commit(wish(1, 100))
    const ended = settlement({ requestId: 'a', amountNano: 40 })
    const late = reservation({ requestId: 'a', amountNano: 100 })
    const { denied, recalled } = await commit({ settle: [ended], reserve: [late] })
    expect([denied.size, recalled]).toEqual([1, []])
    const released = { ...late, requestId: 'b' }
    const gone = await commit({ release: ['b'], reserve: [released] })
    expect([gone.denied.size, gone.recalled]).toEqual([1, []])
  })

  test('money that is leased is asked back where it is too little for others', async () => {
    await commit(wish(1, 250_000_000))
    const heard = Promise.withResolvers<readonly number[]>()
    file.store.records.leases?.onRecall(heard.resolve)
    const all = (requestId: string) => reservation({ requestId, amountNano: opening })
    const { denied, recalled } = await commit({ reserve: [all('a')] })
    expect([[...denied], recalled]).toEqual([[['a', 'balance']], [accountId]])
    expect(await heard.promise).toEqual([accountId])
    const again = await commit({ ...wish(2, -250_000_000), reserve: [all('a')] })
    expect(again.denied.size).toBe(0)
    // There is nothing to ask back.
    const more = await commit({ reserve: [all('b')] })
    expect([more.denied.size, more.recalled]).toEqual([1, []])
  })

  test('what a node has reserved counts its leases', async () => {
    await commit({ ...wish(1, 1_000), reserve: [leased('a'), reservation({ requestId: 'b' })] })
    const nodeId = engine === 'SQLite' ? null : node
    expect(await file.store.nodes.reservations()).toEqual([
      { nodeId, requests: 2, amountNano: 1_100 },
    ])
  })

  test('verification counts leases as reserved', async () => {
    await commit(wish(1, 1_000))
    const odd = async () =>
      (await collect(file.store.verification.oddReserved())).flatMap(({ rows }) => rows)
    expect(await odd()).toEqual([])
    await file.change('UPDATE lease SET amount_nano = 999')
    expect(await odd()).toMatchObject([{ accountId, storedNano: 1_000, expectedNano: 999 }])
  })

  test('the rule of lending is that of src/leases, whatever is wished', async () => {
    let [seed, no, left] = [7, 0, opening]
    let held = lease(0, 0)
    const random = (below: number) => {
      seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0
      return (seed >>> 8) % below
    }
    for (let round = 0; round < 60; round++) {
      no += random(3) - (random(5) === 0 ? 1 : 0)
      const byNano = random(opening / 2) - opening / 4
      const isOwed = random(6) === 0
      const spentNano = random(3) === 0 ? Math.min(random(opening / 20), held.leaseNano) : 0
      const batch = {
        leases: [{ purse: accountId, no, byNano, ...(isOwed && ({ isOwed } as const)) }],
        settle: spentNano > 0 ? [settle(`spent-${round}`, spentNano)] : [],
      }
      left -= spentNano
      held = { ...held, leaseNano: held.leaseNano - spentNano }
      held = grant(held, batch.leases[0] ?? { purse: accountId, no, byNano }, left - held.leaseNano)
      expect(leaseOf(await commit(batch))).toEqual(held)
    }
    expect(await account()).toMatchObject({ balanceNano: left, reservedNano: held.leaseNano })
  })

  describe.if(engine === 'PostgreSQL')('of a cluster', () => {
    test('each node has its own lease', async () => {
      const beside = await file.openBeside()
      await beside.nodes.register({ name: 'theirs', version: '1' })
      await Promise.all([commit(wish(1, 100)), commit(wish(9, 200), beside)])
      expect(await reservedNano()).toBe(300)
      expect(leaseOf(await commit({ settle: [settle('a', 150)] }))).toEqual(lease(0, 1))
      expect(leaseOf(await commit(wish(10, -50), beside))).toEqual(lease(150, 10))
      expect(await reservedNano()).toBe(150)
      await beside.close()
    })

    test('a dead node gets none, and its own is given back by a living one', async () => {
      const beside = await file.openBeside()
      const theirs = await beside.nodes.register({ name: 'theirs', version: '1' })
      await commit(wish(1, 100))
      await commit(wish(1, 200), beside)
      const silent = silentNodeMs + 1_000
      await file.change(`UPDATE node SET seen_at = seen_at - ${silent} WHERE id = ${theirs}`)
      expect(leaseOf(await commit(wish(2, 70), beside))).toEqual(lease(200, 2))
      expect(await file.store.nodes.sweepDead()).toBe(0)
      expect(await reservedNano()).toBe(100)
      // It wakes up: what it has delivered is charged, and takes nothing from the lease of others.
      const late = await commit({ settle: [settle('late', 60)] }, beside)
      expect(leaseOf(late)).toEqual(lease(0, 0))
      expect(await account()).toMatchObject({ balanceNano: opening - 60, reservedNano: 100 })
      await beside.close()
    })

    test('a process that is in no list gets none', async () => {
      const beside = await file.openBeside()
      expect(leaseOf(await commit(wish(1, 200), beside))).toEqual(lease(0, 1))
      expect(await reservedNano()).toBe(0)
      await beside.close()
    })

    test('one that is asked back is asked of all nodes', async () => {
      const beside = await file.openBeside()
      await beside.nodes.register({ name: 'theirs', version: '1' })
      await commit(wish(1, 200), beside)
      const heard = Promise.withResolvers<readonly number[]>()
      beside.records.leases?.onRecall(heard.resolve)
      await commit({ reserve: [reservation({ requestId: 'a', amountNano: opening })] })
      expect(await heard.promise).toEqual([accountId])
      await beside.close()
    })
  })
})
