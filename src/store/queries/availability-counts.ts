import type { AvailabilityCounts, Fault } from '../ports/availability.ts'

/** The order in which failures are stored. */
const faults = [
  'client',
  'channel',
  'model',
  'upstream',
  'gateway',
] as const satisfies readonly Fault[]
const sumsBefore = faults.length + 4

/**
 * Counts as they are stored, so that adding them is adding their places: successes, failures, the
 * three sums, then the places of `firstByte`. Zeros at the end are left out.
 */
export function encodeCounts(counts: AvailabilityCounts): readonly number[] {
  const { succeeded, failed, firstByte, firstByteMs, outputTokens, generationMs } = counts
  const failures = faults.map((fault) => failed[fault] ?? 0)
  return [succeeded, ...failures, firstByteMs, outputTokens, generationMs, ...firstByte]
}

/** The same, back. */
export function decodeCounts(stored: readonly number[]): AvailabilityCounts {
  const [succeeded = 0, ...rest] = stored
  const [firstByteMs = 0, outputTokens = 0, generationMs = 0] = rest.slice(faults.length)
  return {
    succeeded,
    failed: Object.fromEntries(
      faults.map((fault, place) => [fault, rest[place] ?? 0]).filter(([, count]) => count !== 0),
    ),
    firstByte: stored.slice(sumsBefore),
    firstByteMs,
    outputTokens,
    generationMs,
  }
}

/** Place by place. */
export function addCounts(a: readonly number[], b: readonly number[]): readonly number[] {
  const length = Math.max(a.length, b.length)
  const sum = Array.from({ length }, (_, place) => (a[place] ?? 0) + (b[place] ?? 0))
  return sum.slice(0, sum.findLastIndex((count) => count !== 0) + 1)
}
