import { afterEach, beforeEach, expect, test } from 'bun:test'
import type { Reservation } from '../../../src/store/ports/records.ts'
import { accountWrite, collect, now, requestRow, settlement, tokenWrite } from '../support.ts'
import { createFileStore, type FileStore, reservation } from './file-store.ts'

let file: FileStore

beforeEach(async () => {
  file = await createFileStore()
})
afterEach(() => file[Symbol.asyncDispose]())

const day = 86_400_000
const reserve = (...reserve: readonly Reservation[]) => file.store.records.commit({ reserve })
const sweep = () => file.store.records.sweep()
const days = () =>
  file.rows('SELECT token_id, day, model, requests, amount_nano FROM usage_day ORDER BY 1, 2, 3')
const summed = ['requests', 'failed', 'begun', 'first_byte_ms', 'input_tokens', 'amount_nano']
const totals = () =>
  file.rows(`SELECT day, model, ${summed.join(', ')} FROM usage_total ORDER BY 1, 2`)
/** The sums of all tokens, as those of each token say. */
const expectedTotals = () =>
  file.rows(
    `SELECT day, model, ${summed.map((column) => `sum(${column}) AS ${column}`).join(', ')}
     FROM usage_day GROUP BY 1, 2 ORDER BY 1, 2`,
  )
/** Daily sums, as the requests themselves say. */
const expectedDays = () =>
  file.rows(
    `SELECT token_id, date(created_at / 1000, 'unixepoch') AS day,
       iif(price_id IS NULL, '', ifnull(model, '')) AS model, count(*) AS requests,
       sum(amount_nano) AS amount_nano FROM request GROUP BY 1, 2, 3 ORDER BY 1, 2, 3`,
  )

test('nothing was under way: nothing changes', async () => {
  await file.store.records.commit({ settle: [settlement({ requestId: 'a' })] })
  expect(await sweep()).toBe(0)
  expect(await collect(file.store.records.exportRequests({}))).toHaveLength(1)
})

test('what is set aside for no request is free again', async () => {
  file.change('UPDATE account SET reserved_nano = 500')
  expect(() => file.reserved()).toThrow('Not the sum')
  await sweep()
  expect(file.reserved()).toEqual({})
})

test('each request that was under way has a record, and is not charged', async () => {
  await reserve(reservation({ requestId: 'a', amountNano: 700 }), reservation({ requestId: 'b' }))
  await file.store.records.commit({
    grow: [{ requestId: 'a', accountId: 1, tokenId: 1, byNano: 300 }],
  })
  expect(await sweep()).toBe(2)
  expect(file.reserved()).toEqual({})
  const receipt = await file.store.records.receipt('a')
  expect(receipt?.request).toEqual({
    ...requestRow({ requestId: 'a' }),
    id: 1,
    account: 'ann@example.com',
    token: 'laptop',
    group: '默认【官转·稳定】',
    channel: null,
    attemptCount: 0,
    upstreamModel: null,
    channelId: null,
    upstreamProtocol: null,
    status: 500,
    cause: 'interrupted',
    causeText: 'The gateway was ended while this request was under way.',
    ending: 'interrupted',
    ...{ inputTokens: 0, outputTokens: 0, reasoningTokens: 0 },
    ...{ cacheReadTokens: 0, cacheWriteTokens: 0, cacheWrite1hTokens: 0 },
    calls: 0,
    usageRaw: null,
    extrasJson: null,
    amountNano: 0,
    firstByteMs: null,
    durationMs: 0,
  })
  expect(receipt?.ledgerId).toBeNull()
  expect(await collect(file.store.records.exportLedger({}))).toMatchObject([{ kind: 'opening' }])
  expect((await file.store.admin.account('ann@example.com'))?.balanceNano).toBe(1_000_000_000)
})

test('what was set aside is free again, on every account', async () => {
  await file.store.admin.write({
    accounts: [accountWrite({ email: 'bob@example.com', openingNano: 500 })],
    tokens: [tokenWrite({ account: 'bob@example.com', keyHash: 'hash-2' })],
  })
  const bob = { accountId: 2, tokenId: 2, amountNano: 500 }
  await reserve(reservation({ requestId: 'a' }), reservation({ requestId: 'b', ...bob }))
  expect(await sweep()).toBe(2)
  const { denied } = await reserve(reservation({ requestId: 'c', ...bob }))
  expect(denied.size).toBe(0)
  expect(file.reserved()).toEqual({ c: 500 })
})

test('the daily sums count them, each on its day and under its model', async () => {
  await file.store.records.commit({ settle: [settlement({ requestId: 'done' })] })
  await reserve(
    reservation({ requestId: 'a' }),
    reservation({ requestId: 'b', createdAt: now - day }),
    reservation({ requestId: 'c', createdAt: now - day, model: 'other' }),
    reservation({ requestId: 'd', priceId: null, model: 'made-up' }),
    reservation({ requestId: 'e', priceId: null, model: null }),
  )
  expect(await sweep()).toBe(5)
  expect(days()).toEqual([
    { token_id: 1, day: '2026-11-20', model: 'other', requests: 1, amount_nano: 0 },
    { token_id: 1, day: '2026-11-20', model: 'small', requests: 1, amount_nano: 0 },
    { token_id: 1, day: '2026-11-21', model: '', requests: 2, amount_nano: 0 },
    { token_id: 1, day: '2026-11-21', model: 'small', requests: 2, amount_nano: 100 },
  ])
  expect(days()).toEqual(expectedDays())
  expect(totals()).toEqual(expectedTotals())
})

test('the sums of all tokens are those of each, by day and model', async () => {
  await file.store.admin.write({ tokens: [tokenWrite({ name: 'phone', keyHash: 'hash-2' })] })
  const ids = ['a', 'b', 'c', 'd']
  await file.store.records.commit({
    settle: ids.map((requestId, at) =>
      settlement({ requestId, tokenId: 1 + (at % 2), createdAt: now - day * (at >> 1) }),
    ),
  })
  await reserve(reservation({ requestId: 'e' }), reservation({ requestId: 'f', tokenId: 2 }))
  expect(await sweep()).toBe(2)
  expect(totals()).toEqual(expectedTotals())
  expect(totals()).toMatchObject([{ requests: 2 }, { requests: 4, failed: 2 }])
})

test('a second time there is nothing left', async () => {
  await reserve(reservation({ requestId: 'a' }))
  expect([await sweep(), await sweep()]).toEqual([1, 0])
  expect(days()).toEqual(expectedDays())
})

test('a request that has its record keeps it, and is counted once', async () => {
  await file.store.records.commit({ settle: [settlement({ requestId: 'done' })] })
  // No writing of ours leads there; a copied or repaired file may.
  await reserve(reservation({ requestId: 'was' }), reservation({ requestId: 'open' }))
  file.change("UPDATE reservation SET request_id = 'done' WHERE request_id = 'was'")
  expect(await sweep()).toBe(1)
  expect(file.reserved()).toEqual({})
  const endings = file.rows('SELECT request_id, ending, amount_nano FROM request ORDER BY id')
  expect(endings).toEqual([
    { request_id: 'done', ending: 'complete', amount_nano: 100 },
    { request_id: 'open', ending: 'interrupted', amount_nano: 0 },
  ])
  expect(days()).toEqual(expectedDays())
})
