import {
  type AvailabilityFigures,
  bucketStart,
  emptyCounts,
  faults,
  firstBytePlace,
  type OpenCounts,
} from '../../catalog/availability.ts'
import { addTo } from '../../lib/add-to.ts'
import { type Clock, type Repeat, repeatByTimer } from '../../lib/clock.ts'
import { createMutex } from '../../lib/concurrency.ts'
import type { Logger } from '../../lib/log.ts'
import type {
  AvailabilityBucket,
  AvailabilityStore,
  Fault,
} from '../../store/ports/availability.ts'
import { StoreError } from '../../store/ports/store-error.ts'
import type { Concluded } from '../exchange.ts'
import { balanceUsedUp, type End } from '../money/record.ts'
import { createWindows } from './availability-windows.ts'

interface AvailabilityParts {
  readonly store: AvailabilityStore
  readonly clock: Clock
  readonly log: Logger
  readonly repeat?: Repeat
}

/** How a request ended, as availability counts it. */
export interface AvailabilityOutcome {
  readonly groupId: number
  readonly model: string
  readonly fault: Fault | null
  /** From the request's arrival to the first byte of its answer; null: unknown. */
  readonly firstByteMs: number | null
  readonly outputTokens: number
  /** From the first byte to the end of a streamed answer; null: it came in one piece. */
  readonly generationMs: number | null
}

export type Availability = ReturnType<typeof createAvailability>

const flushMs = 60_000

/** The most groups × models counted in one minute; beyond, the log warns. */
const maxKeys = 20_000

/** The most buckets that wait for a failing store; beyond, the oldest are lost. */
const maxUnstored = 50_000

/** One transaction of this size takes a few milliseconds. */
const bucketsPerCommit = 100

type Cell = OpenCounts & Pick<AvailabilityBucket, 'groupId' | 'model' | 'startedAt'>

interface Minute {
  readonly startedAt: number
  readonly groups: Map<number, Map<string, Cell>>
  keys: number
}

/** Counts in memory and stores once a minute; the timer starts at once. */
export function createAvailability(parts: AvailabilityParts) {
  const { store, clock, log, repeat = repeatByTimer } = parts
  const windows = createWindows(store, clock)
  const inTurn = createMutex()
  const totals = createRunningTotals()
  let minutes: Minute[] = []
  let unstored: readonly AvailabilityBucket[] = []
  let uncounted = 0
  const stopFlushing = repeat(() => void flush(), flushMs)

  function minuteOf(startedAt: number): Minute {
    const last = minutes.at(-1)
    if (last?.startedAt === startedAt) return last
    // After a clock was set back, the minute may be an earlier one.
    const known = minutes.find((minute) => minute.startedAt === startedAt)
    const minute = known ?? { startedAt, groups: new Map(), keys: 0 }
    if (!known) minutes.push(minute)
    return minute
  }

  function cellOf(minute: Minute, groupId: number, model: string): Cell | undefined {
    const models = minute.groups.get(groupId) ?? new Map<string, Cell>()
    const known = models.get(model)
    if (known) return known
    if (minute.keys >= maxKeys) return undefined
    const cell = { ...emptyCounts(), groupId, model, startedAt: minute.startedAt }
    minute.keys++
    minute.groups.set(groupId, models.set(model, cell))
    return cell
  }

  function* notStored(): Generator<AvailabilityBucket> {
    yield* unstored
    for (const { groups } of minutes) for (const models of groups.values()) yield* models.values()
  }

  function takeCounted(): void {
    const all = [...notStored()]
    minutes = []
    unstored = all.slice(-maxUnstored)
    const lost = all.length - unstored.length + uncounted
    uncounted = 0
    if (lost > 0) log.warn('availability counts lost: there are too many', { lost })
  }

  async function storeCounted(): Promise<void> {
    takeCounted()
    let most = bucketsPerCommit
    while (unstored.length > 0) {
      const part = unstored.slice(0, most)
      try {
        await store.add(part)
        windows.stored(part)
      } catch (error) {
        // The store as a whole failed: retry in a minute.
        if (error instanceof StoreError) {
          return log.warn('availability counts not stored yet', { count: unstored.length, error })
        }
        // A bucket that can never be stored must not block the others of its transaction.
        most = 1
        if (part.length > 1) continue
        log.error('availability counts lost: they can not be stored', { error })
      }
      unstored = unstored.slice(part.length)
      await pause()
    }
    await store.prune(clock())
  }

  const flush = (): Promise<void> =>
    inTurn(storeCounted).catch((error: unknown) =>
      log.error('old availability counts not removed', { error }),
    )

  return {
    totals,
    record(outcome: AvailabilityOutcome): void {
      totals.recordRequest(outcome)
      const minute = minuteOf(bucketStart('minute', clock()))
      const cell = cellOf(minute, outcome.groupId, outcome.model)
      if (cell === undefined) uncounted++
      else count(cell, outcome)
    },
    /** Passes the present figures to `work`; nothing is stored until it ends. */
    look: <Result>(
      work: (figures: AvailabilityFigures) => Result | Promise<Result>,
    ): Promise<Result> => inTurn(async () => work(await windows.figures(notStored))),
    flush,
    async stop(): Promise<void> {
      stopFlushing()
      await flush()
    },
  }
}

const pause = () => new Promise<void>((resolve) => setImmediate(resolve))

function count(
  cell: Cell,
  { fault, firstByteMs, outputTokens, generationMs }: AvailabilityOutcome,
): void {
  if (fault !== null) {
    cell.failed[fault] = (cell.failed[fault] ?? 0) + 1
    return
  }
  cell.succeeded++
  if (firstByteMs !== null) {
    const place = firstBytePlace(firstByteMs)
    cell.firstByte[place] = (cell.firstByte[place] ?? 0) + 1
    cell.firstByteMs += Math.round(firstByteMs)
  }
  if (generationMs === null || generationMs < 1) return
  cell.outputTokens += outputTokens
  cell.generationMs += Math.round(generationMs)
}

/** How an ended request counts for its group and model; undefined: not at all. */
export function outcomeOf(
  exchange: Concluded,
  end: End,
  outputTokens: number,
  nowTick: number,
): AvailabilityOutcome | undefined {
  const { plan, operation, facts, answeredTick, startedTick } = exchange
  if (!operation.charged || plan === undefined) return undefined
  const fault = faultOf(exchange, end)
  if (fault === undefined) return undefined
  const isTimed = fault === null && facts?.stream === true && answeredTick !== undefined
  return {
    groupId: plan.group.id,
    model: plan.offer.model,
    fault,
    firstByteMs: isTimed ? answeredTick - startedTick : null,
    outputTokens,
    generationMs: isTimed ? nowTick - answeredTick : null,
  }
}

/** Whose fault the failure was; null: it was served. */
function faultOf(
  { fault, answeredTick }: Concluded,
  { ending, cause }: End,
): AvailabilityOutcome['fault'] | undefined {
  switch (ending) {
    case 'complete':
    case 'incomplete':
      return null
    case 'client_left':
      return answeredTick === undefined ? undefined : null
    case 'refused':
      // A failure the upstream describes in its own words counts like a refusal.
      return fault ?? 'client'
    case 'shutdown':
    case 'interrupted':
      return 'gateway'
    case 'failed':
    case 'cut':
      if (cause === balanceUsedUp) return 'client'
      return cause === 'internal' ? 'gateway' : (fault ?? 'upstream')
  }
}

export const outcomeNames = ['succeeded', ...faults] as const

export interface GroupTotals {
  /** By model: the number of requests by index in `outcomeNames`. */
  readonly models: ReadonlyMap<string, readonly number[]>
  /** Successes by time to first byte, in the buckets of `firstByteBounds`. */
  readonly firstByte: readonly number[]
  readonly firstByteMs: number
  readonly outputTokens: number
}

/** What was counted since the start, for metrics. */
export interface Totals {
  readonly groups: ReadonlyMap<number, GroupTotals>
  /** By channel and cause; an empty cause: success. */
  readonly attempts: ReadonlyMap<string, ReadonlyMap<string, number>>
  readonly limits: ReadonlyMap<string, number>
  readonly refusals: ReadonlyMap<string, number>
}

const otherName = 'other'

const maxModels = 1_000
const maxChannels = 1_000
const maxWords = 100

/** Counters since the start of the process, for metrics, with a bounded number of names. */
export function createRunningTotals() {
  const groups = new Map<number, MutableGroup>()
  const attempts = new Map<string, Map<string, number>>()
  const limits = new Map<string, number>()
  const refusals = new Map<string, number>()
  let modelCount = 0

  function countsOf({ models }: MutableGroup, model: string): number[] {
    const known = models.get(model)
    if (known) return known
    const name = modelCount < maxModels ? model : otherName
    const counts = models.get(name) ?? new Array<number>(outcomeNames.length).fill(0)
    if (!models.has(name)) modelCount++
    models.set(name, counts)
    return counts
  }

  return {
    groups,
    /** By channel and cause; an empty cause: success. */
    attempts,
    limits,
    refusals,
    recordRequest({ groupId, model, fault, firstByteMs, outputTokens }: AvailabilityOutcome): void {
      const group = groups.get(groupId) ?? emptyGroup()
      groups.set(groupId, group)
      addOne(countsOf(group, model), outcomeNames.indexOf(fault ?? 'succeeded'))
      group.outputTokens += outputTokens
      if (fault !== null || firstByteMs === null) return
      group.firstByteMs += firstByteMs
      addOne(group.firstByte, firstBytePlace(firstByteMs))
    },
    recordAttempt(channel: string, cause: string | null): void {
      const name = boundedName(attempts, channel, maxChannels)
      const causes = attempts.get(name) ?? new Map<string, number>()
      attempts.set(name, causes)
      addNamed(causes, cause ?? '')
    },
    recordLimit: (kind: string): void => addNamed(limits, kind),
    recordRefusal: (cause: string): void => addNamed(refusals, cause),
  }
}

interface MutableGroup {
  readonly models: Map<string, number[]>
  readonly firstByte: number[]
  firstByteMs: number
  outputTokens: number
}

const emptyGroup = (): MutableGroup => ({
  models: new Map(),
  firstByte: [],
  firstByteMs: 0,
  outputTokens: 0,
})

function addOne(counts: number[], place: number): void {
  counts[place] = (counts[place] ?? 0) + 1
}

function addNamed(counts: Map<string, number>, word: string): void {
  const name = boundedName(counts, word, maxWords)
  addTo(counts, name, 1)
}

const boundedName = (known: ReadonlyMap<string, unknown>, name: string, most: number): string =>
  known.has(name) || known.size < most ? name : otherName
