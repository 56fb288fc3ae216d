import type { Clock } from '../../lib/clock.ts'
import { endedOutside } from '../errors.ts'
import { maxQueued, type Wait } from './limit-queues.ts'
import { limitError, type Permit } from './permit.ts'
import type { Refused, Subject } from './tally.ts'

export interface SharedAsk {
  readonly subjects: readonly Subject[]
  readonly llmTokens: number
  readonly wait: Wait
  unsureSlot?: string | undefined
}

/** Admitted, or all shortages; undefined: the counters are unreachable. */
export type SharedAnswer = { readonly permit: Permit } | { readonly refused: readonly Refused[] }

/** How often the first waiter asks again: other nodes do not announce what they release. */
const slotPollMs = 100
const windowPollMs = 1_000
const leastPollMs = 5

interface LineWaiter {
  readonly asked: SharedAsk
  readonly deadline: number
  line: Line | undefined
  refused: Refused
  readonly admit: (permit: Permit | Promise<Permit>) => void
  readonly refuse: (reason: unknown) => void
}

interface Line {
  readonly name: string
  readonly waiters: Set<LineWaiter>
  last: Refused
  timer: ReturnType<typeof setTimeout> | undefined
  isAsking: boolean
  isStale: boolean
}

export const nameOf = ({ kind, id }: Subject): string => `${kind}:${id}`

export function longestIn(refused: readonly Refused[]): Refused {
  const [first, ...rest] = refused
  if (first === undefined) throw new Error('a refusal without a limit')
  return rest.reduce((most, one) => (one.retryAfterMs > most.retryAfterMs ? one : most), first)
}

/** Wait queues of this node: one per subject, in order of arrival. */
export function createLines(
  tick: Clock,
  ask: (asked: SharedAsk) => Promise<SharedAnswer | undefined>,
  enterLocally: (asked: SharedAsk) => Permit | Promise<Permit>,
) {
  const lines = new Map<string, Line>()
  let isStopped = false

  function lineOf(refused: Refused): Line {
    const name = nameOf(refused.subject)
    const known = lines.get(name)
    if (known) return known
    const line: Line = {
      name,
      waiters: new Set<LineWaiter>(),
      last: refused,
      timer: undefined,
      isAsking: false,
      isStale: false,
    }
    lines.set(name, line)
    return line
  }

  function join(waiter: LineWaiter, refused: Refused): void {
    waiter.refused = refused
    const line = lineOf(refused)
    line.last = refused
    if (line.waiters.size >= maxQueued) {
      waiter.refuse(limitError(refused))
      return
    }
    waiter.line = line
    line.waiters.add(waiter)
    later(line)
  }

  function leave(waiter: LineWaiter): void {
    const { line } = waiter
    waiter.line = undefined
    if (!line?.waiters.delete(waiter) || line.waiters.size > 0) return
    clearTimeout(line.timer)
    lines.delete(line.name)
  }

  function later(line: Line): void {
    const { limit, retryAfterMs } = line.last
    const mostMs = limit === 'concurrency' ? slotPollMs : windowPollMs
    const waitMs = Math.max(leastPollMs, Math.min(retryAfterMs, mostMs))
    line.timer ??= setTimeout(() => {
      line.timer = undefined
      void serve(line)
    }, waitMs)
  }

  function goLocal(waiter: LineWaiter): void {
    try {
      waiter.admit(enterLocally(remaining(waiter, tick())))
    } catch (error) {
      waiter.refuse(error)
    }
  }

  async function serve(line: Line): Promise<void> {
    line.isStale = true
    if (line.isAsking) return
    line.isAsking = true
    while (line.isStale) {
      line.isStale = false
      const [waiter] = line.waiters
      if (waiter === undefined) break
      const answer = await ask(waiter.asked)
      if (!line.waiters.has(waiter)) {
        if (answer && 'permit' in answer) answer.permit.undo()
      } else if (answer === undefined || 'permit' in answer) {
        leave(waiter)
        if (answer) waiter.admit(answer.permit)
        else goLocal(waiter)
      } else {
        const longest = longestIn(answer.refused)
        if (nameOf(longest.subject) === line.name) {
          waiter.refused = line.last = longest
          continue
        }
        leave(waiter)
        join(waiter, longest)
      }
      line.isStale = true
    }
    line.isAsking = false
    if (line.waiters.size > 0) later(line)
  }

  return {
    /** What the first waiter for one of these waits for; undefined: the queues are empty. */
    ahead(subjects: readonly Subject[]): Refused | undefined {
      if (lines.size === 0) return undefined
      for (const subject of subjects) {
        const line = lines.get(nameOf(subject))
        if (line) return { ...line.last, subject }
      }
      return undefined
    },
    wait(asked: SharedAsk, refused: readonly Refused[], limitMs: number): Promise<Permit> {
      if (isStopped) throw endedOutside()
      const { signal } = asked.wait
      return new Promise<Permit>((resolve, reject) => {
        const settle = () => {
          clearTimeout(timer)
          signal.removeEventListener('abort', abort)
          leave(waiter)
        }
        const waiter: LineWaiter = {
          asked,
          deadline: tick() + limitMs,
          line: undefined,
          refused: longestIn(refused),
          admit(permit) {
            settle()
            resolve(permit)
          },
          refuse(reason) {
            settle()
            reject(reason)
          },
        }
        const abort = () => waiter.refuse(signal.reason)
        const timer = setTimeout(() => waiter.refuse(limitError(waiter.refused)), limitMs)
        signal.addEventListener('abort', abort, { once: true })
        join(waiter, waiter.refused)
      })
    },
    look(names: Iterable<string>): void {
      if (lines.size === 0) return
      for (const name of names) {
        const line = lines.get(name)
        if (line) void serve(line)
      }
    },
    stop(): void {
      isStopped = true
      for (const { waiters } of [...lines.values()])
        for (const waiter of [...waiters]) waiter.refuse(endedOutside())
    },
  }
}

export function remaining(
  { asked, deadline }: { readonly asked: SharedAsk; readonly deadline: number },
  now: number,
): SharedAsk {
  const { wait } = asked
  return { ...asked, wait: { ...wait, waitMs: Math.max(0, deadline - now) } }
}
