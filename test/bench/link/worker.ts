import { createSharedLimiter } from '../../../src/gateway/limits/shared-limiter.ts'
import { createCommitter } from '../../../src/gateway/money/committer.ts'
import { type Keeper, openKeeper } from '../../../src/store/keeper/open.ts'
import { silentLog } from '../../support/keeper-link.ts'
import { answerQuestions } from '../streams/part.ts'
import { ordinarySettlement, startCpu } from './settlements.ts'

/** A worker of `link.ts`, which does nothing but settle. */
let keeper: Keeper | undefined
let batches = 0

interface Load {
  readonly requests: number
  readonly atOnce: number
  /** Pause of each request between two settlements: its upstream's work. */
  readonly pauseMs: number
}

async function inParallel({ requests, atOnce, pauseMs }: Load, one: () => Promise<unknown>) {
  let left = requests
  const loop = async () => {
    while (left-- > 0) {
      await one()
      if (pauseMs > 0) await Bun.sleep(pauseMs)
    }
  }
  const begin = performance.now()
  const used = startCpu()
  await Promise.all(Array.from({ length: atOnce }, loop))
  return { cpuMicros: used(), ms: performance.now() - begin }
}

const questions = {
  async open({ address, secret, index }: { address: string; secret: string; index: number }) {
    keeper = await openKeeper({
      ...{ address, secret, log: silentLog, worker: { index, pid: process.pid } },
      onGiven() {},
      onAsk: () => null,
    })
  },
  /** Settlements over the link, or, `isAlone`, with a store that does nothing. */
  async settle({ isAlone, ...load }: Load & { readonly isAlone: boolean }) {
    if (keeper === undefined) throw new Error('not open')
    const { records } = keeper.store
    batches = 0
    const nothing = { denied: new Map<string, never>(), accounts: [], tokens: [] }
    const counted = {
      ...records,
      commit(batch: Parameters<typeof records.commit>[0]) {
        batches++
        return isAlone ? Promise.resolve(nothing) : records.commit(batch)
      },
    }
    const committer = createCommitter(counted as never, () => {}, silentLog)
    const found = await inParallel(load, () => committer.settle(ordinarySettlement()))
    return { ...found, batches }
  },
  /** A place of limits, and its release. */
  async limit(load: Load) {
    if (keeper === undefined) throw new Error('not open')
    const limiter = createSharedLimiter(keeper.counters, () => performance.now())
    const subjects = (['token', 'account', 'group'] as const).map((kind) => ({
      ...{ kind, id: 1, name: kind, limits: { rpm: 1e9, tpm: 1e9, concurrency: 1e6 } },
    }))
    const wait = { waitMs: 0, signal: new AbortController().signal }
    return await inParallel(load, async () => {
      const permit = await limiter.acquire(subjects, 100, wait)
      permit.used(90)
      permit.release()
    })
  },
}
export type WorkerQuestions = typeof questions
answerQuestions(questions)
