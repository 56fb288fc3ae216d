import { afterEach, beforeEach, expect, test } from 'bun:test'
import { type AnyStore, eachEngineAndLink, type TestStore } from './each-engine.ts'
import {
  accountWrite,
  attemptRow,
  collect,
  now,
  requestRow,
  settlement,
  tokenWrite,
} from './support.ts'

eachEngineAndLink((open) => {
  let store: AnyStore
  let opened: TestStore

  beforeEach(async () => {
    opened = await open(() => now + 50)
    store = opened.store
  })
  afterEach(() => opened[Symbol.asyncDispose]())

  const balance = async (email = 'ann@example.com') =>
    (await store.admin.account(email))?.balanceNano
  const charges = async () =>
    (await collect(store.records.exportLedger({}))).filter((entry) => entry.kind === 'charge')

  test('stores what was charged besides text tokens', async () => {
    const extrasJson = '{"tools":{"web_search":3},"tier":"fast"}'
    await store.records.commit({ settle: [settlement({ requestId: 'req_1', extrasJson })] })
    expect((await store.records.receipt('req_1'))?.request.extrasJson).toBe(extrasJson)
  })

  test('stores request, attempts, charge and balance together', async () => {
    const attempts = [
      attemptRow({ status: 503, cause: 'upstream_error', usageRaw: '{"total":1}' }),
      attemptRow({ startedAt: now + 5 }),
    ]
    const batch = [settlement({ requestId: 'req_1' }, attempts)]
    expect((await store.records.commit({ settle: batch })).accounts).toEqual([
      { accountId: 1, balanceNano: 999_999_900 },
    ])
    const receipt = await store.records.receipt('req_1')
    expect(receipt).toEqual({
      request: {
        id: 1,
        ...requestRow({ requestId: 'req_1' }),
        extrasJson: null,
        account: 'ann@example.com',
        token: 'laptop',
        group: '默认【官转·稳定】',
        channel: 'main',
        attemptCount: 2,
      },
      attempts: attempts.map((attempt) => ({ ...attempt, channel: 'main' })),
      price: {
        id: 1,
        model: 'small',
        terms: { unit: 'call', perCallNano: 40_000_000 },
        source: 'config',
        note: '',
        validFrom: now + 50,
      },
      ledgerId: 2,
      ledgerAmountNano: -100,
      balanceAfterNano: 999_999_900,
    })
    expect(await charges()).toEqual([
      {
        id: 2,
        createdAt: now + 50,
        account: 'ann@example.com',
        kind: 'charge',
        amountNano: -100,
        requestId: 'req_1',
        reason: null,
        balanceAfterNano: 999_999_900,
      },
    ])
    expect(await balance()).toBe(999_999_900)
  })

  test('charges once however often the same request is settled', async () => {
    const one = settlement({ requestId: 'req_1' })
    await store.records.commit({ settle: [one, one] })
    expect((await store.records.commit({ settle: [one] })).accounts).toEqual([
      { accountId: 1, balanceNano: 999_999_900 },
    ])
    expect(await charges()).toHaveLength(1)
    expect((await store.records.receipt('req_1'))?.attempts).toHaveLength(1)
    expect((await store.records.tokenUsage(1)).requests).toBe(1)
  })

  test('of two settlements of one request in a batch the first counts', async () => {
    const settle = [100, 300].map((amountNano) => settlement({ requestId: 'req_1', amountNano }))
    await store.records.commit({ settle })
    expect(await balance()).toBe(999_999_900)
    expect((await charges()).map(({ amountNano }) => amountNano)).toEqual([-100])
    expect((await store.records.receipt('req_1'))?.request.amountNano).toBe(100)
  })

  test('a repeat beside new requests is skipped alone', async () => {
    await store.records.commit({ settle: [settlement({ requestId: 'req_1' })] })
    const batch = [
      settlement({ requestId: 'req_1', amountNano: 7 }),
      settlement({ requestId: 'req_2' }),
    ]
    expect((await store.records.commit({ settle: batch })).accounts).toEqual([
      { accountId: 1, balanceNano: 999_999_800 },
    ])
  })

  test('records a request that costs nothing without a ledger entry', async () => {
    const failed = { status: 404, cause: 'model_not_found', causeText: 'No model "x".' }
    await store.records.commit({
      settle: [
        settlement(
          {
            requestId: 'req_1',
            amountNano: 0,
            channelId: null,
            priceId: null,
            model: null,
            ...failed,
          },
          [],
        ),
      ],
    })
    const receipt = await store.records.receipt('req_1')
    expect(receipt?.request).toMatchObject({
      channel: null,
      model: null,
      attemptCount: 0,
      ...failed,
    })
    expect(receipt?.ledgerId).toBeNull()
    expect(receipt?.price).toBeNull()
    expect(await charges()).toEqual([])
  })

  test('gives back one final balance for each account of a batch', async () => {
    await store.admin.write({
      accounts: [accountWrite({ email: 'bob@example.com', openingNano: 500 })],
      tokens: [tokenWrite({ account: 'bob@example.com', keyHash: 'hash-2' })],
    })
    const bob = { accountId: 2, tokenId: 2 }
    const { accounts } = await store.records.commit({
      settle: [
        settlement({ requestId: 'req_1' }),
        settlement({ requestId: 'req_2', ...bob, amountNano: 600 }),
        settlement({ requestId: 'req_3' }),
        settlement({ requestId: 'req_4', ...bob, amountNano: 0 }),
      ],
    })
    expect(accounts).toEqual([
      { accountId: 1, balanceNano: 999_999_800 },
      { accountId: 2, balanceNano: -100 },
    ])
    expect((await store.records.commit({ settle: [] })).accounts).toEqual([])
  })

  test.each([
    ['an unknown account', { accountId: 99 }],
    ['an unknown channel', { channelId: 99 }],
    ['a charge below zero', { amountNano: -1 }],
    ['a charge that is no whole number', { amountNano: 0.5 }],
    ['a charge that is not counted exactly', { amountNano: 2 ** 53 }],
  ])('stores nothing of a batch with %s', async (_, changes) => {
    const batch = [
      settlement({ requestId: 'req_1' }),
      settlement({ requestId: 'req_2', ...changes }),
    ]
    await expect(store.records.commit({ settle: batch })).rejects.toThrow()
    expect(await collect(store.records.exportRequests({}))).toEqual([])
    expect(await charges()).toEqual([])
    expect(await balance()).toBe(1_000_000_000)
    expect((await store.records.tokenUsage(1)).requests).toBe(0)
    await store.records.commit({ settle: [settlement({ requestId: 'req_1' })] })
    expect(await balance()).toBe(999_999_900)
  })

  test('a balance never leaves the integers that are exact', async () => {
    const most = Number.MAX_SAFE_INTEGER
    await store.records.commit({ settle: [settlement({ requestId: 'req_1', amountNano: most })] })
    expect(await balance()).toBe(1_000_000_000 - most)
    const over = settlement({ requestId: 'req_2', amountNano: 1_000_000_001 })
    await expect(store.records.commit({ settle: [over] })).rejects.toThrow('req_2')
    expect(await balance()).toBe(1_000_000_000 - most)
  })
})
