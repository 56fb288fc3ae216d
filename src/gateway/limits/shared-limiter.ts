import { randomUUID } from 'node:crypto'
import { type Clock, type Repeat, repeatByTimer } from '../../lib/clock.ts'
import {
  type Change,
  type Counted,
  type Counters,
  CountersAway,
  type HeldSlot,
} from '../../store/ports/counters.ts'
import { knownMs, patienceMs } from './limit-queues.ts'
import { createLimiter, type Limiter } from './limiter.ts'
import { freePermit, limitError, type Permit } from './permit.ts'
import {
  createLines,
  longestIn,
  nameOf,
  remaining,
  type SharedAnswer,
  type SharedAsk,
} from './shared-lines.ts'
import { windowMs } from './sliding-window.ts'
import { isUnlimited, type Refused, type Subject, shareOf } from './tally.ts'

/** Slots are kept so often within their lease. */
const keepsPerLease = 4

/**
 * Keeps all nodes within limits by one call a request. It counts here, too: by its share while the
 * counters are away, and to tell them later.
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
  const outbox = createOutbox({ counters, tick, onTold })
  const permitParts: SharedPermitParts = { outbox, partNow, open }
  const lines = createLines({ tick, ask, enterHere })
  /** What channels were refused for lately: a guess at what would be. */
  const refusals = new Map<string, { readonly refused: Refused; readonly untilTick: number }>()
  let slots = 0

  function onTold(names: ReadonlySet<string>): void {
    for (const name of names) refusals.delete(name)
    lines.look(names)
  }

  const nextSlot = () => `${node}.${++slots}`
  const countedOf = (subjects: readonly Subject[]) =>
    subjects.map((subject) => ({ name: nameOf(subject), limits: subject.limits }))

  async function ask(asked: SharedAsk): Promise<SharedAnswer | undefined> {
    const { subjects, llmTokens } = asked
    const slot = nextSlot()
    const counted = countedOf(subjects)
    outbox.flush() // whoever has just ended here has left its place
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
      const places = { counted, llmTokens, slot, part: admitted.part, local: permit }
      return { permit: new SharedPermit(permitParts, places) }
    } catch (error) {
      if (!(error instanceof CountersAway)) throw error
      if (error.isSent) asked.unsureSlot = slot
      return undefined
    }
  }

  /** Within this node's share. Whoever waits for it when the counters are back goes on there. */
  function enterHere(asked: SharedAsk): Permit | Promise<Permit> {
    const { subjects, llmTokens, wait } = asked
    const shares = subjects.map((subject) => shareOf(subject, counters.nodes()))
    const deadline = tick() + wait.waitMs
    const permit = local.enter(shares, llmTokens, wait)
    if (!(permit instanceof Promise)) return noted(asked, permit)
    return permit.then(
      (later) => noted(asked, later),
      (reason) => {
        if (reason !== isBack) throw reason
        const slot = asked.unsureSlot
        if (slot) for (const subject of subjects) outbox.free(nameOf(subject), slot)
        return enterThere({ ...remaining({ asked, deadline }, tick()), unsureSlot: undefined })
      },
    )
  }

  /** What was let in here is told when the counters are back, unless they may know it: none twice. */
  function noted(asked: SharedAsk, permit: Permit): Permit {
    const { subjects, llmTokens } = asked
    const counted = countedOf(subjects)
    const part = partNow()
    const slot = asked.unsureSlot
    for (const { name, limits } of counted) {
      if (slot === undefined && isWindowed(limits)) outbox.change(name, part, 1, llmTokens)
    }
    const places = { counted, llmTokens, slot: slot ?? nextSlot(), part, local: permit }
    return new SharedPermit(permitParts, places)
  }

  async function enterThere(asked: SharedAsk): Promise<Permit> {
    const { subjects, wait } = asked
    wait.signal.throwIfAborted()
    const ahead = lines.ahead(subjects)
    const answer = ahead ? { refused: [ahead] } : await ask(asked)
    if (answer === undefined) return enterHere(asked)
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

  async function tryThere(subject: Subject, llmTokens: number): Promise<Permit | Refused> {
    const asked = { subjects: [subject], llmTokens, wait: never }
    const answer = await ask(asked)
    if (answer === undefined) return tryHere(asked, subject)
    if ('permit' in answer) return answer.permit
    const refused = longestIn(answer.refused)
    refusals.set(nameOf(subject), { refused, untilTick: tick() + refused.retryAfterMs })
    return refused
  }

  function tryHere(asked: SharedAsk, subject: Subject): Permit | Refused {
    const found = local.tryEnter(shareOf(subject, counters.nodes()), asked.llmTokens)
    return 'release' in found ? noted(asked, found) : found
  }

  /** All that this node has let in within the window, for counters that have forgotten it. */
  function tellAll(): void {
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

  function keepSlots(): void {
    const kept = [...open].flatMap((permit) => permit.slots())
    if (kept.length > 0 && !counters.isAway()) counters.report({ kept }).catch(() => {})
  }

  counters.onBack((isEmpty) => {
    if (isEmpty) tellAll()
    keepSlots()
    outbox.flush()
    local.sendAway(isBack)
  })
  const stopKeeping = repeat(keepSlots, counters.leaseMs / keepsPerLease)

  return {
    enter(subjects, llmTokens, wait) {
      const limited = subjects.filter((subject) => !isUnlimited(subject))
      if (limited.length === 0) return freePermit
      const asked = { subjects: limited, llmTokens, wait }
      return counters.isAway() ? enterHere(asked) : enterThere(asked)
    },
    tryEnter(subject, llmTokens) {
      if (isUnlimited(subject)) return freePermit
      if (counters.isAway())
        return tryHere({ subjects: [subject], llmTokens, wait: never }, subject)
      return lines.ahead([subject]) ?? tryThere(subject, llmTokens)
    },
    peek(subject, llmTokens) {
      if (isUnlimited(subject)) return undefined
      if (counters.isAway()) return local.peek(shareOf(subject, counters.nodes()), llmTokens)
      const known = refusals.get(nameOf(subject))
      if (known && known.untilTick <= tick()) refusals.delete(nameOf(subject))
      else if (known) return known.refused
      return lines.ahead([subject])
    },
    stop() {
      stopKeeping()
      lines.stop()
      local.stop()
    },
  }
}

/** Why nobody waits within a node's share any more. */
const isBack = Symbol('the counters are back')

const never = { waitMs: 0, signal: new AbortController().signal }

/** What a request has taken of the limits that all nodes share. */
interface SharedPlaces {
  readonly counted: readonly Counted[]
  readonly llmTokens: number
  readonly slot: string
  readonly part: number
  /** The same, counted by this node alone. */
  readonly local: Permit
}

export interface SharedPermitParts {
  readonly outbox: Outbox
  readonly partNow: () => number
  /** All that have not ended: their slots are kept. */
  readonly open: Set<SharedPermit>
}

/** A request's places within limits that all nodes share; ends are reported later. */
export class SharedPermit implements Permit {
  readonly #parts: SharedPermitParts
  readonly #places: SharedPlaces
  #isUndone = false
  #isKnown = false

  constructor(parts: SharedPermitParts, places: SharedPlaces) {
    this.#parts = parts
    this.#places = places
    parts.open.add(this)
  }

  used(trueCount: number): void {
    if (this.#isKnown || this.#isUndone) return
    this.#isKnown = true
    const { outbox, partNow } = this.#parts
    const { counted, llmTokens, part, local } = this.#places
    local.used(trueCount)
    const more = trueCount - llmTokens
    if (more === 0) return
    for (const { name, limits } of counted) {
      if (limits.tpm !== null) outbox.change(name, more > 0 ? partNow() : part, 0, more)
    }
  }

  release(): void {
    if (!this.#parts.open.delete(this)) return
    this.#places.local.release()
    for (const { name, slot } of this.slots()) this.#parts.outbox.free(name, slot)
  }

  undo(): void {
    if (this.#isUndone) return
    this.#isUndone = true
    const { counted, llmTokens, part, local } = this.#places
    this.release()
    local.undo()
    for (const { name, limits } of counted) {
      if (isWindowed(limits)) this.#parts.outbox.change(name, part, -1, -llmTokens)
    }
  }

  /** The slots that it has while it has not ended. */
  slots(): readonly HeldSlot[] {
    const { counted, slot } = this.#places
    return counted
      .filter(({ limits }) => limits.concurrency !== null)
      .map(({ name }) => ({ name, slot }))
  }
}

export const isWindowed = ({ rpm, tpm }: Counted['limits']) => rpm !== null || tpm !== null

/** What is to be told to the counters that all nodes share; nobody waits for it. */
type Outbox = ReturnType<typeof createOutbox>

interface OutboxParts {
  readonly counters: Pick<Counters, 'isAway' | 'partAt' | 'report'>
  readonly tick: Clock
  /** Told right behind what makes room for these. */
  readonly onTold: (names: ReadonlySet<string>) => void
}

/** While the counters are away, so much is kept; slots become free by themselves. */
const maxChanges = 100_000
const maxFreed = 10_000

type Waiting = { -readonly [Key in keyof Change]: Change[Key] }

/** Tells all that has come up in one turn of the event loop in one call. */
export function createOutbox({ counters, tick, onTold }: OutboxParts) {
  let changes = new Map<string, Waiting>()
  let freed: HeldSlot[] = []
  let planned: ReturnType<typeof setImmediate> | undefined

  /** Merged, it is some six hundred for each that is counted; what has passed is of no use. */
  function forgetPassed(): void {
    const oldest = counters.partAt(tick() - windowMs)
    for (const [key, { part }] of changes) if (part <= oldest) changes.delete(key)
    if (changes.size > maxChanges) changes.clear()
  }

  function flush(): void {
    clearImmediate(planned)
    planned = undefined
    if (changes.size === 0 && freed.length === 0) return
    if (counters.isAway()) {
      if (changes.size > maxChanges) forgetPassed()
      if (freed.length > maxFreed) freed = freed.slice(-maxFreed / 2)
      return
    }
    const report = { changes: [...changes.values()], freed }
    changes = new Map()
    freed = []
    // What may have arrived is not told twice.
    counters.report(report).catch(() => {})
    onTold(new Set([...report.changes, ...report.freed].map(({ name }) => name)))
  }

  function plan(): void {
    planned ??= setImmediate(flush)
  }

  return {
    /** Counts more, or less, in a part of a window. */
    change(name: string, part: number, requests: number, llmTokens: number): void {
      const key = `${part} ${name}`
      const waiting = changes.get(key)
      if (waiting === undefined) changes.set(key, { name, part, requests, llmTokens })
      else {
        waiting.requests += requests
        waiting.llmTokens += llmTokens
      }
      plan()
    },
    free(name: string, slot: string): void {
      freed.push({ name, slot })
      plan()
    },
    flush,
    forgetChanges: (): void => changes.clear(),
  }
}
