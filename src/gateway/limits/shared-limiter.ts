import { randomUUID } from 'node:crypto'
import { type Clock, type Repeat, repeatByTimer } from '../../lib/clock.ts'
import { type Change, type Counters, CountersUnavailable } from '../../store/ports/counters.ts'
import { knownMs, patienceMs } from './limit-queues.ts'
import { createLimiter, type Limiter } from './limiter.ts'
import { createOutbox } from './outbox.ts'
import { freePermit, type LocalPermit, limitError, type Permit } from './permit.ts'
import {
  createLines,
  longestIn,
  nameOf,
  remaining,
  type SharedAnswer,
  type SharedAsk,
} from './shared-lines.ts'
import { type SharedHold, SharedPermit } from './shared-permit.ts'
import { windowMs } from './sliding-window.ts'
import { isWindowed } from './stock.ts'
import { createStocks, stockBeatMs } from './stocks.ts'
import { isUnlimited, type Refused, type Subject, shareOf } from './tally.ts'

/** How often slots are renewed within their lease. */
const renewalsPerLease = 4

/**
 * Enforces limits over all nodes with one call per request. It also counts locally: to enforce this
 * node's share while the counters are unreachable, and to report afterwards.
 */
export function createSharedLimiter(
  counters: Counters,
  tick: Clock,
  repeat: Repeat = repeatByTimer,
): Limiter {
  const local = createLimiter(tick, repeat)
  const node = randomUUID()
  const open = new Set<SharedPermit>()
  const partNow = () => counters.partAt(tick())
  const outbox = createOutbox(counters, tick, onReported)
  const lines = createLines(tick, ask, enterLocally)
  const stocks = createStocks({
    counters,
    tick,
    outbox,
    onReturned: onReported,
  })
  /** Recent refusals of channels, a guess for `peek`. */
  const refusals = new Map<string, { readonly refused: Refused; readonly untilTick: number }>()
  let slots = 0

  function onReported(names: ReadonlySet<string>): void {
    for (const name of names) refusals.delete(name)
    lines.look(names)
  }

  function share(permit: LocalPermit, held: SharedHold): void {
    permit.reportTo(new SharedPermit(held, open, outbox, partNow))
  }

  const nextSlot = () => `${node}.${++slots}`
  const countedOf = (subjects: readonly Subject[]) =>
    subjects.map((subject) => ({ name: nameOf(subject), limits: subject.limits }))

  async function ask(asked: SharedAsk): Promise<SharedAnswer | undefined> {
    const { subjects, llmTokens } = asked
    const slot = nextSlot()
    const counted = countedOf(subjects)
    outbox.flush() // releases what requests held that have just ended here
    try {
      const admitted = await counters.admit({ counted, llmTokens, slot })
      if (!admitted.ok) {
        const refused = admitted.shortages.flatMap(({ at, limit, retryAfterMs }) => {
          const subject = subjects[at]
          return subject ? { subject, limit, retryAfterMs } : []
        })
        return { refused }
      }
      const permit = local.count(subjects, llmTokens)
      share(permit, { counted, llmTokens, slot, part: admitted.part })
      return { permit }
    } catch (error) {
      if (!(error instanceof CountersUnavailable)) throw error
      if (error.isSent) asked.unsureSlot = slot
      return undefined
    }
  }

  /** Within this node's share. Waiters move to the shared counters when these return. */
  function enterLocally(asked: SharedAsk): Permit | Promise<Permit> {
    const { subjects, llmTokens, wait } = asked
    const shares = subjects.map((subject) => shareOf(subject, counters.nodes()))
    const deadline = tick() + wait.waitMs
    const permit = local.acquire(shares, llmTokens, wait)
    if (!(permit instanceof Promise)) return reporting(asked, permit)
    return permit.then(
      (later) => reporting(asked, later),
      (reason) => {
        if (reason !== isBack) throw reason
        const slot = asked.unsureSlot
        if (slot) for (const subject of subjects) outbox.free(nameOf(subject), slot)
        return enterShared({ ...remaining({ asked, deadline }, tick()), unsureSlot: undefined })
      },
    )
  }

  /** Reports a local admission when the counters return, unless they may already have it. */
  function reporting(asked: SharedAsk, permit: LocalPermit): Permit {
    const { subjects, llmTokens } = asked
    const counted = countedOf(subjects)
    const part = partNow()
    const slot = asked.unsureSlot
    for (const { name, limits } of counted) {
      if (slot === undefined && isWindowed(limits))
        outbox.change({ name, part, requests: 1, llmTokens })
    }
    share(permit, { counted, llmTokens, slot: slot ?? nextSlot(), part })
    return permit
  }

  async function enterShared(asked: SharedAsk): Promise<Permit> {
    const { subjects, wait } = asked
    wait.signal.throwIfAborted()
    const ahead = lines.ahead(subjects)
    const answer = ahead ? { refused: [ahead] } : await ask(asked)
    if (answer === undefined) return enterLocally(asked)
    if ('permit' in answer) {
      if (!wait.signal.aborted) return answer.permit
      answer.permit.undo()
      throw wait.signal.reason
    }
    const limitMs = patienceMs(answer.refused, wait.waitMs)
    if (limitMs === 0 || knownMs(answer.refused) > limitMs)
      throw limitError(longestIn(answer.refused))
    return lines.wait(asked, answer.refused, limitMs)
  }

  async function tryShared(subject: Subject, llmTokens: number): Promise<Permit | Refused> {
    const asked = { subjects: [subject], llmTokens, wait: never }
    const answer = await ask(asked)
    if (answer === undefined) return tryLocally(asked, subject)
    if ('permit' in answer) return answer.permit
    const refused = longestIn(answer.refused)
    refusals.set(nameOf(subject), { refused, untilTick: tick() + refused.retryAfterMs })
    return refused
  }

  function tryLocally(asked: SharedAsk, subject: Subject): Permit | Refused {
    const found = local.tryAcquire(shareOf(subject, counters.nodes()), asked.llmTokens)
    return 'release' in found ? reporting(asked, found) : found
  }

  /** Reports all that this node admitted within the window, to counters that lost it. */
  function reportAll(): void {
    const changes: Change[] = []
    for (const { subject, passing } of local.passing()) {
      if (!isWindowed(subject.limits)) continue
      const name = nameOf(subject)
      for (const { until, requests, llmTokens } of passing)
        changes.push({ name, part: counters.partAt(until - windowMs), requests, llmTokens })
    }
    outbox.forgetChanges()
    counters.report({ changes }).catch(() => {}) // away again: the next return tells what is new
  }

  function renewSlots(): void {
    const kept = [...open].flatMap((permit) => permit.slots())
    if (kept.length > 0 && !counters.isUnavailable()) counters.report({ kept }).catch(() => {})
  }

  counters.onBack((isEmpty) => {
    if (isEmpty) reportAll() // and forgets what is not reported: that is in it
    stocks.back(isEmpty)
    renewSlots()
    outbox.flush()
    local.rejectAll(isBack)
  })
  const stopRenewing = repeat(renewSlots, counters.leaseMs / renewalsPerLease)
  const stopStocks = repeat(() => {
    stocks.beat()
    outbox.flush()
  }, stockBeatMs)

  /** A permit from the stocks of this process; undefined: it must ask. Requests that wait in line go first. */
  function takeLent(subjects: readonly Subject[], llmTokens: number): Permit | undefined {
    if (lines.ahead(subjects)) return undefined
    const taken = stocks.take(subjects, llmTokens)
    if (taken === undefined) return undefined
    const permit = local.count(subjects, llmTokens)
    permit.reportTo(taken)
    return permit
  }

  return {
    acquire(subjects, llmTokens, wait) {
      const limited = limitedOf(subjects)
      if (limited.length === 0) return freePermit
      const isAway = counters.isUnavailable()
      const permit = isAway || wait.signal.aborted ? undefined : takeLent(limited, llmTokens)
      if (permit) return permit
      const asked = { subjects: limited, llmTokens, wait }
      return isAway ? enterLocally(asked) : enterShared(asked)
    },
    tryAcquire(subject, llmTokens) {
      if (isUnlimited(subject)) return freePermit
      if (counters.isUnavailable())
        return tryLocally({ subjects: [subject], llmTokens, wait: never }, subject)
      const subjects = [subject]
      return lines.ahead(subjects) ?? takeLent(subjects, llmTokens) ?? tryShared(subject, llmTokens)
    },
    peek(subject, llmTokens) {
      if (isUnlimited(subject)) return undefined
      if (counters.isUnavailable()) return local.peek(shareOf(subject, counters.nodes()), llmTokens)
      const known = refusals.get(nameOf(subject))
      if (known && known.untilTick <= tick()) refusals.delete(nameOf(subject))
      else if (known) return known.refused
      return lines.ahead([subject])
    },
    stop() {
      stopRenewing()
      stopStocks()
      stocks.stop()
      lines.stop()
      local.stop()
    },
  }
}

/** Those that have limits; the same list, where all have. */
function limitedOf(subjects: readonly Subject[]): readonly Subject[] {
  for (const subject of subjects)
    if (isUnlimited(subject)) return subjects.filter((one) => !isUnlimited(one))
  return subjects
}

/** Why waiting within a node's share ends. */
const isBack = Symbol('the counters are back')

const never = { waitMs: 0, signal: new AbortController().signal }
