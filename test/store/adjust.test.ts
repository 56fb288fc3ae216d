import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { Adjustment } from '../../src/store/ports/admin.ts'
import { WouldOverdraw, WriteRefused } from '../../src/store/ports/admin.ts'
import type { Store } from '../../src/store/ports/store.ts'
import { lendPlace, openStore } from '../support/empty-store.ts'
import { accountWrite, collect, now, seed, settlement } from './support.ts'

const ann = 'ann@example.com'
const openingNano = 1_000_000_000
let store: Store
let time = now

beforeEach(async () => {
  time = now
  store = await openStore(() => time)
  await seed(store)
})
afterEach(() => store.close())

const adjust = (changes: Partial<Adjustment> = {}) =>
  store.admin.adjust({
    account: ann,
    kind: 'credit',
    amountNano: 500,
    reason: 'invoice 7',
    idempotencyKey: null,
    actor: 'command line',
    ...changes,
  })
const balance = async () => (await store.admin.account(ann))?.balanceNano
const entries = async () => (await collect(store.records.exportLedger({}))).slice(1)

describe('a credit and a debit', () => {
  test('change the balance with a ledger entry and an audit row, at one moment', async () => {
    time = now + 5
    const credited = { ledgerId: 2, balanceNano: openingNano + 500, isRepeat: false }
    expect(await adjust()).toEqual(credited)
    const debited = { ledgerId: 3, balanceNano: openingNano + 300, isRepeat: false }
    expect(await adjust({ kind: 'debit', amountNano: 200, reason: 'back' })).toEqual(debited)
    expect(await balance()).toBe(openingNano + 300)
    const common = { createdAt: now + 5, account: ann, requestId: null }
    expect(await entries()).toEqual([
      {
        ...common,
        id: 2,
        kind: 'credit',
        amountNano: 500,
        reason: 'invoice 7',
        balanceAfterNano: openingNano + 500,
      },
      {
        ...common,
        id: 3,
        kind: 'debit',
        amountNano: -200,
        reason: 'back',
        balanceAfterNano: openingNano + 300,
      },
    ])
    const audited = { createdAt: now + 5, actor: 'command line', subject: ann }
    expect(await store.admin.audit(10)).toEqual([
      {
        ...audited,
        id: 1,
        action: 'account.credit',
        detail: { ledger_id: 2, amount_nano: 500, reason: 'invoice 7' },
      },
      {
        ...audited,
        id: 2,
        action: 'account.debit',
        detail: { ledger_id: 3, amount_nano: -200, reason: 'back' },
      },
    ])
  })

  test('of an account that is removed or unknown are refused', async () => {
    await expect(adjust({ account: 'x@y.z' })).rejects.toThrow(
      `credit of account "x@y.z": unknown account "x@y.z"; known accounts: "${ann}".`,
    )
    await store.admin.write({ remove: { accounts: [ann] } })
    await expect(adjust()).rejects.toBeInstanceOf(WriteRefused)
  })

  test.each([0, -5, 0.5, 2 ** 53, Number.NaN])('of %p is refused', async (amountNano) => {
    await expect(adjust({ amountNano })).rejects.toThrow('is not a whole number above 0')
    expect(await entries()).toEqual([])
    expect(await store.admin.audit(10)).toEqual([])
  })

  test('never takes a balance out of the exact integers', async () => {
    await expect(adjust({ amountNano: Number.MAX_SAFE_INTEGER })).rejects.toThrow(
      'the balance would leave the range that is counted exactly',
    )
    const largest = { amountNano: Number.MAX_SAFE_INTEGER - openingNano }
    expect((await adjust(largest)).balanceNano).toBe(Number.MAX_SAFE_INTEGER)
  })
})

describe('an idempotency key', () => {
  const keyed = { idempotencyKey: 'invoice-7' }

  test('changes the balance once, and tells what it did then', async () => {
    const done = await adjust(keyed)
    await adjust({ amountNano: 7 })
    expect(await adjust(keyed)).toEqual({ ...done, isRepeat: true })
    expect(await balance()).toBe(openingNano + 507)
    expect(await entries()).toHaveLength(2)
    expect(await store.admin.audit(10)).toHaveLength(2)
  })

  test.each<[string, Partial<Adjustment>]>([
    ['another amount', { amountNano: 501 }],
    ['the other direction', { kind: 'debit' }],
  ])('with %s is refused, and changes nothing', async (_, other) => {
    await adjust(keyed)
    await expect(adjust({ ...keyed, ...other })).rejects.toThrow(
      'the key "invoice-7" was used for another change (ledger entry 2); use a new key',
    )
    expect(await balance()).toBe(openingNano + 500)
    expect(await store.admin.audit(10)).toHaveLength(1)
  })

  test('belongs to one account', async () => {
    const bob = 'bob@example.com'
    await store.admin.write({ accounts: [accountWrite({ email: bob, openingNano: 0 })] })
    await adjust(keyed)
    expect(await adjust({ ...keyed, account: bob })).toMatchObject({
      balanceNano: 500,
      isRepeat: false,
    })
  })
})

describe('a debit that must not overdraw', () => {
  const debit = (amountNano: number, more: Partial<Adjustment> = {}) =>
    adjust({ kind: 'debit', amountNano, mayOverdraw: false, ...more })

  test('may take all, and not a nano-USD more', async () => {
    await expect(debit(openingNano + 1)).rejects.toBeInstanceOf(WouldOverdraw)
    expect(await store.admin.audit(10)).toEqual([])
    expect((await debit(openingNano)).balanceNano).toBe(0)
  })

  test('may use the credit limit up', async () => {
    await store.admin.changeAccount({ account: ann, actor: 'x', creditLimitNano: 50 })
    await expect(debit(openingNano + 51)).rejects.toBeInstanceOf(WouldOverdraw)
    expect((await debit(openingNano + 50)).balanceNano).toBe(-50)
  })

  test('is not asked again about what it did before', async () => {
    const keyed = { idempotencyKey: 'k' }
    await debit(openingNano * 2, { ...keyed, mayOverdraw: true })
    expect(await debit(openingNano * 2, keyed)).toMatchObject({ isRepeat: true })
  })

  test('a credit below zero is no overdraft', async () => {
    await debit(openingNano + 900, { mayOverdraw: true })
    expect((await adjust({ mayOverdraw: false })).balanceNano).toBe(-400)
  })
})

test('two stores on one database that ask with one key at once change the balance once', async () => {
  await using place = await lendPlace()
  const [one, two] = [await place.open(() => now), await place.open(() => now)]
  await seed(one)
  const change = {
    account: ann,
    kind: 'credit' as const,
    amountNano: 9,
    reason: 'r',
    idempotencyKey: 'k',
    actor: 'x',
  }
  const done = await Promise.all([one, two, one, two].map(({ admin }) => admin.adjust(change)))
  expect(done.filter(({ isRepeat }) => !isRepeat)).toHaveLength(1)
  expect(new Set(done.map(({ ledgerId }) => ledgerId))).toEqual(new Set([2]))
  expect((await two.admin.account(ann))?.balanceNano).toBe(openingNano + 9)
  await Promise.all([one.close(), two.close()])
})

describe('the ledger of an account', () => {
  test('has the newest entries of that account only, newest last', async () => {
    const bob = 'bob@example.com'
    await store.admin.write({ accounts: [accountWrite({ email: bob, openingNano: 3 })] })
    await adjust({ reason: 'first' })
    await adjust({ account: bob, reason: 'not hers' })
    await store.records.commit({ settle: [settlement({ requestId: 'req_1' })] })
    await adjust({ reason: 'last' })
    const ledger = async (limit: number) =>
      (await store.admin.ledger(ann, limit)).map(({ kind, requestId, reason }) => [
        kind,
        requestId ?? reason,
      ])
    expect(await ledger(10)).toEqual([
      ['opening', null],
      ['credit', 'first'],
      ['charge', 'req_1'],
      ['credit', 'last'],
    ])
    expect(await ledger(2)).toEqual([
      ['charge', 'req_1'],
      ['credit', 'last'],
    ])
    expect(await store.admin.ledger('x@y.z', 10)).toEqual([])
  })
})
