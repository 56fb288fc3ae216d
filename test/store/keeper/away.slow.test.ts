import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { Desk } from '../../../src/app/group/desk.ts'
import type { Keeper } from '../../../src/store/keeper/open.ts'
import { CountersUnavailable } from '../../../src/store/ports/counters.ts'
import type { Store } from '../../../src/store/ports/store.ts'
import { StoreError, UnansweredError } from '../../../src/store/ports/store-error.ts'
import { openSqliteStore } from '../../../src/store/sqlite/open.ts'
import { until } from '../../e2e/until.ts'
import { createCutLink } from '../../support/cut-link.ts'
import { openTestDesk, openTestWorker } from '../../support/keeper-link.ts'
import { counted } from '../counters-promises.ts'
import { reservation } from '../sqlite/file-store.ts'
import { now, seed, settlement } from '../support.ts'

let store: Store
let desk: Desk
let address: string
let worker: Keeper
/** What the worker does four times a second. */
let looks: (() => void)[] = []

const opened = (of: Parameters<typeof openTestDesk>[0] = store) => {
  ;({ desk, address } = openTestDesk(of, address ? { address } : {}))
}
const away = async () => {
  desk.close()
  await until('it to be away', () => !worker.isUp())
}
const back = () => until('it to be back', () => worker.isUp())
/** Seconds, as the worker counts them. */
function pass(seconds: number): void {
  for (let at = 0; at < seconds * 4; at++) for (const look of looks) look()
}
const settle = (requestId: string) => settlement({ requestId, amountNano: 100 })
const reserve = (requestId: string) => reservation({ requestId, amountNano: 100 })
const admission = { counted: [counted('token:1', { rpm: 100 })], llmTokens: 0, slot: 'a' }
const errorOf = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  )

beforeEach(async () => {
  address = ''
  looks = []
  store = openSqliteStore({ path: ':memory:', clock: () => now })
  await seed(store)
  opened()
  worker = await openTestWorker(address, {
    repeat(task) {
      looks.push(task)
      return () => {}
    },
  })
})
afterEach(async () => {
  worker.close()
  desk.close()
  await store.close()
})

describe('while the keeper is away', () => {
  test('a batch waits, and is stored when it is back', async () => {
    await away()
    const stored = worker.store.records.commit({ settle: [settle('a')] })
    pass(4)
    opened()
    expect((await stored).accounts).toEqual([{ accountId: 1, balanceNano: 999_999_900 }])
  })

  test('a batch fails after some seconds, as with any store: it was not sent', async () => {
    await away()
    const stored = errorOf(worker.store.records.commit({ settle: [settle('a')] }))
    pass(6)
    const error = await stored
    expect(error).toBeInstanceOf(StoreError)
    expect(error).not.toBeInstanceOf(UnansweredError)
  })

  test('a batch that was sent may have been stored: it fails as unanswered', async () => {
    const commit = () => new Promise<never>(() => {})
    await away()
    opened({ ...store, records: { ...store.records, commit } })
    await back()
    const stored = errorOf(worker.store.records.commit({ settle: [settle('a')] }))
    await worker.store.check() // it has arrived before this
    await away()
    pass(6)
    expect(await stored).toBeInstanceOf(UnansweredError)
  })

  test('a call waits for a moment only', async () => {
    await away()
    const early = worker.store.tokens.findByHash('hash-1')
    pass(1)
    opened()
    expect((await early)?.id).toBe(1)
    await away()
    const late = errorOf(worker.store.tokens.findByHash('hash-1'))
    pass(3)
    expect(await late).toBeInstanceOf(StoreError)
  })

  test('a call that was under way is made again where it only reads, else it is unanswered', async () => {
    const calls: string[] = []
    const never = (name: string) => () => {
      calls.push(name)
      return new Promise<never>(() => {})
    }
    await away()
    const tokens = { ...store.tokens, findByHash: never('read') }
    opened({ ...store, tokens, health: { ...store.health, clear: never('change') } })
    await back()
    const read = worker.store.tokens.findByHash('hash-1')
    const change = errorOf(worker.store.health.clear(1))
    await until('both calls', () => calls.length === 2)
    await away()
    expect(await change).toBeInstanceOf(UnansweredError)
    opened()
    expect((await read)?.id).toBe(1)
    expect(calls).toEqual(['read', 'change'])
  })

  test('counters reject at once, and the new keeper is told all anew', async () => {
    const backs: boolean[] = []
    worker.counters.onBack((isEmpty) => backs.push(isEmpty))
    await away()
    expect(worker.counters.isUnavailable()).toBeTrue()
    expect(await errorOf(worker.counters.admit(admission))).toBeInstanceOf(CountersUnavailable)
    opened()
    await back()
    expect(backs).toEqual([true])
    expect((await worker.counters.admit(admission)).ok).toBeTrue()
  })

  test('changes are not heard of: all is read anew', async () => {
    await away()
    expect(await errorOf(worker.store.changedElsewhere())).toBeInstanceOf(StoreError)
    opened()
    await back()
    expect(await worker.store.changedElsewhere()).toBe('all')
  })

  test('nothing is begun on leases, and what is owed is said when it is back', async () => {
    const { leases } = worker.store.records
    await until('its term', leases.mayBegin)
    await away()
    expect(leases.mayBegin()).toBeFalse()
    leases.onOwed?.(() => ({ leases: [{ purse: 1, leaseNano: 500, no: 1 }], no: 1 }))
    opened()
    await back()
    const reserved = async () => (await store.admin.accounts())[0]?.reservedNano
    await until('what is owed to be set aside', async () => (await reserved()) === 500)
    await until('its term', leases.mayBegin)
  })
})

describe('a keeper that starts anew', () => {
  test('leaves what a living worker has under way, and records the rest as interrupted', async () => {
    await worker.store.records.commit({ reserve: [reserve('living'), reserve('ending')] })
    await store.records.commit({ reserve: [reserve('lost')] })
    await away()
    const settled = worker.store.records.commit({ settle: [settle('ending')] })
    opened()
    await settled
    expect(desk.held()).toEqual(['living'])
    expect(await store.records.sweep(desk.held())).toBe(1)
    const rows = await Array.fromAsync(store.records.exportRequests({}))
    expect(rows.map(({ requestId, ending }) => [requestId, ending])).toEqual([
      ['ending', 'complete'],
      ['lost', 'interrupted'],
    ])
    expect((await store.admin.accounts())[0]?.reservedNano).toBe(100)
    await worker.store.records.commit({ settle: [settle('living')] })
    expect((await store.admin.accounts())[0]?.reservedNano).toBe(0)
  })

  test('reserves again what was taken for lost', async () => {
    await worker.store.records.commit({ reserve: [reserve('a')] })
    await away()
    await store.records.commit({ release: ['a'] })
    opened()
    await back()
    await until('the reservation', async () => (await store.admin.accounts())[0]?.reservedNano)
    expect((await store.admin.accounts())[0]?.reservedNano).toBe(100)
  })
})

test('a connection that is lost alone leaves the counters as they were', async () => {
  const cable = createCutLink(address)
  const other = await openTestWorker(cable.address, { index: 1 })
  const backs: boolean[] = []
  other.counters.onBack((isEmpty) => backs.push(isEmpty))
  const key = counted('token:1', { rpm: 1 })
  const admit = () => other.counters.admit({ counted: [key], llmTokens: 0, slot: '' })
  expect((await admit()).ok).toBeTrue()
  cable.drop()
  await until('it to be back', () => backs.length === 1)
  expect(backs).toEqual([false])
  expect((await admit()).ok).toBeFalse()
  expect(desk.workers().map(({ isConnected }) => isConnected)).toEqual([true, true])
  other.close()
  cable.close()
})
