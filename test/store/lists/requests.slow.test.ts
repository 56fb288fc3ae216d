import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { BadCursor, type RequestFilter } from '../../../src/store/ports/lists.ts'
import type { StoredRequest } from '../../../src/store/ports/records.ts'
import { madeStart } from '../../support/made-ledger.ts'
import { eachEngine } from '../each-engine.ts'
import { collect, now, settlement } from '../support.ts'
import { createMadeStore, type MadeStore, readPages, sizeOfPages } from './scene.ts'

const count = 600
const hourMs = 3_600_000
eachEngine((open, name) => {
  let made: MadeStore
  let all: StoredRequest[]

  beforeAll(async () => {
    made = await createMadeStore(count, name)
    const rows = await collect(made.store.records.exportRequests({}))
    all = rows.sort((a, b) => b.id - a.id)
  })
  afterAll(() => made[Symbol.asyncDispose]())

  const span = { since: madeStart + 30 * hourMs, until: madeStart + 90 * hourMs }
  const isIn = ({ createdAt }: StoredRequest) => createdAt >= span.since && createdAt < span.until

  type Case = readonly [string, () => RequestFilter, (request: StoredRequest) => boolean]
  const cases: readonly Case[] = [
    ['everything', () => ({}), () => true],
    ['an account', () => ({ accountId: 7 }), ({ accountId }) => accountId === 7],
    ['a token', () => ({ tokenId: 33 }), ({ tokenId }) => tokenId === 33],
    [
      'a token of another account: nothing',
      () => ({ accountId: 1, tokenId: 33 }),
      ({ accountId, tokenId }) => accountId === 1 && tokenId === 33,
    ],
    ['a group', () => ({ group: 'flat' }), ({ group }) => group === 'flat'],
    ['a model', () => ({ model: 'painter' }), ({ model }) => model === 'painter'],
    ['a channel', () => ({ channel: 'first' }), ({ channel }) => channel === 'first'],
    ['a channel without requests', () => ({ channel: 'second' }), () => false],
    ['successes', () => ({ outcome: 'succeeded' }), ({ cause }) => cause === null],
    ['failures', () => ({ outcome: 'failed' }), ({ cause }) => cause !== null],
    ['both', () => ({ outcome: 'any' }), () => true],
    [
      'failures of an account',
      () => ({ outcome: 'failed', accountId: 7 }),
      ({ cause, accountId }) => cause !== null && accountId === 7,
    ],
    ['a cause', () => ({ cause: 'shutdown' }), ({ cause }) => cause === 'shutdown'],
    [
      'a cause among successes: nothing',
      () => ({ cause: 'shutdown', outcome: 'succeeded' }),
      () => false,
    ],
    ['a status', () => ({ status: 502 }), ({ status }) => status === 502],
    [
      'a protocol',
      () => ({ clientProtocol: 'gemini' }),
      ({ clientProtocol }) => clientProtocol === 'gemini',
    ],
    ['a span of time', () => span, isIn],
    ['from a time on', () => ({ since: span.since }), ({ createdAt }) => createdAt >= span.since],
    ['until a time', () => ({ until: span.until }), ({ createdAt }) => createdAt < span.until],
    ['a time to come', () => ({ since: now * 2 }), () => false],
    ['the time before', () => ({ until: 5 }), () => false],
    [
      'an account in a span',
      () => ({ ...span, accountId: 7 }),
      (one) => isIn(one) && one.accountId === 7,
    ],
    [
      'failures in a span',
      () => ({ ...span, outcome: 'failed' }),
      (one) => isIn(one) && one.cause !== null,
    ],
    [
      'one by its id',
      () => ({ requestId: all[17]?.requestId ?? '' }),
      ({ requestId }) => requestId === all[17]?.requestId,
    ],
    [
      'X5: one by its id, of another account: nothing',
      () => ({ requestId: all[17]?.requestId ?? '', accountId: (all[17]?.accountId ?? 0) + 1 }),
      () => false,
    ],
    [
      'several conditions',
      () => ({ group: 'flat', model: 'house', outcome: 'succeeded', clientProtocol: 'chat' }),
      ({ group, model, cause }) => group === 'flat' && model === 'house' && cause === null,
    ],
  ]

  describe.each([...cases])('requests by %s', (_, filterOf, fits) => {
    test('are all of them once, newest first, whatever the size of a page', async () => {
      const expected = all.filter(fits).map(({ id }) => id)
      for (const size of [sizeOfPages(expected.length, 7), 1_000]) {
        const list = (page: object) => made.store.lists.requests(filterOf(), { size, ...page })
        const rows = await readPages(list, size)
        expect(rows.map(({ id }) => id)).toEqual(expected)
        const upwards = (page: object) => list({ ...page, isAscending: true })
        const oldestFirst = await readPages(upwards, size)
        expect(oldestFirst.map(({ id }) => id)).toEqual(expected.toReversed())
        const first = await list({})
        expect([first.total, first.totalIsExact]).toEqual([expected.length, true])
        expect(first.searchedBackTo).toBeNull()
      }
    })

    test('are exported once, oldest first', async () => {
      const rows = await collect(made.store.lists.exportRequests(filterOf()))
      expect(rows.map(({ id }) => id)).toEqual(
        all
          .filter(fits)
          .map(({ id }) => id)
          .reverse(),
      )
    })
  })

  test('a row has the names that its ids stand for, and what was charged, but not the raw report', async () => {
    const { rows } = await made.store.lists.requests({}, { size: 1_000 })
    for (const { ledgerAmountNano, ...row } of rows) {
      const { usageRaw, stateJson, ...stored } = all.find(({ id }) => id === row.id) ?? {}
      expect<object>(row).toEqual(stored)
      expect(ledgerAmountNano).toBe(row.amountNano === 0 ? null : -row.amountNano)
    }
  })

  test('a span has what began in it, in whatever order it ended', async () => {
    await using opened = await open()
    const { store } = opened
    const begun = [30, 10, 40, 20, 0]
    await store.records.commit({
      settle: begun.map((at) => settlement({ requestId: `req_${at}`, createdAt: now + at })),
    })
    const ids = async (span: RequestFilter) =>
      (await store.lists.requests(span, { size: 9 })).rows.map(({ id }) => id)
    expect(await ids({ since: now + 10 })).toEqual([4, 3, 2, 1])
    expect(await ids({ until: now + 40 })).toEqual([5, 4, 2, 1])
    expect(await ids({ since: now + 20, until: now + 40 })).toEqual([4, 1])
  })

  test('a span has what lasted for most of an hour, and what began after a long silence', async () => {
    await using opened = await open()
    const { store } = opened
    const minuteMs = 60_000
    const begun = [58, 0, 61, 3, 300, 359, 301]
    await store.records.commit({
      settle: begun.map((at) =>
        settlement({ requestId: `req_${at}`, createdAt: now + at * minuteMs }),
      ),
    })
    const minutes = async (since: number, until: number) => {
      const span = { since: now + since * minuteMs, until: now + until * minuteMs }
      const { rows } = await store.lists.requests(span, { size: 9 })
      return rows.map(({ createdAt }) => (createdAt - now) / minuteMs)
    }
    expect(await minutes(0, 59)).toEqual([3, 0, 58])
    expect(await minutes(1, 200)).toEqual([3, 61, 58])
    expect(await minutes(100, 360)).toEqual([301, 359, 300])
    expect(await minutes(301, 400)).toEqual([301, 359])
    expect(await minutes(62, 300)).toEqual([])
  })

  test('a cursor that no list has given is refused', async () => {
    for (const cursor of ['', 'x', '-1', '1.5', '1 OR 1', '9'.repeat(30)]) {
      const page = made.store.lists.requests({}, { cursor, size: 5 })
      await expect(page).rejects.toBeInstanceOf(BadCursor)
    }
  })

  test('a total is counted no further than 10,000, and not where nobody asks for it', async () => {
    await using opened = await open()
    const { store } = opened
    const add = (from: number, to: number) =>
      store.records.commit({
        settle: Array.from({ length: to - from }, (_, at) =>
          settlement({ requestId: `req_${from + at}`, status: at % 2 ? 200 : 201 }),
        ),
      })
    const totals = async (filter: RequestFilter) => {
      const { total, totalIsExact } = await store.lists.requests(filter, { size: 5 })
      return [total, totalIsExact]
    }
    await add(0, 100)
    expect(await totals({ status: 200 })).toEqual([50, true])
    await add(100, 10_000)
    expect(await totals({})).toEqual([10_000, true])
    await add(10_000, 10_001)
    expect(await totals({})).toEqual([10_000, false])
    const page = await store.lists.requests({}, { size: 5, isCounted: false })
    expect([page.total, page.totalIsExact, page.rows.length]).toEqual([0, false, 5])
  })

  test('what has ended since a row comes once, oldest first', async () => {
    const { lists } = made.store
    const newest = all[0]?.id ?? 0
    expect(await lists.newRequests(undefined, undefined, 5)).toEqual({ rows: [], lastRow: newest })
    expect(await lists.newRequests(newest, undefined, 5)).toEqual({ rows: [], lastRow: newest })
    const first = await lists.newRequests(newest - 8, undefined, 5)
    expect(first.rows.map(({ id }) => newest - id)).toEqual([7, 6, 5, 4, 3])
    const second = await lists.newRequests(first.lastRow, undefined, 5)
    expect(second.rows.map(({ id }) => newest - id)).toEqual([2, 1, 0])
    expect(second.lastRow).toBe(newest)
    const own = await lists.newRequests(0, 7, 500)
    expect(own.rows.map(({ id }) => id).reverse()).toEqual(
      all.filter(({ accountId }) => accountId === 7).map(({ id }) => id),
    )
    expect(own.lastRow).toBe(newest)
  })
})
