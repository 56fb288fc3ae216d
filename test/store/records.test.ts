import { afterEach, beforeEach, expect, test } from 'bun:test'
import { createDice } from '../support/random.ts'
import { type AnyStore, eachEngine, type TestStore } from './each-engine.ts'
import { accountWrite, collect, now, settlement, tokenWrite } from './support.ts'

eachEngine((open) => {
  const dayMs = 86_400_000
  let opened: TestStore
  let store: AnyStore
  let time = now

  beforeEach(async () => {
    time = now
    opened = await open(() => time)
    store = opened.store
  })
  afterEach(() => opened[Symbol.asyncDispose]())

  const ids = async (span: { since?: number; until?: number }) =>
    (await collect(store.records.exportRequests(span))).map(({ requestId }) => requestId)

  test('exports requests by time of arrival, within a half-open span', async () => {
    await store.records.commit({
      settle: [
        settlement({ requestId: 'late', createdAt: now + 20 }),
        settlement({ requestId: 'first', createdAt: now }),
        settlement({ requestId: 'second', createdAt: now + 10 }),
        settlement({ requestId: 'third', createdAt: now + 10 }),
      ],
    })
    expect(await ids({})).toEqual(['first', 'second', 'third', 'late'])
    expect(await ids({ since: now + 10 })).toEqual(['second', 'third', 'late'])
    expect(await ids({ since: now + 10, until: now + 20 })).toEqual(['second', 'third'])
    expect(await ids({ until: now })).toEqual([])
  })

  test('exports many pages without a gap or a repeat, while more arrives', async () => {
    const batch = Array.from({ length: 2500 }, (_, number) =>
      settlement({ requestId: `req_${number}`, createdAt: now + (number % 7) }),
    )
    await store.records.commit({ settle: batch })
    const seen: string[] = []
    for await (const { requestId } of store.records.exportRequests({})) {
      if (seen.length === 1500) {
        await store.records.commit({
          settle: [settlement({ requestId: 'newest', createdAt: now + dayMs })],
        })
      }
      seen.push(requestId)
    }
    expect(new Set(seen).size).toBe(2501)
    expect(seen).toHaveLength(2501)
    expect(seen.at(-1)).toBe('newest')
    const ledger = await collect(store.records.exportLedger({}))
    expect(ledger.map(({ id }) => id)).toEqual(
      Array.from({ length: 2502 }, (_, index) => index + 1),
    )
  })

  test('exports the ledger within a span, with a running balance', async () => {
    for (const number of [1, 2, 3]) {
      time = now + number
      await store.records.commit({
        settle: [settlement({ requestId: `req_${number}`, amountNano: number })],
      })
    }
    const entries = await collect(store.records.exportLedger({ since: now + 2, until: now + 3 }))
    expect(entries).toMatchObject([
      { kind: 'charge', amountNano: -2, requestId: 'req_2', balanceAfterNano: 999_999_997 },
    ])
  })

  test('another program work goes on between two pages of an export', async () => {
    await store.records.commit({
      settle: Array.from({ length: 1001 }, (_, number) =>
        settlement({ requestId: `req_${number}` }),
      ),
    })
    let turns = 0
    setImmediate(() => turns++)
    await collect(store.records.exportRequests({}))
    expect(turns).toBe(1)
  })

  test('adds up what a token used, in all and since a day', async () => {
    await store.admin.write({ tokens: [tokenWrite({ name: 'other', keyHash: 'hash-2' })] })
    await store.records.commit({
      settle: [
        settlement({ requestId: 'req_1', createdAt: now - dayMs }),
        settlement({ requestId: 'req_2' }),
        settlement({ requestId: 'req_3', model: 'made up', priceId: null, amountNano: 0 }),
        settlement({ requestId: 'req_4', tokenId: 2, amountNano: 7 }),
      ],
    })
    expect(await store.records.tokenUsage(1)).toEqual({
      requests: 3,
      inputTokens: 30,
      outputTokens: 60,
      cacheReadTokens: 9,
      cacheWriteTokens: 9,
      amountNano: 200,
    })
    expect(await store.records.tokenUsage(1, '2026-11-21')).toMatchObject({
      requests: 2,
      amountNano: 100,
    })
    expect(await store.records.tokenUsage(1, '2026-11-22')).toEqual({
      requests: 0,
      inputTokens: 0,
      outputTokens: 0,
      cacheReadTokens: 0,
      cacheWriteTokens: 0,
      amountNano: 0,
    })
  })

  test('knows no receipt of an unknown request', async () => {
    expect(await store.records.receipt('req_unknown')).toBeUndefined()
  })

  test.each([1, 2, 3])(
    'a balance is the sum of its ledger, whatever happens (run %d)',
    async (run) => {
      const random = createDice(run)
      const accounts = 4
      for (let number = 2; number <= accounts; number++) {
        const email = `user${number}@example.com`
        await store.admin.write({
          accounts: [accountWrite({ email, openingNano: random(3) * 1_000_003 })],
          tokens: [tokenWrite({ account: email, keyHash: `hash-${number}` })],
        })
      }
      for (let step = 0; step < 150; step++) {
        const batch = Array.from({ length: 1 + random(16) }, () => {
          const accountId = 1 + random(accounts)
          return settlement({
            // Few enough ids that many come twice, within a batch and across batches.
            requestId: `req_${random(600)}`,
            accountId,
            // Now and then a token that does not exist: the whole batch fails.
            tokenId: random(100) === 0 ? 99 : accountId,
            amountNano: random(4) * random(1_000_000_000),
          })
        })
        await store.records.commit({ settle: batch }).catch(() => undefined)
        if (step % 10 === 0)
          await store.admin.write({ accounts: [accountWrite({ openingNano: step })] })
      }
      const ledger = await collect(store.records.exportLedger({}))
      const requests = await collect(store.records.exportRequests({}))
      for (const { email, balanceNano } of await store.admin.accounts()) {
        const own = ledger.filter((entry) => entry.account === email)
        let sum = 0
        for (const entry of own) {
          sum += entry.amountNano
          expect(entry.balanceAfterNano).toBe(sum)
        }
        expect(balanceNano).toBe(sum)
      }
      const charged = new Map(ledger.map((entry) => [entry.requestId, -entry.amountNano]))
      for (const { requestId, amountNano } of requests) {
        expect(charged.get(requestId) ?? 0).toBe(amountNano)
      }
      expect(requests.length).toBeGreaterThan(300)
    },
  )
})
