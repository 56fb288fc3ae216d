import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { Batch } from '../../src/store/ports/records.ts'
import { eachEngineAndLink, type TestStore } from './each-engine.ts'
import { reservation } from './sqlite/file-store.ts'
import { accountWrite, settlement, tokenWrite } from './support.ts'

eachEngineAndLink((open) => {
  let file: TestStore

  beforeEach(async () => {
    file = await open()
  })
  afterEach(() => file[Symbol.asyncDispose]())

  const opening = 1_000_000_000
  const reserve = (requestId: string, amountNano: number) => reservation({ requestId, amountNano })
  const grow = (requestId: string, byNano: number) => ({
    requestId,
    accountId: 1,
    tokenId: 1,
    byNano,
  })
  const settle = (requestId: string, amountNano = 100) => settlement({ requestId, amountNano })
  const commit = async (batch: Batch) => [...(await file.store.records.commit(batch)).denied.keys()]
  const balance = async () => (await file.store.admin.account('ann@example.com'))?.balanceNano

  describe('reserve', () => {
    test('sets aside and leaves the balance alone', async () => {
      expect(await commit({ reserve: [reserve('a', 400), reserve('b', 0)] })).toEqual([])
      expect(await file.reserved()).toEqual({ a: 400, b: 0 })
      expect(await balance()).toBe(opening)
    })

    test('the whole balance, and not one nano-USD more', async () => {
      expect(await commit({ reserve: [reserve('a', opening)] })).toEqual([])
      expect(await commit({ reserve: [reserve('b', 1)] })).toEqual(['b'])
      expect(await file.reserved()).toEqual({ a: opening })
    })

    test('of a batch, those that come first are covered, and a smaller one after them', async () => {
      const asked = [
        reserve('a', 600_000_000),
        reserve('b', 500_000_000),
        reserve('c', 400_000_000),
      ]
      expect(await commit({ reserve: asked })).toEqual(['b'])
      expect(await file.reserved()).toEqual({ a: 600_000_000, c: 400_000_000 })
    })

    test('the credit limit counts as money', async () => {
      const account = accountWrite({
        email: 'bob@example.com',
        openingNano: 10,
        creditLimitNano: 90,
      })
      const token = tokenWrite({ account: 'bob@example.com', keyHash: 'hash-2' })
      await file.store.admin.write({ accounts: [account], tokens: [token] })
      const bob = (requestId: string, amountNano: number) =>
        reservation({ requestId, amountNano, accountId: 2, tokenId: 2 })
      expect(await commit({ reserve: [bob('a', 101)] })).toEqual(['a'])
      expect(await commit({ reserve: [bob('b', 100), bob('c', 1)] })).toEqual(['c'])
      // What is owed already is no money; the other account's is not his.
      await commit({
        settle: [settlement({ requestId: 'b', amountNano: 40, accountId: 2, tokenId: 2 })],
      })
      expect(await commit({ reserve: [bob('d', 61), bob('e', 60)] })).toEqual(['d'])
      expect(await file.reserved()).toEqual({ e: 60 })
    })

    test('a free request needs no money', async () => {
      await commit({ settle: [settle('over', opening + 5)] })
      expect(await balance()).toBe(-5)
      expect(await commit({ reserve: [reserve('free', 0), reserve('dear', 1)] })).toEqual(['dear'])
    })

    test('money that came in by another process counts at once', async () => {
      await commit({ reserve: [reserve('a', opening)] })
      const beside = await file.openBeside()
      const credit = { account: 'ann@example.com', kind: 'credit', amountNano: 50 } as const
      await beside.admin.adjust({
        ...credit,
        reason: 'paid',
        idempotencyKey: null,
        actor: 'someone',
      })
      await beside.close()
      expect(await commit({ reserve: [reserve('b', 51), reserve('c', 50)] })).toEqual(['b'])
    })

    test.each([
      ['settled before', { settle: [settle('a')] }, {}],
      ['settled in the same batch', {}, { settle: [settle('a')] }],
      ['released in the same batch', {}, { release: ['a'] }],
    ])(
      'of a request that was %s, nothing is set aside',
      async (_, before: Batch, beside: Batch) => {
        await commit(before)
        expect(await commit({ ...beside, reserve: [reserve('a', 400), reserve('b', 1)] })).toEqual([
          'a',
        ])
        expect(await file.reserved()).toEqual({ b: 1 })
      },
    )
  })

  describe('reserve where several processes do', () => {
    const denials = async (batch: Batch) => (await file.store.records.commit(batch)).denied
    const open = (requestId: string, amountNano = 100) => ({
      ...reserve(requestId, amountNano),
      isOpen: true,
    })

    test('a repeat changes nothing, and is not denied', async () => {
      await commit({ reserve: [reserve('a', opening)] })
      expect(await commit({ reserve: [reserve('a', opening)] })).toEqual([])
      expect(await file.reserved()).toEqual({ a: opening })
    })

    test('an account has one open request at a time', async () => {
      expect(await commit({ reserve: [open('a')] })).toEqual([])
      expect(await denials({ reserve: [open('b'), reserve('c', 1)] })).toEqual(
        new Map([['b', 'busy']]),
      )
      expect(await commit({ reserve: [open('a')] })).toEqual([]) // again
      await commit({ release: ['a'] })
      expect(await denials({ reserve: [open('d'), open('e')] })).toEqual(new Map([['e', 'busy']]))
      await commit({ settle: [settle('d')] })
      expect(await commit({ reserve: [open('f')] })).toEqual([])
    })

    test('a budget covers what is reserved for its token, beside what it has spent', async () => {
      const budget = { totalNano: 1_000, dayNano: null, monthNano: null }
      await file.store.admin.changeToken({ id: 1, actor: 'someone', budget })
      await commit({ settle: [settle('spent', 300)], reserve: [reserve('a', 600)] })
      expect(await denials({ reserve: [reserve('b', 101), reserve('c', 60)] })).toEqual(
        new Map([['b', 'budget']]),
      )
      expect(await denials({ grow: [grow('a', 41)] })).toEqual(new Map([['a', 'budget']]))
      expect(await denials({ grow: [grow('a', 40)] })).toEqual(new Map())
      expect(await denials({ settle: [settle('a', 10)], reserve: [reserve('d', 630)] })).toEqual(
        new Map(),
      )
      expect(await file.reserved()).toEqual({ c: 60, d: 630 })
    })
  })

  describe('grow', () => {
    test('of a repeat, by what is missing', async () => {
      await commit({ reserve: [reserve('a', 100)] })
      const more = { ...grow('a', 50), fromNano: 100 }
      expect(await commit({ grow: [more] })).toEqual([])
      expect(await commit({ grow: [more] })).toEqual([])
      expect(await file.reserved()).toEqual({ a: 150 })
      expect(await commit({ grow: [{ ...more, byNano: 60 }] })).toEqual([])
      expect(await file.reserved()).toEqual({ a: 160 })
    })

    test('adds to what is set aside, as far as the balance goes', async () => {
      await commit({ reserve: [reserve('a', 100)] })
      expect(await commit({ grow: [grow('a', 50), grow('a', 25)] })).toEqual([])
      expect(await commit({ grow: [grow('a', opening - 174)] })).toEqual(['a'])
      expect(await file.reserved()).toEqual({ a: 175 })
      expect(await commit({ grow: [grow('a', opening - 175)] })).toEqual([])
    })

    test('begins and grows in one batch', async () => {
      expect(await commit({ grow: [grow('a', 5)], reserve: [reserve('a', 100)] })).toEqual([])
      expect(await file.reserved()).toEqual({ a: 105 })
    })

    test('without a reservation there is nothing to grow, and nothing is set aside', async () => {
      expect(await commit({ grow: [grow('never', 50)] })).toEqual(['never'])
      await commit({ reserve: [reserve('a', 100)] })
      expect(await commit({ settle: [settle('a')], grow: [grow('a', 50)] })).toEqual(['a'])
      expect(await file.reserved()).toEqual({})
    })
  })

  describe('settle', () => {
    test('frees all that was set aside and grown, and charges what was used', async () => {
      await commit({ reserve: [reserve('a', 300), reserve('b', 7)] })
      await commit({ grow: [grow('a', 600)] })
      await commit({ settle: [settle('a', 450)] })
      expect(await file.reserved()).toEqual({ b: 7 })
      expect(await balance()).toBe(opening - 450)
    })

    test('a repeat frees and charges nothing', async () => {
      await commit({ reserve: [reserve('a', 300), reserve('b', 7)] })
      await commit({ settle: [settle('a'), settle('a')] })
      await commit({ settle: [settle('a')] })
      expect(await file.reserved()).toEqual({ b: 7 })
      expect(await balance()).toBe(opening - 100)
    })

    test('without a reservation it charges all the same', async () => {
      await commit({ settle: [settle('a')] })
      expect(await file.reserved()).toEqual({})
      expect(await balance()).toBe(opening - 100)
    })
  })

  describe('release', () => {
    test('frees, without a record', async () => {
      await commit({ reserve: [reserve('a', 300), reserve('b', 7)] })
      await commit({ release: ['a', 'a', 'unknown'] })
      await commit({ release: ['a'] })
      expect(await file.reserved()).toEqual({ b: 7 })
      expect(await file.rows('SELECT request_id FROM request')).toEqual([])
    })
  })

  describe('one batch', () => {
    test('what is settled and released in it serves what it sets aside and grows', async () => {
      const half = opening / 2
      await commit({ reserve: [reserve('a', half), reserve('b', half - 10), reserve('c', 10)] })
      const batch = {
        grow: [grow('c', 90), grow('d', 400)],
        reserve: [reserve('d', half), reserve('e', half - 600)],
        settle: [settle('a', 100)],
        release: ['b'],
      }
      expect(await commit(batch)).toEqual([])
      expect(await file.reserved()).toEqual({ c: 100, d: half + 400, e: half - 600 })
      expect(await commit({ reserve: [reserve('f', 1)] })).toEqual(['f'])
    })

    test('that fails changes nothing, and the next one counts from what is stored', async () => {
      await commit({ reserve: [reserve('a', 300)] })
      const bad = { settle: [settle('a', 50), settle('bad', -1)], reserve: [reserve('b', 20)] }
      await expect(commit(bad)).rejects.toThrow('bad')
      expect(await file.reserved()).toEqual({ a: 300 })
      expect(await commit({ grow: [grow('a', 10)], reserve: [reserve('b', 20)] })).toEqual([])
      expect(await file.reserved()).toEqual({ a: 310, b: 20 })
      expect(await balance()).toBe(opening)
    })

    test('names of all accounts that it touched the balance', async () => {
      await file.store.admin.write({
        accounts: [accountWrite({ email: 'bob@example.com', openingNano: 500 })],
        tokens: [tokenWrite({ account: 'bob@example.com', keyHash: 'hash-2' })],
      })
      const bob = { accountId: 2, tokenId: 2 }
      const { accounts } = await file.store.records.commit({
        settle: [settle('a', 70)],
        reserve: [reservation({ requestId: 'b', ...bob })],
      })
      expect(accounts).toEqual([
        { accountId: 1, balanceNano: opening - 70 },
        { accountId: 2, balanceNano: 500 },
      ])
    })
  })
})
