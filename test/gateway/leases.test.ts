import { describe, expect, test } from 'bun:test'
import type { Denial } from '../../src/gateway/money/commit-item.ts'
import type { Borrower } from '../../src/leases/borrower.ts'
import { purseOfAccount, purseOfBudget } from '../../src/leases/purse.ts'
import type { Batch, Reservation, Settlement, Spool } from '../../src/store/ports/records.ts'
import { StoreError } from '../../src/store/ports/store-error.ts'
import { now, settlement } from '../store/support.ts'
import { createMoneyScene, type MoneyOptions, type MoneyScene } from './money-scene.ts'

// What a lease covers is neither asked for nor waited for; everything else is as without leases.

const balanceNano = 1_000_000

const reservation = (id: number, amountNano: number): Reservation => ({
  requestId: `req_${id}`,
  ...{ createdAt: now, accountId: 1, tokenId: 1, groupId: 1, model: 'small', priceId: 1 },
  ...{ clientProtocol: 'chat', operation: 'completions', stream: true },
  ...{ multiplierMillionths: 800_000, amountNano },
})

/** Begins a request; gives whether a lease covers it, and else the store's answer. */
async function begin({ reservations, committer, isLimited }: Scene, id: number, nano: number) {
  const one = reservation(id, nano)
  const { requestId, accountId, tokenId, createdAt } = one
  const payer = { accountId, budgetOf: isLimited ? tokenId : undefined }
  if (reservations.isCovered({ requestId, startedAt: createdAt, payer }, nano)) {
    reservations.reserveCovered({ ...one, amountNano: 0 }, nano)
    return 'covered'
  }
  const listener = Promise.withResolvers<Denial>()
  reservations.reserve(one, listener)
  committer.commitNow(one.requestId)
  return (await listener.promise) ?? 'stored'
}

interface Scene extends MoneyScene {
  /** Whether its token has a budget. */
  readonly isLimited?: boolean
}

/** A scene whose account is in use: its process holds a lease; with `budgetNano` one of its token's budget, too. */
async function inUse({
  budgetNano,
  ...options
}: Partial<MoneyOptions> & { budgetNano?: number } = {}) {
  const money = await createMoneyScene({ balanceNano, lends: true, ...options })
  const scene = Object.assign(money, { isLimited: budgetNano !== undefined })
  const { lender, leases } = scene
  if (!lender || !leases) throw new Error('It does not lend.')
  if (budgetNano !== undefined) {
    const budget = { totalNano: budgetNano, dayNano: null, monthNano: null }
    await scene.store.admin.changeToken({ id: 1, actor: 'someone', budget })
  }
  expect(await begin(scene, 1, 1_000)).toBe('stored')
  expect(await begin(scene, 2, 1_000)).toBe('stored')
  expect(lender.leaseNano(1)).toBe(4_000)
  lender.batches.length = 0
  return Object.assign(scene, { lender, leases })
}

const settled = (id: number, amountNano: number) =>
  settlement({ requestId: `req_${id}`, amountNano })

/** What was settled, as the store was given it. */
const settlementsOf = (batches: readonly Batch[]): readonly Settlement[] =>
  batches.flatMap(({ settle = [] }) => settle)

describe('a request that a lease covers', () => {
  test('begins without the store, and is charged with what the lease pays', async () => {
    await using scene = await inUse()
    expect(await begin(scene, 3, 1_500)).toBe('covered')
    expect(scene.lender.batches).toEqual([])
    expect(scene.reservations.heldFor('req_3')).toBe(1_500)
    await scene.committer.settle(settled(3, 600))
    const [only] = settlementsOf(scene.lender.batches)
    expect([only?.leasedNano, only?.neverReserved]).toEqual([600, true])
    expect(scene.lender.leaseNano(1)).toBe(3_400)
    expect(await scene.sum()).toEqual({
      balanceNano: balanceNano - 600,
      reservedNano: 2_000 + scene.lender.leaseNano(1),
    })
    expect(scene.leases.borrower.spareNano(1)).toBe(3_400)
  })

  test('is charged whole where it costs more than it held', async () => {
    await using scene = await inUse()
    await begin(scene, 3, 1_500)
    await scene.committer.settle(settled(3, 1_700))
    expect(settlementsOf(scene.lender.batches)[0]?.leasedNano).toBe(1_500)
    expect(await scene.sum()).toEqual({
      balanceNano: balanceNano - 1_700,
      reservedNano: 2_000 + scene.lender.leaseNano(1),
    })
  })

  test('is known to the store within the batch window, without an amount', async () => {
    await using scene = await inUse()
    await begin(scene, 3, 1_500)
    scene.committer.commitAllNow()
    await scene.committer.idle()
    const rows = scene.lender.batches.flatMap(({ reserve = [] }) => reserve)
    expect(rows.map(({ requestId, amountNano }) => [requestId, amountNano])).toEqual([['req_3', 0]])
    await scene.committer.settle(settled(3, 600))
    expect(settlementsOf(scene.lender.batches)[0]?.neverReserved).toBeUndefined()
    expect(await scene.sum()).toEqual({
      balanceNano: balanceNano - 600,
      reservedNano: 2_000 + scene.lender.leaseNano(1),
    })
  })

  test('gives back all it held when it leaves no record', async () => {
    await using scene = await inUse()
    await begin(scene, 3, 1_500)
    scene.committer.release('req_3')
    expect(scene.lender.batches).toEqual([])
    expect([scene.reservations.holds('req_3'), scene.leases.borrower.spareNano(1)]).toEqual([
      false,
      4_000,
    ])
  })

  test('grows by the lease, and by the store where that is too little', async () => {
    await using scene = await inUse()
    await begin(scene, 3, 1_500)
    expect(await scene.reservations.grow('req_3', 1_000)).toBeTrue()
    expect(scene.lender.batches).toEqual([])
    scene.lender.told.recall([1])
    expect(await scene.reservations.grow('req_3', 10_000)).toBeTrue()
    expect(await scene.reservations.grow('req_3', 20_000)).toBeTrue()
    const grown = scene.lender.batches.flatMap(({ grow = [] }) => grow)
    expect(grown.map(({ fromNano, byNano }) => [fromNano, byNano])).toEqual([
      [0, 10_000],
      [10_000, 20_000],
    ])
    expect(scene.reservations.heldFor('req_3')).toBe(32_500)
    await scene.committer.settle(settled(3, 30_000))
    expect(settlementsOf(scene.lender.batches)[0]?.leasedNano).toBe(2_500)
    expect(await scene.sum()).toEqual({
      balanceNano: balanceNano - 30_000,
      reservedNano: 2_000 + scene.lender.leaseNano(1),
    })
  })

  test('is spooled when the store fails, though its reservation was never stored', async () => {
    const spooled: string[] = []
    const spool = {
      async add(settlements: readonly Settlement[]) {
        spooled.push(...settlements.map(({ request }) => request.requestId))
      },
      ...{ has: (id: string) => spooled.includes(id), stored() {}, quarantine: async () => {} },
      ...{ count: () => spooled.length, hasFailed: () => false, remark: () => undefined },
    } satisfies Spool
    await using scene = await inUse({ spool })
    await begin(scene, 3, 1_500)
    const { told } = scene.lender
    told.fails = new StoreError('away')
    await scene.committer.settle(settled(3, 600))
    expect(spooled).toEqual(['req_3'])
    expect(scene.leases.borrower.spareNano(1)).toBe(2_500)
    told.fails = undefined
    await scene.committer.idle()
    expect(await scene.sum()).toEqual({
      balanceNano: balanceNano - 600,
      reservedNano: 2_000 + scene.lender.leaseNano(1),
    })
  })
})

describe('a lease', () => {
  test('grows while it is used up within a second', async () => {
    await using scene = await inUse()
    for (let id = 3; id < 40; id++) {
      await begin(scene, id, 1_000)
      await scene.committer.settle(settled(id, 900))
    }
    expect(scene.lender.leaseNano(1)).toBeGreaterThan(8_000)
    const asked = scene.lender.batches.filter(({ reserve = [] }) => reserve.length > 0)
    expect(asked.length).toBeLessThan(4)
  })

  test('goes back after some seconds without use, and at the end', async () => {
    await using scene = await inUse()
    for (const atMs of [5_000, 10_000]) {
      scene.time.tick = atMs
      scene.leases.rest()
      await scene.committer.idle()
    }
    expect(scene.lender.leaseNano(1)).toBe(0)
    await using other = await inUse()
    await other.committer.idle()
    expect(other.lender.leaseNano(1)).toBe(0)
  })

  test('goes back at once when it is recalled, and no new one is wished for a second', async () => {
    await using scene = await inUse()
    await begin(scene, 3, 1_500)
    scene.lender.told.recall([1])
    await scene.committer.idle()
    expect(scene.lender.leaseNano(1)).toBe(1_500)
    for (const id of [4, 5, 6]) expect(await begin(scene, id, 1_000)).toBe('stored')
    expect(scene.lender.leaseNano(1)).toBe(1_500)
    scene.time.tick = 1_001
    expect(await begin(scene, 7, 1_000)).toBe('stored')
    expect(scene.lender.leaseNano(1)).toBeGreaterThan(1_500)
  })

  test('covers nothing while its node could be taken for dead, and nothing once it was', async () => {
    await using scene = await inUse()
    scene.lender.told.isOpen = false
    expect(await begin(scene, 3, 1_000)).toBe('stored')
    scene.lender.told.isOpen = true
    scene.lender.told.lose()
    expect(await begin(scene, 4, 1_000)).toBe('stored')
  })

  test('of a short account is left to the requests that need it', async () => {
    await using scene = await inUse({ balanceNano: 20_000 })
    expect(await scene.lender.freeNano(1)).toBe(14_000)
    // What the lease leaves is too little: it comes back, and a second try has all.
    expect(await begin(scene, 3, 17_000)).toBe('stored')
    expect(scene.lender.leaseNano(1)).toBe(0)
  })
})

describe('where its token has a budget, a request', () => {
  const account = purseOfAccount(1)
  const budget = purseOfBudget(1)
  const spares = ({ leases }: { leases: { borrower: Borrower } }) =>
    [account, budget].map(leases.borrower.spareNano)

  test('is covered by the leases of both, which both pay', async () => {
    await using scene = await inUse({ budgetNano: 500_000 })
    expect(scene.lender.leaseNano(budget)).toBe(4_000)
    expect(await begin(scene, 3, 1_500)).toBe('covered')
    expect(await scene.reservations.grow('req_3', 500)).toBeTrue()
    expect(scene.lender.batches).toEqual([])
    expect(spares(scene)).toEqual([2_000, 2_000])
    await scene.committer.settle(settled(3, 600))
    const [only] = settlementsOf(scene.lender.batches)
    expect([only?.leasedNano, only?.budgetLeasedNano]).toEqual([600, 600])
    expect([scene.lender.leaseNano(account), scene.lender.leaseNano(budget)]).toEqual([
      3_400, 3_400,
    ])
    expect(spares(scene)).toEqual([3_400, 3_400])
  })

  test.each([
    ['budget', budget],
    ['account', account],
  ])(
    "is the store's to decide where the lease of its %s lacks, and holds none of the other",
    async (_, purse) => {
      await using scene = await inUse({ budgetNano: 500_000 })
      scene.lender.told.recall([purse])
      await scene.committer.idle()
      await begin(scene, 3, 1_000)
      expect(scene.leases.coveredNano('req_3')).toBeUndefined()
      expect(await scene.reservations.grow('req_3', 100)).toBeTrue()
      expect(Math.max(...spares(scene))).toBe(
        Math.max(scene.lender.leaseNano(account), scene.lender.leaseNano(budget)),
      )
      await scene.committer.settle(settled(3, 600))
      const [only] = settlementsOf(scene.lender.batches)
      expect([only?.leasedNano, only?.budgetLeasedNano]).toEqual([undefined, undefined])
    },
  )

  test('costs as many commits as one without, and no reservation', async () => {
    const counts: unknown[] = []
    for (const budgetNano of [undefined, 500_000]) {
      await using scene = await inUse({ ...(budgetNano && { budgetNano }) })
      for (let id = 3; id < 100; id++) {
        await begin(scene, id, 1_000)
        await scene.committer.settle(settled(id, 900))
        scene.time.tick += 20
      }
      const { batches } = scene.lender
      const reserved = batches.flatMap(({ reserve = [] }) => reserve)
      counts.push([batches.length, reserved.filter(({ amountNano }) => amountNano > 0).length])
    }
    expect(counts[1]).toEqual(counts[0])
    expect((counts as number[][])[1]?.[0]).toBeLessThan(105)
  })

  test('that began before midnight spends nothing of what was leased since', async () => {
    await using scene = await inUse({ budgetNano: 500_000 })
    const asked = { requestId: 'req_3', payer: { accountId: 1, budgetOf: 1 } }
    const { reservations } = scene
    expect(reservations.isCovered({ ...asked, startedAt: now - 86_400_000 }, 1_000)).toBeFalse()
    expect(reservations.isCovered({ ...asked, startedAt: now }, 1_000)).toBeTrue()
  })

  test('takes all that is left of it, leased or not', async () => {
    await using scene = await inUse({ budgetNano: 20_000 })
    const listener = Promise.withResolvers<Denial>()
    scene.reservations.reserve({ ...reservation(3, 18_000), isOpen: true }, listener)
    scene.committer.commitNow('req_3')
    expect(await listener.promise).toBeUndefined()
    expect(scene.lender.leaseNano(budget)).toBe(0)
  })

  test('is denied by it only when what is leased of it is back', async () => {
    await using scene = await inUse({ budgetNano: 20_000 })
    expect(scene.lender.leaseNano(budget)).toBe(4_000)
    // What the lease leaves is too little: it comes back, and a second try has all.
    expect(await begin(scene, 3, 17_000)).toBe('stored')
    expect(await begin(scene, 4, 17_000)).toBe('budget')
  })
})

describe('no lease covers', () => {
  test('a request that takes all that is left', async () => {
    await using scene = await inUse({ balanceNano: 20_000 })
    const listener = Promise.withResolvers<Denial>()
    scene.reservations.reserve({ ...reservation(3, 18_000), isOpen: true }, listener)
    scene.committer.commitNow('req_3')
    expect(await listener.promise).toBeUndefined()
    expect([scene.lender.leaseNano(1), await scene.lender.freeNano(1)]).toEqual([0, 0])
  })

  test('a request of a token whose budget lacks one, or one that goes on in the background', async () => {
    const usual = { balanceNano: 100_000_000_000, usualOutputTokens: 10 }
    for (const kind of ['usual', 'budget', 'background'] as const) {
      await using scene = await inUse(usual)
      scene.leases.borrower.want(1, 1_000_000_000, 0)
      scene.committer.commitWishes()
      await begin(scene, 9, 2_000_000_000)
      const { exchange, caller } = scene
      if (kind === 'budget') {
        const spent = { totalNano: 0, dayNano: 0, monthNano: 0, day: '2026-11-21' }
        const budget = { totalNano: 90_000_000_000, dayNano: null, monthNano: null }
        const limited = {
          ...caller,
          token: { ...caller.token, budget, spent },
          spending: { spent },
        }
        Object.assign(exchange, { caller: limited })
      }
      if (kind === 'background' && exchange.facts)
        Object.assign(exchange, { facts: { ...exchange.facts, background: true } })
      await scene.reserveMoney()
      const isCovered = scene.leases.coveredNano(exchange.requestId) !== undefined
      expect([kind, isCovered]).toEqual([kind, kind === 'usual'])
    }
  })
})
