import { describe, expect, test } from 'bun:test'
import type { Caller } from '../../src/gateway/admit/authenticate.ts'
import type { Denial } from '../../src/gateway/money/commit-item.ts'
import type { Committer } from '../../src/gateway/money/committer.ts'
import { createReservations } from '../../src/gateway/money/reservations.ts'
import type { Growth, Reservation } from '../../src/store/ports/records.ts'
import { now, settlement } from '../store/support.ts'
import { createMoneyScene, type MoneyScene } from './money-scene.ts'

const balanceNano = 1_000

const reservation = (id: number, amountNano: number): Reservation => ({
  requestId: `req_${id}`,
  createdAt: now,
  accountId: 1,
  tokenId: 1,
  groupId: 1,
  model: 'small',
  clientProtocol: 'chat',
  operation: 'completions',
  stream: true,
  priceId: 1,
  multiplierMillionths: 800_000,
  amountNano,
})

/** Opens and waits until it is committed. */
async function open(scene: MoneyScene, id: number, nano: number) {
  const listener = Promise.withResolvers<Denial>()
  scene.reservations.reserve(reservation(id, nano), listener)
  scene.committer.commitNow(`req_${id}`)
  return listener.promise
}
const room = ({ reservations, caller }: MoneyScene) => reservations.room(caller)

/** The scene's caller with a budget. */
const limited = ({ caller }: MoneyScene, totalNano: number): Caller => {
  const spent = { totalNano: 0, dayNano: 0, monthNano: 0, day: '2026-11-21' }
  const budget = { totalNano, dayNano: null, monthNano: null }
  return { ...caller, token: { ...caller.token, budget, spent }, spending: { spent } }
}

describe('room', () => {
  test('is the balance with the credit limit, less all that is set aside', async () => {
    await using scene = await createMoneyScene({ balanceNano, creditLimitNano: 200 })
    expect(room(scene)).toEqual({ nano: 1_200, limit: 'balance' })
    expect(await open(scene, 1, 500)).toBeUndefined()
    expect(room(scene)).toEqual({ nano: 700, limit: 'balance' })
    expect(await scene.sum()).toEqual({ balanceNano, reservedNano: 500 })
  })

  test('is gone at once, before anything is committed', async () => {
    await using scene = await createMoneyScene({ balanceNano })
    const opened = open(scene, 1, 400)
    expect(room(scene).nano).toBe(600)
    // A store that is shared is told at once, and may be faster than who asks it.
    if (!scene.committer.isShared)
      expect(await scene.sum()).toEqual({ balanceNano, reservedNano: 0 })
    await opened
    expect(await scene.sum()).toEqual({ balanceNano, reservedNano: 400 })
  })

  test('comes back when the request is settled, or leaves no record', async () => {
    await using scene = await createMoneyScene({ balanceNano })
    await open(scene, 1, 400)
    await open(scene, 2, 300)
    await scene.committer.settle(settlement({ requestId: 'req_1', amountNano: 100 }))
    expect(scene.reservations.holds('req_1')).toBeFalse()
    expect(room(scene).nano).toBe(700) // the balance here is the one of the caller, still
    scene.committer.release('req_2')
    await scene.committer.idle()
    expect([scene.reservations.holds('req_2'), room(scene).nano]).toEqual([false, balanceNano])
    expect(await scene.sum()).toEqual({ balanceNano: 900, reservedNano: 0 })
  })

  test('of a budget is its own, and names it when it is the nearer limit', async () => {
    await using scene = await createMoneyScene({ balanceNano })
    const caller = limited(scene, 600)
    expect(scene.reservations.room(caller)).toEqual({ nano: 600, limit: 'budget' })
    await open(scene, 1, 450)
    expect(scene.reservations.room(caller)).toEqual({ nano: 150, limit: 'budget' })
    // Another token of the account has what the balance leaves.
    const other = { ...scene.caller, token: { ...scene.caller.token, id: 2 } }
    expect(scene.reservations.room(other)).toEqual({ nano: 550, limit: 'balance' })
    scene.reservations.adopt({ requestId: 'req_2', accountId: 1, tokenId: 2, amountNano: 500 })
    expect(scene.reservations.room(caller)).toEqual({ nano: 50, limit: 'balance' })
  })
})

describe('the store has the last word', () => {
  test('where somebody else has taken the money, nothing is set aside', async () => {
    await using scene = await createMoneyScene({ balanceNano })
    await scene.store.admin.adjust({
      ...{ account: 'ann@example.com', kind: 'debit', amountNano: 700, reason: 'taken' },
      ...{ actor: 'command line', idempotencyKey: null },
    })
    expect(await open(scene, 1, 400)).toBe('balance')
    expect(scene.reservations.holds('req_1')).toBeFalse()
    expect(scene.reservations.heldFor('req_1')).toBe(0)
    expect(room(scene).nano).toBe(balanceNano)
    expect(await scene.sum()).toEqual({ balanceNano: 300, reservedNano: 0 })
  })

  test('where it can’t store, nothing stays set aside in memory either', async () => {
    const enough = 1_000_000_000
    const scene = await createMoneyScene({ balanceNano: enough })
    await scene.store.close()
    // SQLite stores it when its batch window ends, PostgreSQL at once.
    const store = async () => {
      await scene.reserveMoney()
      await scene.exchange.reservation?.ensureStored()
    }
    await expect(store()).rejects.toThrow('could not store')
    await scene.committer.idle()
    expect([scene.reservations.holds('req_1'), room(scene).nano]).toEqual([false, enough])
  })
})

describe('more of it', () => {
  test('is set aside where there is room, in memory and in the store', async () => {
    await using scene = await createMoneyScene({ balanceNano })
    await open(scene, 1, 400)
    expect(await scene.reservations.grow('req_1', 600)).toBeTrue()
    expect([scene.reservations.heldFor('req_1'), room(scene).nano]).toEqual([1_000, 0])
    expect(await scene.sum()).toEqual({ balanceNano, reservedNano: 1_000 })
    expect(await scene.reservations.grow('req_1', 1)).toBeFalse()
    expect(scene.reservations.heldFor('req_1')).toBe(1_000)
  })

  test('is asked for with what there was, so that it is set aside once', async () => {
    const asked: Growth[] = []
    const committer = {
      reserve() {},
      async grow(growth: Growth) {
        asked.push(growth)
        return asked.length === 1 ? undefined : 'balance'
      },
    } as unknown as Committer
    const reservations = createReservations(
      () => committer,
      () => '2026-11-21',
    )
    reservations.reserve(reservation(1, 400), { resolve() {}, reject() {} })
    for (const byNano of [300, 200, 100]) await reservations.grow('req_1', byNano)
    expect(asked.map(({ fromNano, byNano }) => [fromNano, byNano])).toEqual([
      [400, 300],
      [700, 200],
      [700, 100],
    ])
  })

  test('is not for what is not open, or has ended', async () => {
    await using scene = await createMoneyScene({ balanceNano })
    expect(await scene.reservations.grow('req_9', 1)).toBeFalse()
    await open(scene, 1, 400)
    await scene.committer.settle(settlement({ requestId: 'req_1', amountNano: 100 }))
    expect(await scene.reservations.grow('req_1', 1)).toBeFalse()
    expect(await scene.sum()).toEqual({ balanceNano: 900, reservedNano: 0 })
  })

  test('that the store denies is not set aside, and what was before stays', async () => {
    await using scene = await createMoneyScene({ balanceNano })
    await open(scene, 1, 400)
    await scene.store.admin.adjust({
      ...{ account: 'ann@example.com', kind: 'debit', amountNano: 500, reason: 'taken' },
      ...{ actor: 'command line', idempotencyKey: null },
    })
    expect(await scene.reservations.grow('req_1', 300)).toBeFalse()
    expect([scene.reservations.heldFor('req_1'), room(scene).nano]).toEqual([400, 600])
    expect(await scene.sum()).toEqual({ balanceNano: 500, reservedNano: 400 })
  })

  test('of several that grow at once never adds up to more than there is', async () => {
    await using scene = await createMoneyScene({ balanceNano })
    for (const id of [1, 2, 3, 4, 5]) await open(scene, id, 100)
    const grown = await Promise.all(
      [1, 2, 3, 4, 5].map((id) => scene.reservations.grow(`req_${id}`, 200)),
    )
    expect(grown).toEqual([true, true, false, false, false])
    expect(room(scene).nano).toBe(100)
    expect(await scene.sum()).toEqual({ balanceNano, reservedNano: 900 })
  })
})
