import { afterEach, beforeEach, expect, test } from 'bun:test'
import type { UsageFilter } from '../../../src/store/ports/lists.ts'
import type { RequestRow } from '../../../src/store/ports/records.ts'
import type { SplitFilter } from '../../../src/store/ports/usage-split.ts'
import { type AnyStore, eachEngine, type TestStore } from '../each-engine.ts'
import { reservation } from '../sqlite/file-store.ts'
import { accountWrite, collect, now, priceWrite, settlement, tokenWrite } from '../support.ts'

const dayMs = 86_400_000
const [today, yesterday] = ['2026-11-21', '2026-11-20']
const whole = { sinceDay: '2026-01-01', untilDay: '2027-01-01' }
eachEngine((open) => {
  let opened: TestStore
  let store: AnyStore
  let time = now

  beforeEach(async () => {
    time = now
    opened = await open(() => time)
    store = opened.store
    await store.admin.write({
      prices: [priceWrite('large', { unit: 'free' })],
      accounts: [accountWrite({ email: 'bob@example.com' })],
      tokens: [
        tokenWrite({ name: 'second', keyHash: 'hash-2' }),
        tokenWrite({ account: 'bob@example.com', keyHash: 'hash-3' }),
      ],
    })
  })
  afterEach(() => opened[Symbol.asyncDispose]())

  let row = 0
  const settle = (...changes: readonly Partial<RequestRow>[]) =>
    store.records.commit({
      settle: changes.map((change) => settlement({ requestId: `req_${++row}`, ...change })),
    })

  /** Of all sums, those of one request times so many, and what else is told. */
  const sums = (requests: number, more: object) => ({
    requests,
    failed: 0,
    inputTokens: 10 * requests,
    outputTokens: 20 * requests,
    reasoningTokens: 5 * requests,
    cacheReadTokens: 3 * requests,
    cacheWriteTokens: 2 * requests,
    cacheWrite1hTokens: requests,
    amountNano: 100 * requests,
    firstByteMs: 12,
    ...more,
  })
  const usage = async (filter: Partial<UsageFilter> = {}) => [
    ...(await store.lists.usage({ ...whole, ...filter })),
  ]
  const named = (day: string, model: string) => ({ day, model, isOther: false })

  test('sums by day and model what was asked, failed, used and paid, and how soon it was answered', async () => {
    await settle(
      { firstByteMs: 10 },
      { firstByteMs: 20, cause: 'upstream_error' },
      { firstByteMs: null, cause: 'upstream_timeout' },
      { model: 'large' },
      {
        model: 'made-up',
        priceId: null,
        cause: 'model_not_found',
        firstByteMs: null,
        amountNano: 0,
      },
      { createdAt: now - dayMs, tokenId: 2 },
    )
    expect(await usage()).toEqual([
      { ...named(yesterday, 'small'), ...sums(1, {}) },
      { ...named(today, 'small'), ...sums(3, { failed: 2, firstByteMs: 15 }) },
      { ...named(today, 'large'), ...sums(1, {}) },
      { ...named(today, ''), ...sums(1, { failed: 1, firstByteMs: null, amountNano: 0 }) },
    ])
    expect(await store.lists.totals(yesterday, today)).toEqual([
      { day: yesterday, ...sums(1, {}) },
      { day: today, ...sums(5, { failed: 3, firstByteMs: 14, amountNano: 400 }) },
    ])
  })

  test('what one batch and what several add comes to the same', async () => {
    await settle({ cause: 'upstream_error' }, { firstByteMs: 4 })
    await settle({ firstByteMs: 8 })
    expect(await usage()).toEqual([
      { ...named(today, 'small'), ...sums(3, { failed: 1, firstByteMs: 8 }) },
    ])
  })

  test('of an account or a token, also of deleted ones, in the days that are asked for', async () => {
    const days = [0, 1, 2].map((at) => now - at * dayMs)
    await settle(
      ...days.flatMap((createdAt) => [
        { createdAt },
        { createdAt, tokenId: 2 },
        { createdAt, tokenId: 3, accountId: 2 },
      ]),
    )
    await store.admin.write({ remove: { tokenIds: [2] } })
    const counts = async (filter: Partial<UsageFilter>) =>
      (await usage(filter)).map(({ day, requests }) => [day, requests])
    const span = { sinceDay: yesterday, untilDay: yesterday }
    expect(await counts({ ...span, accountId: 1 })).toEqual([[yesterday, 2]])
    expect(await counts({ ...span, tokenId: 2 })).toEqual([[yesterday, 1]])
    expect(await counts({ ...span, accountId: 2, tokenId: 2 })).toEqual([])
    expect(await counts(span)).toEqual([[yesterday, 3]])
    expect(await counts({ accountId: 2 })).toHaveLength(3)
  })

  test('models but those that cost most are folded into one', async () => {
    const models = ['a', 'b', 'c', 'd']
    await settle(
      ...models.flatMap((model, at) => [
        { model, amountNano: 10 ** at },
        { model, amountNano: 10 ** at, createdAt: now - dayMs, cause: at === 0 ? 'x' : null },
      ]),
    )
    const rows = await usage({ models: 2 })
    expect(
      rows.map(({ day, model, isOther, amountNano, failed }) => [
        day,
        model,
        isOther,
        amountNano,
        failed,
      ]),
    ).toEqual([
      [yesterday, 'd', false, 1000, 0],
      [yesterday, 'c', false, 100, 0],
      [yesterday, 'other', true, 11, 1],
      [today, 'd', false, 1000, 0],
      [today, 'c', false, 100, 0],
      [today, 'other', true, 11, 0],
    ])
    expect((await usage()).map(({ isOther }) => isOther)).not.toContain(true)
  })

  test('a model that is called "other" is not taken for the others', async () => {
    await settle({ model: 'other', amountNano: 9 }, { model: 'a' }, { model: 'b', amountNano: 1 })
    const rows = await usage({ models: 2 })
    expect(rows.map(({ model, isOther, amountNano }) => [model, isOther, amountNano])).toEqual([
      ['a', false, 100],
      ['other', false, 9],
      ['other', true, 1],
    ])
  })

  test('an interrupted request counts as failed', async () => {
    await settle({})
    await store.records.commit({ reserve: [reservation({ requestId: 'open' })] })
    await store.records.sweep()
    expect(await usage()).toMatchObject([{ requests: 2, failed: 1, firstByteMs: 12 }])
  })

  test('sums of the whole gateway are up to half a minute old, those of one are of now', async () => {
    const counts = async () => [
      (await store.lists.totals(today, today)).map(({ requests }) => requests),
      (await usage()).map(({ requests }) => requests),
      (await usage({ accountId: 1 })).map(({ requests }) => requests),
    ]
    await settle({})
    expect(await counts()).toEqual([[1], [1], [1]])
    await settle({})
    time += 29_999
    expect(await counts()).toEqual([[1], [1], [2]])
    time += 1
    expect(await counts()).toEqual([[2], [2], [2]])
  })

  async function oddDays() {
    const pages = await collect(
      store.verification.oddDays(await store.verification.extent(undefined)),
    )
    return pages.flatMap(({ rows }) => rows)
  }

  test.each(['failed', 'begun', 'first_byte_ms'] as const)(
    'verification finds a wrong sum: %s',
    async (column) => {
      await settle({}, { cause: 'upstream_error' })
      expect(await oddDays()).toEqual([])
      await opened.change(`UPDATE usage_day SET ${column} = ${column} + 1`)
      const [odd] = await oddDays()
      expect((odd?.stored?.[column] ?? 0) - (odd?.summed?.[column] ?? 0)).toBe(1)
    },
  )

  test('is told apart by hour and day, by anything a request names', async () => {
    const hourMs = 3_600_000
    const hour = now - (now % hourMs)
    // They are numbered when they end: in order of their time.
    await settle(
      { createdAt: hour - dayMs, model: 'large', tokenId: 3, accountId: 2 },
      { createdAt: hour - hourMs, model: 'large', tokenId: 2 },
      { createdAt: hour, model: 'test-model' },
      { createdAt: hour + 1, model: 'test-model', cause: 'upstream_error', firstByteMs: null },
    )
    const ask = async (filter: Partial<SplitFilter>) => {
      const asked = { by: 'model', unit: 'hour', since: hour - 23 * hourMs, parts: 9 } as const
      const { parts, totals, partCount } = await store.lists.split({ ...asked, ...filter })
      const told = parts.map(({ time, name, requests, failed, begun }) => ({
        ...{ hours: (hour - time) / hourMs, name, requests, failed, begun },
      }))
      return { told, partCount, requests: totals.reduce((sum, row) => sum + row.requests, 0) }
    }
    const present = { hours: 0, requests: 2, failed: 1, begun: 1 }
    const before = { hours: 1, requests: 1, failed: 0, begun: 1 }
    const byModel = await ask({})
    expect(byModel.told).toContainEqual({ ...present, name: 'test-model' })
    expect(byModel).toMatchObject({ requests: 3, partCount: 2 })
    expect((await ask({ by: 'token' })).told).toEqual([
      { ...present, name: 'laptop' },
      { ...before, name: 'second' },
    ])
    // Of the whole, more than those that have rows.
    expect(await ask({ by: 'token', parts: 1 })).toMatchObject({ requests: 3, partCount: 2 })
    const days = { unit: 'day', since: hour - 7 * dayMs } as const
    for (const by of ['account', 'token', 'group', 'channel', 'model'] as const) {
      expect([by, (await ask({ by, ...days })).requests]).toEqual([by, 4])
      expect([by, (await ask({ by, ...days, accountId: 1 })).requests]).toEqual([by, 3])
    }
    expect((await ask({ by: 'account', ...days })).partCount).toBe(2)
  })
})
