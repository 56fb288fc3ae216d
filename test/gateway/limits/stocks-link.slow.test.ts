import { afterEach, expect, test } from 'bun:test'
import { GatewayError } from '../../../src/gateway/errors.ts'
import type { Limiter, Permit } from '../../../src/gateway/limits/limiter.ts'
import { createMemoryCounters } from '../../../src/gateway/limits/memory-counters.ts'
import { createSharedLimiter } from '../../../src/gateway/limits/shared-limiter.ts'
import type { Counters } from '../../../src/store/ports/counters.ts'
import { openSqliteStore } from '../../../src/store/sqlite/open.ts'
import { openTestDesk, openTestWorker } from '../../support/keeper-link.ts'
import { subject } from './limit-scene.ts'

// Stocks over a real link.

const tick = () => performance.now()
const atOnce = { waitMs: 0, signal: new AbortController().signal }
let ends: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ends.reverse()) await end()
  ends = []
})

/** Counters that count what they are asked. */
function counting(counters: Counters) {
  const asked = { admits: 0, lends: 0 }
  const { stocks } = counters
  const counted: Counters = {
    ...counters,
    admit(admission) {
      asked.admits++
      return counters.admit(admission)
    },
    ...(stocks && {
      stocks: {
        onRecall: stocks.onRecall,
        lend(report) {
          asked.lends++
          return stocks.lend(report)
        },
      },
    }),
  }
  return { counters: counted, asked }
}

async function openTwoWorkers(isLending = true) {
  const store = openSqliteStore({ path: ':memory:', clock: Date.now })
  const memory = createMemoryCounters({ tick, processes: () => 2 })
  const { counters, asked } = counting(isLending ? memory : { ...memory, stocks: undefined })
  const { desk, address } = openTestDesk(store, { counters })
  ends.push(store.close, desk.close, memory.close)
  const limiters: Limiter[] = []
  for (const index of [0, 1]) {
    const keeper = await openTestWorker(address, { index, pid: index + 1 })
    const limiter = createSharedLimiter(keeper.counters, tick)
    limiters.push(limiter)
    ends.push(keeper.close, limiter.stop)
  }
  const [first, second] = limiters
  if (first === undefined || second === undefined) throw new Error('not open')
  return { first, second, asked }
}

const key = [subject('token', { rpm: 1_000, concurrency: 900 })]

async function passes(limiter: Limiter): Promise<Permit | undefined> {
  try {
    return await limiter.acquire(key, 0, atOnce)
  } catch (error) {
    if (error instanceof GatewayError) return undefined
    throw error
  }
}

/** So many requests with a turn after each. */
async function load(limiter: Limiter, count: number): Promise<number> {
  let passed = 0
  for (let at = 0; at < count; at++) {
    const permit = await passes(limiter)
    if (permit) passed++
    permit?.release()
    await Bun.sleep(1)
  }
  return passed
}

test('a load asks the keeper now and then, and all of a limit passes, wherever it is asked for', async () => {
  const { first, second, asked } = await openTwoWorkers()
  const passed = await Promise.all([load(first, 200), load(second, 200)])
  expect(passed).toEqual([200, 200])
  expect(asked.admits).toBeLessThan(40)
  let rest = 0
  while (await passes(second)) rest++
  expect(rest).toBe(600)
  expect(await passes(first)).toBeUndefined()
})

test('where the keeper does not lend each request asks', async () => {
  const { first, asked } = await openTwoWorkers(false)
  expect(await load(first, 50)).toBe(50)
  expect(asked).toEqual({ admits: 50, lends: 0 })
})
