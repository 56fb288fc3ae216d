import { afterEach, beforeEach, expect, test } from 'bun:test'
import { verify } from '../../src/app/verify/verify.ts'
import { eachEngineAndLink, type TestStore } from './each-engine.ts'
import { reservation } from './sqlite/file-store.ts'
import { attemptRow, now, requestRow, settlement } from './support.ts'

// A process was taken for dead, its requests were recorded as interrupted, and its settlements come late.

const opening = 1_000_000_000

eachEngineAndLink((open) => {
  let file: TestStore

  beforeEach(async () => {
    file = await open()
  })
  afterEach(() => file[Symbol.asyncDispose]())

  const { requestId: _, ...late } = requestRow({ requestId: '' })
  const settle = (...settle: readonly ReturnType<typeof settlement>[]) =>
    file.store.records.commit({ settle })
  const requests = () =>
    file.rows('SELECT request_id, ending, amount_nano FROM request ORDER BY request_id')
  const charges = () =>
    file.rows("SELECT request_id, amount_nano FROM ledger WHERE kind = 'charge' ORDER BY 1")
  const balance = async () => (await file.store.admin.account('ann@example.com'))?.balanceNano
  /** What `tollgate verify` finds in sums and balances; its charges are of no real price here. */
  async function oddSums(): Promise<readonly unknown[]> {
    const found: unknown[] = []
    await verify({
      store: { ...file.store.verification, async *requests() {} },
      ...{ since: undefined, tick: () => 0, onProgress() {} },
      onFound: async (some) => void found.push(...some),
    })
    return found
  }

  async function interrupt(...ids: readonly string[]): Promise<void> {
    await file.store.records.commit({ reserve: ids.map((requestId) => reservation({ requestId })) })
    expect(await file.store.records.sweep()).toBe(ids.length)
    expect(await file.reserved()).toEqual({})
  }

  test('what was delivered is charged, once, and counted once', async () => {
    await interrupt('a', 'b')
    const a = settlement({ requestId: 'a', amountNano: 40 }, [attemptRow(), attemptRow()])
    await settle(a)
    await settle(a, a)
    expect(await requests()).toEqual([
      { request_id: 'a', ending: 'complete', amount_nano: 40 },
      { request_id: 'b', ending: 'interrupted', amount_nano: 0 },
    ])
    expect(await charges()).toEqual([{ request_id: 'a', amount_nano: -40 }])
    expect(await balance()).toBe(opening - 40)
    expect((await file.store.records.receipt('a'))?.attempts).toHaveLength(2)
    expect(await oddSums()).toEqual([])
  })

  test('whose a token is, and since when, is known for that', async () => {
    const { records } = file.store
    expect(await records.tokenOrigin(1)).toEqual({ accountId: 1, createdAt: now })
    expect(await records.tokenOrigin(99)).toBeUndefined()
  })

  test('also in one batch with others, at another price and of another day', async () => {
    await interrupt('a', 'b')
    await settle(
      settlement({ requestId: 'a', amountNano: 40, model: null, priceId: null }),
      settlement({ requestId: 'new', amountNano: 2 }),
      settlement({ requestId: 'b', amountNano: 1, createdAt: now - 86_400_000 }),
    )
    expect(await charges()).toEqual([
      { request_id: 'a', amount_nano: -40 },
      { request_id: 'b', amount_nano: -1 },
      { request_id: 'new', amount_nano: -2 },
    ])
    expect(await oddSums()).toEqual([])
  })

  test('a second sweep leaves it as it is', async () => {
    await interrupt('a')
    await settle(settlement({ requestId: 'a', amountNano: 40 }))
    expect(await file.store.records.sweep()).toBe(0)
    expect(await balance()).toBe(opening - 40)
    expect(await oddSums()).toEqual([])
  })

  test('what ended without a charge keeps its own word', async () => {
    await interrupt('a')
    await settle(settlement({ requestId: 'a', ...late, ending: 'refused', amountNano: 0 }))
    expect(await requests()).toEqual([{ request_id: 'a', ending: 'refused', amount_nano: 0 }])
    expect(await oddSums()).toEqual([])
  })

  test('one that fails in a batch takes nothing back', async () => {
    await interrupt('a')
    const wrong = settlement({ requestId: 'wrong', amountNano: -1 })
    await expect(settle(settlement({ requestId: 'a', amountNano: 40 }), wrong)).rejects.toThrow()
    expect(await requests()).toEqual([{ request_id: 'a', ending: 'interrupted', amount_nano: 0 }])
    expect(await oddSums()).toEqual([])
    await settle(settlement({ requestId: 'a', amountNano: 40 }))
    expect(await balance()).toBe(opening - 40)
    expect(await oddSums()).toEqual([])
  })
})
