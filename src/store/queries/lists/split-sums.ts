import type { AddedSums, PartSums, TimeSums } from '../../ports/usage-split.ts'

export type SplitRow = Omit<PartSums, 'name'>

const names = [
  ...(['requests', 'failed', 'inputTokens', 'outputTokens', 'reasoningTokens'] as const),
  ...(['cacheReadTokens', 'cacheWriteTokens', 'cacheWrite1hTokens', 'amountNano'] as const),
  ...(['begun', 'firstByteMs'] as const),
] as const

/** A sum is unknown if any part is. */
export function addSums<Sums extends AddedSums>(to: Sums, more: AddedSums, sign = 1): Sums {
  const added = names.map((name) => {
    const [one, other] = [to[name], more[name]]
    return [name, one === null || other === null ? null : one + sign * other]
  })
  return { ...to, ...Object.fromEntries(added) }
}

interface Ranked {
  amountNano: number
  requests: number
  readonly times: Map<number, SplitRow>
}

/** Adds up rows that come in any order, by time and part. */
export function createSplitSums() {
  const totals = new Map<number, TimeSums>()
  const parts = new Map<string, Ranked>()

  function addToPart(row: SplitRow): void {
    const { part, time } = row
    const one = parts.get(part) ?? { amountNano: 0, requests: 0, times: new Map() }
    parts.set(part, one)
    one.amountNano += row.amountNano
    one.requests += row.requests
    const known = one.times.get(time)
    one.times.set(time, known === undefined ? row : addSums(known, row))
  }

  return {
    add(rows: readonly SplitRow[]): void {
      for (const row of rows) {
        const { part: _, ...sums } = row
        const total = totals.get(row.time)
        totals.set(row.time, total === undefined ? sums : addSums(total, sums))
        addToPart(row)
      }
    },
    /** The parts that cost most; of the same cost, those that were asked most. */
    top(count: number) {
      const ranked = [...parts].sort(
        ([aName, a], [bName, b]) =>
          b.amountNano - a.amountNano || b.requests - a.requests || (aName < bName ? -1 : 1),
      )
      return {
        totals: [...totals.values()],
        parts: ranked.slice(0, count).flatMap(([, { times }]) => [...times.values()]),
        partCount: parts.size,
      }
    },
  }
}
