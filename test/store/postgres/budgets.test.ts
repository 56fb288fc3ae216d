import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { TokenSettings } from '../../../src/resources/token.ts'
import type { Batch } from '../../../src/store/ports/records.ts'
import { openPostgresStore, type PostgresStore } from '../../../src/store/postgres/open.ts'
import { lendDatabase } from '../../support/lent-databases.ts'
import { ask, hasPostgres, type TestDatabase } from '../../support/postgres.ts'
import { reservation } from '../sqlite/file-store.ts'
import { now, seed, settlement, tokenWrite } from '../support.ts'

// Budgets of tokens where several nodes share the store: it decides by what all of them have done.

type TokenBudget = TokenSettings['budget']

const none: TokenBudget = { totalNano: null, dayNano: null, monthNano: null }
const price = 100
const dayMs = 86_400_000

/** Rows that are not the sums that they stand for. */
const oddSpendings = `
SELECT * FROM (SELECT kept.*,
  (SELECT coalesce(sum(amount_nano), 0) FROM usage_day WHERE token_id = kept.token_id) AS total,
  (SELECT coalesce(sum(amount_nano), 0) FROM usage_day WHERE token_id = kept.token_id
    AND left(day, 7) = left(kept.day, 7)) AS month,
  (SELECT coalesce(sum(amount_nano), 0) FROM usage_day WHERE token_id = kept.token_id
    AND day = kept.day) AS of_day,
  (SELECT coalesce(sum(amount_nano), 0) FROM reservation WHERE token_id = kept.token_id)
    + (SELECT coalesce(sum(amount_nano), 0) FROM lease WHERE purse = -kept.token_id) AS held
FROM token_spending AS kept) AS sums
WHERE total_nano <> total OR month_nano <> month OR day_nano <> of_day OR reserved_nano <> held`

describe.skipIf(!hasPostgres)('a budget on PostgreSQL', () => {
  let database: TestDatabase
  let time: number
  let made: number
  const opened: PostgresStore[] = []

  beforeEach(async () => {
    database = await lendDatabase()
    time = now
    made = 0
    await seed(await open())
  })
  afterEach(async () => {
    expect(await ask(database.url, oddSpendings)).toEqual([])
    await Promise.all(opened.splice(0).map((store) => store.close()))
    await database[Symbol.asyncDispose]()
  })

  async function open(clock = () => time): Promise<PostgresStore> {
    const store = await openPostgresStore({ url: database.url, clock })
    opened.push(store)
    return store
  }
  const first = () => {
    const [store] = opened
    if (store === undefined) throw new Error('No store is open.')
    return store
  }
  const setBudget = (budget: Partial<TokenBudget>) =>
    first().admin.changeToken({ id: 1, budget: { ...none, ...budget }, actor: 'someone' })
  const commit = async (batch: Batch, store = first()) =>
    Object.fromEntries((await store.records.commit(batch)).denied)
  /** Ids of so many reservations that are made now, with what denied them. */
  const reserve = (count: number, amountNano = price, store = first()) =>
    commit(
      {
        reserve: Array.from({ length: count }, () =>
          reservation({ requestId: `req_${++made}`, amountNano, createdAt: time }),
        ),
      },
      store,
    )
  const settle = (id: number, amountNano = price, createdAt = time) =>
    commit({ settle: [settlement({ requestId: `req_${id}`, amountNano, createdAt })] })
  /** One request as a whole; gives what denied it. */
  async function spend(): Promise<string | undefined> {
    const denial = Object.values(await reserve(1))[0]
    if (denial === undefined) await settle(made)
    return denial
  }
  /** How many requests pass until one is denied. */
  async function spendAll(): Promise<number> {
    let passed = 0
    for (; passed < 20; passed++) {
      const denial = await spend()
      if (denial === undefined) continue
      expect(denial).toBe('budget')
      break
    }
    return passed
  }
  const kept = () => ask(database.url, 'SELECT * FROM token_spending')

  test.each([
    ['in all', { totalNano: 300 * price }],
    ['of a day', { dayNano: 300 * price }],
    ['of a month', { monthNano: 300 * price }],
    ['of which the smallest counts', { totalNano: 900 * price, dayNano: 300 * price }],
  ])(
    '%s, spent by three nodes at once, lets through what it pays, not one more',
    async (_, budget) => {
      await setBudget(budget)
      const nodes = [first(), await open(), await open()]
      const denials: string[] = []
      const work = async (node: PostgresStore, lane: string) => {
        for (let round = 0; round < 15; round++) {
          const ids = Array.from({ length: 10 }, (_, at) => `${lane}_${round}_${at}`)
          const { denied } = await node.records.commit({
            reserve: ids.map((requestId) => reservation({ requestId, amountNano: price })),
          })
          denials.push(...denied.values())
          const passed = ids.filter((id) => !denied.has(id))
          const amounts = { amountNano: price }
          await node.records.commit({
            settle: passed.map((requestId) => settlement({ requestId, ...amounts })),
          })
        }
      }
      await Promise.all(nodes.flatMap((node, at) => [work(node, `${at}_a`), work(node, `${at}_b`)]))
      expect(denials).toHaveLength(600)
      expect(new Set(denials)).toEqual(new Set(['budget']))
      const [sums] = await ask(
        database.url,
        'SELECT count(*) AS requests, sum(amount_nano) AS nano FROM request',
      )
      expect(sums).toEqual({ requests: 300, nano: 300 * price })
    },
  )

  test('is decided in the one round trip of the batch, and costs a token without one nothing', async () => {
    await setBudget({ totalNano: 2 * price })
    const before = first().roundTrips()
    expect(await reserve(3)).toEqual({ req_3: 'budget' })
    expect(first().roundTrips() - before).toBe(1)
    await setBudget(none)
    await settle(1)
    expect(await kept()).toEqual([])
    expect(await reserve(3)).toEqual({})
    expect(await kept()).toEqual([])
  })

  test('tells which of the two is nearer, and a budget leaves others what the balance has', async () => {
    await setBudget({ totalNano: 2_000_000_000 })
    expect(await reserve(1, 1_500_000_000)).toEqual({ req_1: 'balance' })
    expect(await reserve(1, 2_500_000_000)).toEqual({ req_2: 'balance' })
    await setBudget({ totalNano: 1000 })
    expect(await reserve(2, 600)).toEqual({ req_4: 'budget' })
    await first().admin.write({ tokens: [tokenWrite({ name: 'phone', keyHash: 'hash-2' })] })
    const other = reservation({ requestId: 'other', tokenId: 2, amountNano: 999_999_400 })
    expect(await commit({ reserve: [other] })).toEqual({})
    expect(await reserve(1, 1)).toEqual({ req_5: 'balance' })
  })

  test('counts what is set aside, what grows, and gives back what was not used', async () => {
    await setBudget({ totalNano: 1000 })
    const grow = (byNano: number) =>
      commit({ grow: [{ requestId: 'req_1', accountId: 1, tokenId: 1, byNano }] })
    expect(await reserve(1, 400)).toEqual({})
    expect(await grow(500)).toEqual({})
    expect(await grow(101)).toEqual({ req_1: 'budget' })
    expect(await reserve(1, 101)).toEqual({ req_2: 'budget' })
    await settle(1, 300)
    expect(await reserve(1, 700)).toEqual({})
    expect(await commit({ release: ['req_3'] })).toEqual({})
    expect(await reserve(2, 350)).toEqual({})
    expect(await reserve(1, 1)).toEqual({ req_6: 'budget' })
  })

  test('set while requests are under way counts them, raised and lowered counts at once', async () => {
    await reserve(3)
    await settle(1)
    await setBudget({ totalNano: 4 * price })
    expect(await reserve(2)).toEqual({ req_5: 'budget' })
    await setBudget({ totalNano: 5 * price })
    expect(await reserve(2)).toEqual({ req_7: 'budget' })
    await setBudget({ totalNano: price })
    expect(await reserve(1, 0)).toEqual({}) // what is free needs none
    expect(await reserve(1, 1)).toEqual({ req_9: 'budget' })
    await settle(2)
    expect(await reserve(1, 1)).toEqual({ req_10: 'budget' })
  })

  test('taken away and set again counts what was spent meanwhile', async () => {
    await setBudget({ totalNano: 5 * price })
    expect(await spend()).toBeUndefined()
    await setBudget(none)
    expect([await spend(), await spend()]).toEqual([undefined, undefined])
    await reserve(1)
    await setBudget({ totalNano: 5 * price })
    expect(await spendAll()).toBe(1)
  })

  test('of a day begins anew at midnight UTC, that of a month with the month, in all never', async () => {
    time = Date.parse('2026-11-29T23:59:59.999Z')
    await setBudget({ dayNano: 3 * price, monthNano: 5 * price, totalNano: 11 * price })
    expect(await spendAll()).toBe(3)
    time += 1
    expect(await spendAll()).toBe(2) // the month's
    time += dayMs
    expect(await spendAll()).toBe(3) // December
    time += dayMs
    expect(await spendAll()).toBe(2)
    time += 31 * dayMs
    expect(await spendAll()).toBe(1) // the last
    time += 400 * dayMs
    expect(await spendAll()).toBe(0)
  })

  test('of a day is that of the day on which a request came, also by a clock that is behind', async () => {
    const midnight = Date.parse('2026-11-30T00:00:00Z')
    await setBudget({ dayNano: 3 * price })
    time = midnight - 1
    await reserve(2)
    const behind = await open(() => midnight - 1)
    time = midnight + 1
    expect(await spendAll()).toBe(1) // what is under way counts, whenever it began
    await settle(1, price, midnight - 1)
    await settle(2, price, midnight - 1)
    // It began before midnight and is set aside after: one more of that day, not two.
    const yesterday = (requestId: string) =>
      reservation({ requestId, amountNano: price, createdAt: midnight - 1 })
    expect(await commit({ reserve: [yesterday('a')] })).toEqual({})
    const two = [yesterday('b'), reservation({ requestId: 'c', createdAt: time })]
    expect(await commit({ reserve: two })).toEqual({ b: 'budget' })
    // Another node's clock is still before midnight.
    expect(await commit({ reserve: [yesterday('d')] }, behind)).toEqual({ d: 'budget' })
    await commit({ release: ['a'] }, behind)
    expect(await commit({ reserve: [yesterday('e')] }, behind)).toEqual({ e: 'budget' })
    await commit({ release: ['c'] })
    expect(await commit({ reserve: [yesterday('f')] }, behind)).toEqual({})
    await commit({ release: ['f'] })
    expect(await spendAll()).toBe(2)
  })

  test('gets back what a dead node had set aside, and is charged once when it settles late', async () => {
    await setBudget({ totalNano: 3 * price })
    const dead = await open()
    await dead.nodes.register({ name: 'dead', version: '1' })
    expect(await reserve(3, price, dead)).toEqual({})
    expect(await reserve(1)).toEqual({ req_4: 'budget' })
    await ask(database.url, 'UPDATE node SET seen_at = 0')
    expect(await first().nodes.sweepDead()).toBe(3)
    expect(await reserve(1)).toEqual({})
    // It was not dead: it comes back with what it has delivered.
    await settle(1)
    await settle(1)
    await settle(2)
    expect(await reserve(1)).toEqual({ req_6: 'budget' })
    await settle(5)
    expect(await spendAll()).toBe(0)
  })

  test('is known to who looks a token up, without summing all days up', async () => {
    await setBudget({ totalNano: 9 * price })
    await spend()
    const found = await first().tokens.findByHash('hash-1')
    const spent = { totalNano: price, dayNano: price, monthNano: price, day: '2026-11-21' }
    expect(found?.spent).toEqual(spent)
    time += dayMs
    expect((await first().tokens.findByHash('hash-1'))?.spent).toEqual({
      ...spent,
      dayNano: 0,
      day: '2026-11-22',
    })
  })
})
