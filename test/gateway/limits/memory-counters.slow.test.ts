import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Desk } from '../../../src/app/group/desk.ts'
import { createMemoryCounters } from '../../../src/gateway/limits/memory-counters.ts'
import type { Keeper } from '../../../src/store/keeper/open.ts'
import type { Counters } from '../../../src/store/ports/counters.ts'
import { openSqliteStore } from '../../../src/store/sqlite/open.ts'
import { until } from '../../e2e/until.ts'
import { counted, promiseOfCounters } from '../../store/counters-promises.ts'
import { openTestDesk, openTestWorker } from '../../support/keeper-link.ts'

const nowMs = async () => Date.now()
const processes = () => 3
const tick = () => performance.now()

describe('counters in memory', () => {
  promiseOfCounters(() => {
    let shared: Counters | undefined
    return {
      nowMs,
      async open(leaseMs) {
        shared ??= createMemoryCounters({ tick, processes, ...(leaseMs && { leaseMs }) })
        return shared
      },
    }
  })

  test('keep nothing of what is over', async () => {
    let now = 0
    const cleaned: (() => void)[] = []
    const counters = createMemoryCounters({
      ...{ tick: () => now, processes, leaseMs: 100 },
      repeat(task) {
        cleaned.push(task)
        return () => {}
      },
    })
    const key = counted('token:1', { rpm: 1, concurrency: 1 })
    const admit = (slot: string) => counters.admit({ counted: [key], llmTokens: 0, slot })
    expect((await admit('a')).ok).toBeTrue()
    expect((await admit('b')).ok).toBeFalse()
    now = 61_000
    for (const clean of cleaned) clean()
    expect((await admit('c')).ok).toBeTrue()
  })

  test('a part that is to come, by a clock that was set back, counts from now on', async () => {
    let now = 0
    const counters = createMemoryCounters({ tick: () => now, processes })
    const key = counted('token:1', { rpm: 1 })
    const part = counters.partAt(now) + 100_000
    await counters.report({ changes: [{ name: key.name, part, requests: 1, llmTokens: 0 }] })
    const admit = () => counters.admit({ counted: [key], llmTokens: 0, slot: '' })
    expect((await admit()).ok).toBeFalse()
    now = 61_000
    expect((await admit()).ok).toBeTrue()
  })
})

test('each of two workers takes itself for one of two while the keeper is away', async () => {
  await using store = openedStore()
  const { desk, address } = openTestDesk(store.store, {
    counters: createMemoryCounters({ tick, processes: () => 2 }),
  })
  const workers = [
    await openTestWorker(address, { index: 0 }),
    await openTestWorker(address, { index: 1 }),
  ]
  await until('both to be counted', () => workers.every(({ counters }) => counters.nodes() === 2))
  for (const worker of workers) worker.close()
  desk.close()
})

function openedStore() {
  const store = openSqliteStore({ path: ':memory:', clock: Date.now })
  return { store, [Symbol.asyncDispose]: () => store.close() }
}

describe('counters over a link', () => {
  const store = openSqliteStore({ path: ':memory:', clock: Date.now })
  const desks: Desk[] = []
  const workers: Keeper[] = []
  let isOver = false
  beforeAll(() => {
    isOver = false
  })
  afterAll(async () => {
    isOver = true
    for (const worker of workers) worker.close()
    for (const desk of desks) desk.close()
    await store.close()
  })

  promiseOfCounters(() => {
    let address: string | undefined
    let index = 0
    return {
      nowMs,
      async open(leaseMs) {
        if (address === undefined) {
          const counters = createMemoryCounters({ tick, processes, ...(leaseMs && { leaseMs }) })
          const opened = openTestDesk(store, { counters })
          desks.push(opened.desk)
          address = opened.address
        }
        const worker = await openTestWorker(address, { index: index++ })
        workers.push(worker)
        if (isOver) worker.close()
        return worker.counters
      },
    }
  })
})
