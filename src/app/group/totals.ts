import type { GroupTotals, Totals } from '../../gateway/availability/availability.ts'
import { addTo } from '../../lib/add-to.ts'

/** The sum of what several processes have counted. */
export function sumOf(all: readonly Totals[]): Totals {
  const [first] = all
  if (first !== undefined && all.length === 1) return first
  const groups = new Map<number, GroupTotals>()
  const attempts = new Map<string, Map<string, number>>()
  const limits = new Map<string, number>()
  const refusals = new Map<string, number>()
  for (const one of all) {
    for (const [id, group] of one.groups) groups.set(id, groupSum(groups.get(id), group))
    for (const [channel, causes] of one.attempts)
      addAll(
        attempts.getOrInsertComputed(channel, () => new Map()),
        causes,
      )
    addAll(limits, one.limits)
    addAll(refusals, one.refusals)
  }
  return { groups, attempts, limits, refusals }
}

/** What a process has counted since then. */
export const since = (before: Totals, now: Totals): Totals => sumOf([now, negative(before)])

const negative = ({ groups, attempts, limits, refusals }: Totals): Totals => ({
  groups: mapValues(groups, (group) => ({
    models: mapValues(group.models, (counts) => counts.map(negate)),
    firstByte: group.firstByte.map(negate),
    firstByteMs: -group.firstByteMs,
    outputTokens: -group.outputTokens,
  })),
  attempts: mapValues(attempts, (causes) => mapValues(causes, negate)),
  limits: mapValues(limits, negate),
  refusals: mapValues(refusals, negate),
})

const negate = (count: number) => -count

const mapValues = <Key, Value, Result>(
  map: ReadonlyMap<Key, Value>,
  of: (value: Value) => Result,
): Map<Key, Result> => new Map([...map].map(([key, value]) => [key, of(value)]))

function addAll(sum: Map<string, number>, counts: ReadonlyMap<string, number>): void {
  for (const [name, count] of counts) addTo(sum, name, count)
}

function groupSum(known: GroupTotals | undefined, more: GroupTotals): GroupTotals {
  if (known === undefined) return more
  const models = new Map(known.models)
  for (const [model, counts] of more.models)
    models.set(model, countsSum(models.get(model) ?? [], counts))
  return {
    models,
    firstByte: countsSum(known.firstByte, more.firstByte),
    firstByteMs: known.firstByteMs + more.firstByteMs,
    outputTokens: known.outputTokens + more.outputTokens,
  }
}

/** Sparse lists by place, as the counters are. */
function countsSum(one: readonly number[], other: readonly number[]): number[] {
  const length = Math.max(one.length, other.length)
  return Array.from({ length }, (_, place) => (one[place] ?? 0) + (other[place] ?? 0))
}
