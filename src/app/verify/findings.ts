import type { DifferenceKind } from '../../admin/maintenance/schema.ts'
import type { Difference } from './difference.ts'

/** So many differences are told one by one; of the others only their number is. */
export const maxListed = 1000

/** Differences as they are found, in bounded memory. */
export interface Findings {
  /** Takes more; gives those that are still to be listed. */
  add(found: readonly Difference[]): readonly Difference[]
  readonly total: number
  readonly listed: readonly Difference[]
  readonly counts: { readonly [kind in DifferenceKind]?: number }
}

/** No findings yet. */
export function createFindings(): Findings {
  const listed: Difference[] = []
  const counts: { [kind in DifferenceKind]?: number } = {}
  let total = 0
  return {
    add(found) {
      const room = found.slice(0, maxListed - listed.length)
      listed.push(...room)
      total += found.length
      for (const { kind } of found) counts[kind] = (counts[kind] ?? 0) + 1
      return room
    },
    get total() {
      return total
    },
    listed,
    counts,
  }
}
