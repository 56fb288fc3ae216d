import { GatewayError } from '../../../src/gateway/errors.ts'
import type { Limiter, Permit, Subject } from '../../../src/gateway/limits/limiter.ts'
import { createMemoryCounters } from '../../../src/gateway/limits/memory-counters.ts'
import { createSharedLimiter } from '../../../src/gateway/limits/shared-limiter.ts'
import type { Repeat } from '../../../src/lib/clock.ts'
import {
  type Counters,
  CountersUnavailable,
  type StockRecall,
  type StockReport,
} from '../../../src/store/ports/counters.ts'
import { createFakeTime } from './limit-scene.ts'

/** How many messages a worker has sent. */
export interface Sent {
  admits: number
  reports: number
  lends: number
}

export type Fate = 'arrives' | 'late' | 'lost' | 'unheard'

export interface Worker {
  readonly limiter: Limiter
  readonly sent: Sent
  /** It ends without a word. */
  readonly kill: () => void
  /** Its timers do not run until it is thawed. */
  readonly freeze: () => void
  readonly thaw: () => void
  /** What it hears of the keeper, or of another keeper from now on. */
  readonly connect: (counters: Counters, isEmpty: boolean) => void
  readonly disconnect: () => void
}

export const leaseMs = 10_000

/** Workers in fake time, whose keeper counts in its memory. */
export function createStocksScene(count: number) {
  const time = createFakeTime()
  /** What becomes of a report of stocks: lost on its way, or its answer is, or that takes a while. */
  const fate = { of: (_report: StockReport): Fate => 'arrives' }
  const openKeeper = () =>
    createMemoryCounters({ tick: time.tick, processes: () => count, leaseMs, repeat: time.repeat })
  const first = openKeeper()

  function openWorker(): Worker {
    const sent: Sent = { admits: 0, reports: 0, lends: 0 }
    const onBack: ((isEmpty: boolean) => void)[] = []
    const onRecall: ((recall: StockRecall) => void)[] = []
    const stops: (() => void)[] = []
    let keeper: Counters | undefined = first
    let isDead = false
    let isFrozen = false
    const repeat: Repeat = (task, everyMs) => {
      const stop = time.repeat(() => {
        if (!isFrozen) task()
      }, everyMs)
      stops.push(stop)
      return stop
    }
    const listenTo = (counters: Counters) =>
      counters.stocks?.onRecall((recall) => {
        if (keeper === counters && !isDead) for (const listener of onRecall) listener(recall)
      })
    const reach = (): Counters => {
      if (keeper === undefined || isDead) throw new CountersUnavailable('away', false)
      return keeper
    }
    listenTo(first)
    const counters: Counters = {
      ...first,
      async admit(admission) {
        sent.admits++
        return await reach().admit(admission)
      },
      async report(report) {
        sent.reports++
        await reach().report(report)
      },
      stocks: {
        async lend(report) {
          sent.lends++
          const found = fate.of(report)
          if (found === 'lost') throw new CountersUnavailable('lost', true)
          // As over a link, nothing is shared.
          const answer = await reach().stocks?.lend(JSON.parse(JSON.stringify(report)))
          if (found === 'late') await turn()
          if (found === 'unheard' || answer === undefined)
            throw new CountersUnavailable('unheard', true)
          return JSON.parse(JSON.stringify(answer))
        },
        onRecall: (listener) => onRecall.push(listener),
      },
      isUnavailable: () => keeper === undefined || isDead,
      onBack: (listener) => onBack.push(listener),
    }
    return {
      limiter: createSharedLimiter(counters, time.tick, repeat),
      sent,
      kill() {
        isDead = true
        for (const stop of stops) stop()
      },
      freeze() {
        isFrozen = true
      },
      thaw() {
        isFrozen = false
      },
      connect(counters, isEmpty) {
        if (counters !== keeper && counters !== first) listenTo(counters)
        keeper = counters
        for (const listener of onBack) listener(isEmpty)
      },
      disconnect() {
        keeper = undefined
      },
    }
  }

  const workers = Array.from({ length: count }, openWorker)
  return {
    ...time,
    keeper: first,
    openKeeper,
    openWorker,
    fate,
    workers,
    workerAt: (at: number): Worker => {
      const worker = workers[at % count]
      if (worker === undefined) throw new Error('no such worker')
      return worker
    },
    /** Time goes on in small steps, and all that is under way arrives. */
    async pass(ms: number, stepMs = 10): Promise<void> {
      for (let passed = 0; passed < ms; passed += stepMs) {
        time.jump(Math.min(stepMs, ms - passed))
        await turn()
      }
    },
  }
}

/** All that is under way arrives. */
export async function turn(): Promise<void> {
  for (let times = 0; times < 3; times++) await new Promise(setImmediate)
}

/** The permit, or the refusal; undefined: it would wait in line. */
export async function ask(
  { limiter }: Worker,
  subjects: readonly Subject[],
  llmTokens = 0,
): Promise<Permit | undefined> {
  const leaving = new AbortController()
  let found: Permit | undefined
  let isOver = false
  const settled = Promise.try(() =>
    limiter.acquire(subjects, llmTokens, { waitMs: 0, signal: leaving.signal }),
  )
    .then(
      (permit) => {
        found = permit
      },
      (error: unknown) => {
        if (!(error instanceof GatewayError) && error !== 'left') throw error
      },
    )
    .finally(() => {
      isOver = true
    })
  for (let times = 0; times < 3_000 && !isOver; times++) await new Promise(setImmediate)
  leaving.abort('left')
  await settled
  return found
}
