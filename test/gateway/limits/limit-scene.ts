import { GatewayError } from '../../../src/gateway/errors.ts'
import { createLimiter, type Permit, type Subject } from '../../../src/gateway/limits/limiter.ts'
import type { Repeat } from '../../../src/lib/clock.ts'
import type { Limits } from '../../../src/store/ports/catalog.ts'
import { noLimits } from '../../support/no-limits.ts'

interface Task {
  readonly run: () => void
  readonly everyMs: number
  dueAt: number
}

/** A clock that a test moves, and the timers that go by it. */
export function createFakeTime(startMs = 7_654_321.5) {
  let now = startMs
  const tasks = new Set<Task>()
  const repeat: Repeat = (run, everyMs) => {
    const task = { run, everyMs, dueAt: now + everyMs }
    tasks.add(task)
    return () => tasks.delete(task)
  }
  /** Timers that are due run once, however late. */
  function jump(ms: number): void {
    now += ms
    for (const task of tasks) {
      if (task.dueAt > now) continue
      task.dueAt = now + task.everyMs
      task.run()
    }
  }
  return {
    tick: () => now,
    repeat,
    jump,
    /** Time passes; timers run when they are due. */
    pass(ms: number): void {
      const end = now + ms
      for (;;) {
        const next = Math.min(...Array.from(tasks, ({ dueAt }) => dueAt))
        if (next > end) break
        jump(Math.max(next - now, 0))
      }
      now = end
    },
    timers: () => tasks.size,
  }
}

export const subject = (
  kind: Subject['kind'],
  limits: Partial<Limits>,
  id = 1,
  name = `${kind} ${id}`,
): Subject => ({ kind, id, name, limits: { ...noLimits, ...limits } })

/** What became of a request so far. */
export interface Entering {
  permit: Permit | undefined
  refused: GatewayError | undefined
  /** What ended it that was no refusal. */
  thrown: unknown
  readonly abort: () => void
}

/** A limiter in fake time. `entered` is in the order in which requests were let in. */
export function createLimitScene() {
  const time = createFakeTime()
  const entered: Entering[] = []
  const limiter = createLimiter(time.tick, time.repeat)

  /** Asks; what comes later is told after `settled()`. */
  function ask(subjects: readonly Subject[], llmTokens = 0, waitMs = 0): Entering {
    const controller = new AbortController()
    const entering: Entering = {
      permit: undefined,
      refused: undefined,
      thrown: undefined,
      abort: () => controller.abort('left'),
    }
    const enter = (permit: Permit) => {
      entering.permit = permit
    }
    const fail = (error: unknown) => {
      if (error instanceof GatewayError) entering.refused = error
      else entering.thrown = error
    }
    try {
      const found = limiter.acquire(subjects, llmTokens, { waitMs, signal: controller.signal })
      if (!(found instanceof Promise)) enter(found)
      Promise.resolve(found).then((permit) => {
        enter(permit)
        entered.push(entering)
      }, fail)
    } catch (error) {
      fail(error)
    }
    return entering
  }

  return { ...time, limiter, ask, entered, settled }
}

/** Promises that are settled are told to whoever waits for them. */
export const settled = (): Promise<void> => new Promise((resolve) => queueMicrotask(resolve))

/** How many of them were let in. */
export const countIn = (all: readonly Entering[]): number =>
  all.filter(({ permit }) => permit !== undefined).length

/** Asks so many times the same. */
export const times = <T>(count: number, ask: (at: number) => T): T[] =>
  Array.from({ length: count }, (_, at) => ask(at))
