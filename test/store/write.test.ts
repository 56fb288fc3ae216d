import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { Writes } from '../../src/store/ports/admin.ts'
import type { PriceTerms } from '../../src/store/ports/catalog.ts'
import { noLimits } from '../support/no-limits.ts'
import { type AnyStore, eachEngine, type TestStore } from './each-engine.ts'
import {
  accountWrite,
  channelWrite,
  collect,
  groupWrite,
  now,
  priceWrite,
  settlement,
  tokenWrite,
} from './support.ts'

eachEngine((open) => {
  const ann = 'ann@example.com'
  const group = '默认【官转·稳定】'
  let opened: TestStore
  let store: AnyStore
  let time = now

  beforeEach(async () => {
    time = now
    opened = await open(() => time)
    store = opened.store
  })
  afterEach(() => opened[Symbol.asyncDispose]())

  const write = (writes: Writes) => store.admin.write(writes)
  const prices = async () => (await store.catalog.load()).prices

  describe('channels and groups', () => {
    test('come back as they were written', async () => {
      const { channels, groups } = await store.catalog.load()
      expect(channels).toEqual([
        { id: 1, ...channelWrite(), keysSealed: Uint8Array.of(1, 2, 3), proxySealed: null },
      ])
      expect(groups).toEqual([{ id: 1, ...groupWrite() }])
    })

    test('a channel keeps its keys when none are given', async () => {
      const changes = { weight: 5, allowPrivate: true, quirks: ['max_tokens', 'text_only'] }
      const { keysSealed: _, ...settings } = channelWrite(changes)
      await write({ channels: [settings] })
      const [channel] = (await store.catalog.load()).channels
      expect(channel).toEqual({
        id: 1,
        ...settings,
        keysSealed: Uint8Array.of(1, 2, 3),
        proxySealed: null,
      })
      await expect(write({ channels: [{ ...settings, name: 'new' }] })).rejects.toThrow(
        'channel "new" is new, so it needs the keys',
      )
    })

    test('limits, draining, a proxy and a probe come back as they were written', async () => {
      const limits = { rpm: 1, tpm: 2, concurrency: 3 }
      const set = channelWrite({
        status: 'draining',
        limits,
        probe: { everyMs: 5_000, model: 'small' },
        proxySealed: Uint8Array.of(9),
      })
      await write({ channels: [set], groups: [groupWrite({ limits })] })
      const { channels, groups } = await store.catalog.load()
      expect(channels).toEqual([
        { id: 1, ...set, keysSealed: Uint8Array.of(1, 2, 3), proxySealed: Uint8Array.of(9) },
      ])
      expect(groups).toEqual([{ id: 1, ...groupWrite({ limits }) }])
      await write({ channels: [channelWrite()] })
      expect((await store.catalog.load()).channels).toMatchObject([
        { status: 'active', limits: noLimits, probe: null },
      ])
    })

    test('a channel keeps its proxy when none is given, and null takes it away', async () => {
      const proxyOf = async () => (await store.catalog.load()).channels[0]?.proxySealed
      await write({ channels: [channelWrite({ proxySealed: Uint8Array.of(9) })] })
      await write({ channels: [channelWrite({ weight: 2 })] })
      expect(await proxyOf()).toEqual(Uint8Array.of(9))
      await write({ channels: [channelWrite({ proxySealed: null })] })
      expect(await proxyOf()).toBeNull()
    })

    test('a channel that is off does not drain', async () => {
      await write({ channels: [channelWrite({ status: 'draining' })] })
      await write({ channels: [channelWrite({ status: 'disabled' })] })
      expect((await store.catalog.load()).channels[0]?.status).toBe('disabled')
    })

    test('a group has its channels in the order in which it names them', async () => {
      await write({
        channels: [channelWrite({ name: 'a' }), channelWrite({ name: 'b' })],
        groups: [groupWrite({ channels: ['b', 'main', 'a', 'b'], platform: 'other' })],
      })
      const [first] = (await store.catalog.load()).groups
      expect(first).toMatchObject({ id: 1, channels: ['b', 'main', 'a'], platform: 'other' })
    })

    test('a removed channel leaves its groups, and its name is free for another', async () => {
      await store.records.commit({ settle: [settlement({ requestId: 'req_1' })] })
      await write({ remove: { channels: ['main'] } })
      expect((await store.catalog.load()).groups[0]?.channels).toEqual([])
      await write({ channels: [channelWrite()], groups: [groupWrite()] })
      const { channels, groups } = await store.catalog.load()
      expect(channels[0]?.id).toBe(2)
      expect(groups[0]?.channels).toEqual(['main'])
      expect((await store.records.receipt('req_1'))?.request.channelId).toBe(1)
    })

    test('a group with tokens stays; without them it goes', async () => {
      await expect(write({ remove: { groups: [group] } })).rejects.toThrow(
        `group "${group}" is in use by 1 token;`,
      )
      await write({ remove: { groups: [group], accounts: [ann] } })
      expect((await store.catalog.load()).groups).toEqual([])
    })
  })

  describe('prices', () => {
    const tokens = (input: number): PriceTerms => ({
      unit: 'tokens',
      base: { input, output: 8, cacheRead: null, cacheWrite: 1, cacheWrite1h: null },
      tiers: [{ above: 200, input: 9, output: 9, cacheRead: 9, cacheWrite: 9, cacheWrite1h: 9 }],
    })

    test('the newest is in force, and older ones stay for the receipts', async () => {
      await store.records.commit({ settle: [settlement({ requestId: 'req_1' })] })
      time = now + 1000
      await write({ prices: [priceWrite('small', tokens(4))] })
      const [price] = await prices()
      expect(price).toEqual({
        id: 2,
        ...priceWrite('small', tokens(4)),
        validFrom: now + 1000,
      })
      expect((await store.records.receipt('req_1'))?.price?.id).toBe(1)
    })

    test('one that equals the one in force adds nothing, whatever the order of its fields', async () => {
      await write({ prices: [priceWrite('big', tokens(4))] })
      const { unit, base, tiers } = tokens(4) as Extract<PriceTerms, { unit: 'tokens' }>
      const { input, ...rest } = base
      await write({ prices: [priceWrite('big', { tiers, base: { ...rest, input }, unit })] })
      expect((await prices()).map(({ id }) => id)).toEqual([2, 1])
      await write({ prices: [priceWrite('big', tokens(5))] })
      await write({ prices: [priceWrite('big', tokens(4))] })
      expect((await prices()).map(({ id }) => id)).toEqual([4, 1])
    })

    test('one with another context window is another price', async () => {
      const window = (contextWindow?: number): PriceTerms => ({
        ...(tokens(4) as Extract<PriceTerms, { unit: 'tokens' }>),
        ...(contextWindow !== undefined && { contextWindow }),
      })
      await write({ prices: [priceWrite('big', window(1000))] })
      await write({ prices: [priceWrite('big', window(1000))] })
      expect((await prices())[0]).toMatchObject({ id: 2, terms: { contextWindow: 1000 } })
      await write({ prices: [priceWrite('big', window(2000))] })
      expect((await prices())[0]).toMatchObject({ id: 3, terms: { contextWindow: 2000 } })
      await write({ prices: [priceWrite('big', window())] })
      expect((await prices())[0]?.terms).toEqual(tokens(4))
    })

    test('a removed price is in the history as removed', async () => {
      await write({ remove: { prices: ['small'] } })
      expect(await prices()).toMatchObject([{ id: 2, model: 'small', terms: { unit: 'none' } }])
      await expect(write({ remove: { prices: ['small'] } })).rejects.toThrow('"small" has no price')
      await expect(write({ remove: { prices: ['never'] } })).rejects.toThrow('"never" has no price')
    })
  })

  describe('accounts', () => {
    test('the opening balance is set once and never again', async () => {
      await store.records.commit({ settle: [settlement({ requestId: 'req_1' })] })
      await write({ accounts: [accountWrite({ openingNano: 5_000_000_000, role: 'admin' })] })
      expect(await store.admin.account(ann)).toEqual({
        id: 1,
        email: ann,
        isVouched: true,
        role: 'admin',
        status: 'active',
        balanceNano: 999_999_900,
        reservedNano: 0,
        creditLimitNano: 0,
        balanceLowNano: null,
        limits: noLimits,
        regions: null,
        tokenCount: 1,
        passwordMark: null,
        createdAt: now,
      })
      const entries = await collect(store.records.exportLedger({}))
      expect(entries.map(({ kind, amountNano }) => [kind, amountNano])).toEqual([
        ['opening', 1_000_000_000],
        ['charge', -100],
      ])
    })

    test('limits stay when none are given', async () => {
      const limits = { rpm: 60, tpm: null, concurrency: 4 }
      await write({ accounts: [accountWrite({ limits })] })
      await write({ accounts: [accountWrite({ role: 'admin' })] })
      expect(await store.admin.account(ann)).toMatchObject({ role: 'admin', limits })
      await write({ accounts: [accountWrite({ limits: noLimits })] })
      expect((await store.admin.accounts())[0]?.limits).toEqual(noLimits)
      await write({ accounts: [accountWrite({ email: 'bob@example.com', limits })] })
      expect((await store.admin.account('bob@example.com'))?.limits).toEqual(limits)
    })

    test('an opening balance of zero writes no entry', async () => {
      await write({ accounts: [accountWrite({ email: 'bob@example.com', openingNano: 0 })] })
      expect(await collect(store.records.exportLedger({}))).toHaveLength(1)
      expect((await store.admin.accounts()).map(({ email }) => email)).toEqual([
        ann,
        'bob@example.com',
      ])
    })

    test('a password stays when none is given', async () => {
      await write({ accounts: [accountWrite({ password: { hash: 'h', mark: 'm' } })] })
      await write({ accounts: [accountWrite({ status: 'disabled' })] })
      const account = await store.admin.account(ann)
      expect(account).toMatchObject({ passwordMark: 'm', status: 'disabled' })
    })

    test('a removed account takes its tokens along, and what it did stays on record', async () => {
      await store.records.commit({ settle: [settlement({ requestId: 'req_1' })] })
      time = now + 9
      await write({ remove: { accounts: [ann] } })
      expect(await store.admin.account(ann)).toBeUndefined()
      expect(await store.admin.tokens({})).toEqual([])
      const token = await store.tokens.findByHash('hash-1')
      expect(token).toMatchObject({ deletedAt: now + 9, account: { deletedAt: now + 9 } })
      expect((await store.records.receipt('req_1'))?.request.account).toBe(ann)
      await write({ accounts: [accountWrite({ openingNano: 7 })] })
      expect(await store.admin.account(ann)).toMatchObject({ id: 2, balanceNano: 7, tokenCount: 0 })
    })
  })

  describe('tokens', () => {
    test('are found by the hash of their key, with all that authentication needs', async () => {
      const lists = { models: ['small'], ipAllow: ['10.0.0.0/8'] }
      const limits = { ...lists, isStrict: true, expiresAt: now + 5, maxCostNano: 6 }
      await write({ tokens: [tokenWrite({ ...limits, name: 'phone' })] })
      expect(await store.tokens.findByHash('hash-1')).toEqual({
        id: 1,
        name: 'phone',
        groupId: 1,
        status: 'active',
        deletedAt: null,
        ...limits,
        budget: { totalNano: null, dayNano: null, monthNano: null },
        maxCostNano: 6,
        limits: noLimits,
        spent: null,
        account: {
          id: 1,
          email: ann,
          isVouched: true,
          status: 'active',
          deletedAt: null,
          balanceNano: 1_000_000_000,
          creditLimitNano: 0,
          balanceLowNano: null,
          limits: noLimits,
          regions: null,
        },
      })
      expect(await store.tokens.findByHash('hash-2')).toBeUndefined()
      expect(await store.admin.tokens({ id: 1 })).toEqual([
        { id: 1, ...tokenWrite({ ...limits, name: 'phone' }), createdAt: now },
      ])
    })

    test('are found with their limits and those of their account, each its own', async () => {
      const limits = { rpm: 1, tpm: 2, concurrency: 3 }
      const accountLimits = { rpm: 10, tpm: 20, concurrency: 30 }
      await write({
        accounts: [accountWrite({ limits: accountLimits })],
        tokens: [tokenWrite({ limits })],
      })
      expect(await store.tokens.findByHash('hash-1')).toMatchObject({
        limits,
        account: { limits: accountLimits },
      })
      expect((await store.admin.tokens({}))[0]?.limits).toEqual(limits)
      await write({ tokens: [tokenWrite()] })
      expect((await store.tokens.findByHash('hash-1'))?.limits).toEqual(noLimits)
    })

    test('a deleted key is known as deleted, and may be given to another account', async () => {
      await write({ accounts: [accountWrite({ email: 'bob@example.com' })] })
      const bobs = tokenWrite({ account: 'bob@example.com' })
      await expect(write({ tokens: [bobs] })).rejects.toThrow('in use by another account')
      await write({ remove: { tokenIds: [1] } })
      expect((await store.tokens.findByHash('hash-1'))?.deletedAt).toBe(now)
      await write({ tokens: [bobs] })
      const token = await store.tokens.findByHash('hash-1')
      expect(token).toMatchObject({ id: 2, deletedAt: null, account: { email: 'bob@example.com' } })
      await expect(write({ remove: { tokenIds: [1] } })).rejects.toThrow(
        'token 1 is deleted already',
      )
    })

    test('a name stands for one key of an account, until that one is removed', async () => {
      const other = tokenWrite({ keyHash: 'hash-2' })
      await expect(write({ tokens: [other] })).rejects.toThrow(
        `token "laptop" of ${ann}: the account has a token of that name with another key (id 1`,
      )
      await write({ tokens: [other], remove: { tokenIds: [1] } })
      expect((await store.tokens.findByHash('hash-1'))?.deletedAt).toBe(now)
      expect((await store.tokens.findByHash('hash-2'))?.deletedAt).toBeNull()
    })

    test('are listed by account, group, key and page', async () => {
      await write({
        groups: [groupWrite({ name: 'vip' })],
        accounts: [accountWrite({ email: 'bob@example.com' })],
        tokens: [
          tokenWrite({ name: 'b', keyHash: 'hash-2', group: 'vip' }),
          tokenWrite({ account: 'bob@example.com', keyHash: 'hash-3', group: 'vip' }),
        ],
      })
      const ids = async (filter: Parameters<AnyStore['admin']['tokens']>[0]) =>
        (await store.admin.tokens(filter)).map(({ id }) => id)
      expect(await ids({})).toEqual([1, 2, 3])
      expect(await ids({ account: ann })).toEqual([1, 2])
      expect(await ids({ group: 'vip' })).toEqual([2, 3])
      expect(await ids({ group: 'vip', account: ann })).toEqual([2])
      expect(await ids({ keyHashes: ['hash-3', 'hash-0', 'hash-2'] })).toEqual([2, 3])
      expect(await ids({ name: 'b' })).toEqual([2])
      expect(await ids({ name: 'b', account: 'bob@example.com' })).toEqual([])
      expect(await ids({ afterId: 1, limit: 1 })).toEqual([2])
      expect(await ids({ account: 'nobody@example.com' })).toEqual([])
    })
  })

  test.each<[string, Writes, string]>([
    [
      'an unknown group',
      { tokens: [tokenWrite({ group: 'x' })] },
      `token "laptop" of ${ann}: unknown group "x"; known groups: "${group}".`,
    ],
    [
      'an unknown account',
      { tokens: [tokenWrite({ account: 'x@y' })] },
      `unknown account "x@y"; known accounts: "${ann}", "new@example.com".`,
    ],
    [
      'an unknown channel',
      { groups: [groupWrite({ channels: ['main', 'x'] })] },
      `group "${group}": unknown channel "x"; known channels: "main".`,
    ],
    ['an unknown group to remove', { remove: { groups: ['x'] } }, 'unknown group "x"'],
    ['an unknown channel to remove', { remove: { channels: ['x'] } }, 'unknown channel "x"'],
    ['an unknown account to remove', { remove: { accounts: ['x'] } }, 'unknown account "x"'],
    ['an unknown token to remove', { remove: { tokenIds: [9] } }, 'there is no token with id 9'],
  ])('refuses %s and changes nothing at all', async (_, writes, message) => {
    const before = await store.catalog.load()
    const refused = write({
      ...writes,
      channels: [channelWrite({ weight: 99 })],
      prices: [priceWrite('small', { unit: 'free' })],
      accounts: [accountWrite({ email: 'new@example.com' })],
    })
    await expect(refused).rejects.toMatchObject({
      name: 'WriteRefused',
      message: expect.stringContaining(message),
    })
    expect(await store.catalog.load()).toEqual(before)
    expect(await store.admin.account('new@example.com')).toBeUndefined()
  })

  test('accounts are found by their e-mails, without those that are gone', async () => {
    await store.admin.write({ accounts: [accountWrite({ email: 'bob@example.com' })] })
    const named = async (...emails: string[]) =>
      (await store.admin.accountsNamed(emails)).map(({ email }) => email)
    const strangers = Array.from({ length: 1200 }, (_, at) => `nobody-${at}@example.com`)
    expect(await named('bob@example.com', ...strangers, ann)).toEqual([ann, 'bob@example.com'])
    await store.admin.write({ remove: { accounts: [ann] } })
    expect(await named(ann)).toEqual([])
    expect(await named()).toEqual([])
  })

  test('accounts and tokens are counted as far as asked for, without those that are gone', async () => {
    const tokens = ['b', 'c'].map((name) => tokenWrite({ name, keyHash: `hash-${name}` }))
    await store.admin.write({ tokens })
    expect(await store.admin.counts(10)).toEqual({ accounts: 1, tokens: 3 })
    expect(await store.admin.counts(2)).toEqual({ accounts: 1, tokens: 2 })
    await store.admin.write({ remove: { tokenIds: [1] } })
    expect(await store.admin.counts(10)).toEqual({ accounts: 1, tokens: 2 })
  })
})
