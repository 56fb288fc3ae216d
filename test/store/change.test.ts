import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { Limits } from '../../src/store/ports/catalog.ts'
import { noLimits } from '../support/no-limits.ts'
import { type AnyStore, eachEngine, type TestStore } from './each-engine.ts'
import { accountWrite, now, settlement, tokenWrite } from './support.ts'

eachEngine((open) => {
  const ann = 'ann@example.com'
  const actor = 'command line'
  let opened: TestStore
  let store: AnyStore
  let time = now

  beforeEach(async () => {
    time = now
    opened = await open(() => time)
    store = opened.store
  })
  afterEach(() => opened[Symbol.asyncDispose]())

  const audit = () => store.admin.audit(100)

  describe('an account', () => {
    test('O3: only what is named changes, and the audit says from what to what', async () => {
      await store.admin.write({
        accounts: [accountWrite({ role: 'admin', status: 'disabled', balanceLowNano: 5 })],
      })
      const before = await store.admin.account(ann)
      if (!before) throw new Error('no account')
      await store.admin.changeAccount({ account: ann, actor, creditLimitNano: 9 })
      expect(await store.admin.account(ann)).toEqual({ ...before, creditLimitNano: 9 })
      await store.admin.changeAccount({ account: ann, actor, balanceLowNano: null, role: 'user' })
      expect(await store.admin.account(ann)).toEqual({
        ...before,
        creditLimitNano: 9,
        balanceLowNano: null,
        role: 'user',
      })
      const common = { createdAt: now, actor, action: 'account.set', subject: ann }
      expect(await audit()).toEqual([
        { ...common, id: 1, detail: { credit_limit_nano: { from: 0, to: 9 } } },
        {
          ...common,
          id: 2,
          detail: { role: { from: 'admin', to: 'user' }, balance_low_nano: { from: 5, to: null } },
        },
      ])
    })

    test('each of its limits changes by itself', async () => {
      const change = (limits: Partial<Limits>) =>
        store.admin.changeAccount({ account: ann, actor, limits })
      await change({ rpm: 60, concurrency: 2 })
      await change({ rpm: null, tpm: 1_000 })
      await change({ tpm: 1_000 })
      const limits = { rpm: null, tpm: 1_000, concurrency: 2 }
      expect((await store.admin.account(ann))?.limits).toEqual(limits)
      expect((await audit()).map(({ detail }) => detail)).toEqual([
        { rpm: { from: null, to: 60 }, concurrency: { from: null, to: 2 } },
        { rpm: { from: 60, to: null }, tpm: { from: null, to: 1_000 } },
      ])
    })

    test('a change that changes nothing leaves no audit row', async () => {
      await store.admin.changeAccount({ account: ann, actor, creditLimitNano: 0, role: 'user' })
      await store.admin.changeAccount({ account: ann, actor })
      expect(await audit()).toEqual([])
    })

    test('an unknown one is refused, and not made', async () => {
      const change = { account: 'x@y.z', actor, creditLimitNano: 1 }
      await expect(store.admin.changeAccount(change)).rejects.toThrow('unknown account "x@y.z"')
      expect(await store.admin.accounts()).toHaveLength(1)
    })
  })

  describe('a token', () => {
    const budget = { totalNano: 1, dayNano: 2, monthNano: 3 }
    const token = async () => (await store.admin.tokens({ id: 1 }))[0]

    test('O3: only what is named changes, each part of a budget by itself', async () => {
      const limits = { models: ['small'], ipAllow: ['::1'], expiresAt: now + 5, budget }
      await store.admin.write({ tokens: [tokenWrite(limits)] })
      const before = await token()
      if (!before) throw new Error('no token')
      await store.admin.changeToken({ id: 1, actor, budget: { dayNano: 0, monthNano: null } })
      const changed = { ...before, budget: { totalNano: 1, dayNano: 0, monthNano: null } }
      expect(await token()).toEqual(changed)
      await store.admin.changeToken({ id: 1, actor, expiresAt: null })
      expect(await token()).toEqual({ ...changed, expiresAt: null })
      expect(
        (await audit()).map(({ subject, action, detail }) => [subject, action, detail]),
      ).toEqual([
        [
          'token 1',
          'token.set',
          { budget_day_nano: { from: 2, to: 0 }, budget_month_nano: { from: 3, to: null } },
        ],
        ['token 1', 'token.set', { expires_at: { from: '2026-11-21T08:00:00.005Z', to: null } }],
      ])
    })

    test('each of its limits changes by itself, and those of its account stay', async () => {
      const before = await token()
      if (!before) throw new Error('no token')
      await store.admin.changeToken({ id: 1, actor, limits: { rpm: 5 } })
      await store.admin.changeToken({ id: 1, actor, limits: { rpm: null, concurrency: 1 } })
      expect(await token()).toEqual({ ...before, limits: { ...noLimits, concurrency: 1 } })
      expect((await store.admin.account(ann))?.limits).toEqual(noLimits)
      expect((await audit()).map(({ detail }) => detail)).toEqual([
        { rpm: { from: null, to: 5 } },
        { rpm: { from: 5, to: null }, concurrency: { from: null, to: 1 } },
      ])
    })

    test('becomes strict and is so no longer, and the audit says so in words', async () => {
      const before = await token()
      if (!before) throw new Error('no token')
      const set = (isStrict: boolean) => store.admin.changeToken({ id: 1, actor, isStrict })
      await set(true)
      await set(true)
      expect(await token()).toEqual({ ...before, isStrict: true })
      expect((await store.tokens.findByHash('hash-1'))?.isStrict).toBe(true)
      await store.admin.changeToken({ id: 1, actor, expiresAt: 7 })
      expect((await token())?.isStrict).toBe(true)
      await set(false)
      expect(await token()).toEqual({ ...before, expiresAt: 7 })
      expect((await audit()).map(({ detail }) => detail)).toEqual([
        { strict: { from: false, to: true } },
        { expires_at: { from: null, to: '1970-01-01T00:00:00.007Z' } },
        { strict: { from: true, to: false } },
      ])
    })

    test('one that was removed is refused', async () => {
      await store.admin.write({ remove: { tokenIds: [1] } })
      const change = store.admin.changeToken({ id: 1, actor, expiresAt: null })
      await expect(change).rejects.toThrow('there is no token 1')
      expect(await audit()).toEqual([])
    })
  })

  test('the audit has the newest changes, newest last', async () => {
    for (const creditLimitNano of [1, 2, 3])
      await store.admin.changeAccount({ account: ann, actor, creditLimitNano })
    expect((await store.admin.audit(2)).map(({ id }) => id)).toEqual([2, 3])
  })

  test('what was spent with tokens is told by day and month, of each that is asked for', async () => {
    await store.admin.write({ tokens: [tokenWrite({ name: 'b', keyHash: 'hash-2' })] })
    const at = (day: string) => Date.parse(`${day}T12:00:00Z`)
    const charges = [
      ['2026-10-31', 1, 1],
      ['2026-11-01', 1, 10],
      ['2026-11-21', 1, 100],
      ['2026-11-21', 2, 7],
    ] as const
    await store.records.commit({
      settle: charges.map(([day, tokenId, amountNano], i) =>
        settlement({ requestId: `req_${i}`, createdAt: at(day), tokenId, amountNano }),
      ),
    })
    expect(await store.admin.spending([2, 1])).toEqual([
      { tokenId: 2, spent: { totalNano: 7, dayNano: 7, monthNano: 7, day: '2026-11-21' } },
      { tokenId: 1, spent: { totalNano: 111, dayNano: 100, monthNano: 110, day: '2026-11-21' } },
    ])
    time = at('2026-12-01')
    expect(await store.admin.spending([1])).toEqual([
      { tokenId: 1, spent: { totalNano: 111, dayNano: 0, monthNano: 0, day: '2026-12-01' } },
    ])
    expect(await store.admin.spending([])).toEqual([])
  })
})
