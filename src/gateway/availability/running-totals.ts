import { faults, firstBytePlace } from '../../catalog/availability.ts'
import type { AvailabilityOutcome } from './availability.ts'

/** What becomes of a request: `succeeded`, or at whose fault it failed. */
export const outcomeNames = ['succeeded', ...faults] as const

export interface GroupTotals {
  /** By model: how many requests, by the place of their outcome in `outcomeNames`. */
  readonly models: ReadonlyMap<string, readonly number[]>
  /** Successes by the time to their first byte, as in `firstByteBounds`. */
  readonly firstByte: readonly number[]
  readonly firstByteMs: number
  readonly outputTokens: number
}

/** Counts since the start of the process, for metrics. They only grow; so do their names, to a limit. */
export interface RunningTotals {
  recordRequest(outcome: AvailabilityOutcome): void
  recordAttempt(channel: string, cause: string | null): void
  /** A request that was refused for a limit of this kind (`token`, `account`, `group`, `channel`). */
  recordLimit(kind: string): void
  recordRefusal(cause: string): void
  readonly groups: ReadonlyMap<number, GroupTotals>
  /** By channel and cause; an empty cause: it went well. */
  readonly attempts: ReadonlyMap<string, ReadonlyMap<string, number>>
  readonly limits: ReadonlyMap<string, number>
  readonly refusals: ReadonlyMap<string, number>
}

/** Stands for all names beyond the limit. */
export const otherName = 'other'

/** So many (group, model), channels, causes and kinds have a name of their own. */
const maxModels = 1_000
const maxChannels = 1_000
const maxWords = 100

export function createRunningTotals(): RunningTotals {
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
    attempts,
    limits,
    refusals,
    recordRequest({ groupId, model, fault, firstByteMs, outputTokens }) {
      const group = groups.get(groupId) ?? emptyGroup()
      groups.set(groupId, group)
      addOne(countsOf(group, model), outcomeNames.indexOf(fault ?? 'succeeded'))
      group.outputTokens += outputTokens
      if (fault !== null || firstByteMs === null) return
      group.firstByteMs += firstByteMs
      addOne(group.firstByte, firstBytePlace(firstByteMs))
    },
    recordAttempt(channel, cause) {
      const name = boundedName(attempts, channel, maxChannels)
      const causes = attempts.get(name) ?? new Map<string, number>()
      attempts.set(name, causes)
      addNamed(causes, cause ?? '')
    },
    recordLimit: (kind) => addNamed(limits, kind),
    recordRefusal: (cause) => addNamed(refusals, cause),
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
  counts.set(name, (counts.get(name) ?? 0) + 1)
}

const boundedName = (known: ReadonlyMap<string, unknown>, name: string, most: number): string =>
  known.has(name) || known.size < most ? name : otherName
