import type { DifferenceKind } from '../../admin/maintenance/schema.ts'

type Value = number | string | null

/** One field of a row: stored and expected value. */
export interface Change {
  readonly field: string
  readonly stored: Value
  readonly expected: Value
}

/** A row that contradicts others, or itself. */
export interface Difference {
  readonly kind: DifferenceKind
  /** `request req_…`, `ledger entry 17`, `account 3 (ann@example.com)`. */
  readonly row: string
  /** Empty where no single field is wrong: a surplus row, a damaged page. */
  readonly changes: readonly Change[]
  /** The basis of the expectation, or the fault, as the end of a sentence. */
  readonly reason: string
}

/** A fault of no single field. */
export const fault = (kind: DifferenceKind, row: string, reason: string): Difference => {
  return { kind, row, changes: [], reason }
}

/** The fields of a row that differ from what they should be. */
export const differing = (
  kind: DifferenceKind,
  row: string,
  reason: string,
  changes: readonly Change[],
): readonly Difference[] => (changes.length === 0 ? [] : [{ kind, row, changes, reason }])

/** `request req_1: amount_nano is 90, should be 88: price 3 × its counts`. */
export function describeDifference({ row, changes, reason }: Difference): string {
  const parts = changes.map(
    ({ field, stored, expected }) => `${field} is ${shown(stored)}, should be ${shown(expected)}`,
  )
  return [row, ...(parts.length > 0 ? [parts.join('; ')] : []), reason].join(': ')
}

export const shown = (value: Value) =>
  typeof value === 'string' ? JSON.stringify(value) : String(value)

export function changesIn(
  expectations: readonly (readonly [field: string, stored: Value, expected: Value])[],
): readonly Change[] {
  return expectations
    .filter(([, stored, expected]) => stored !== expected)
    .map(([field, stored, expected]) => ({ field, stored, expected }))
}

/** Further differences are only counted. */
export const maxListed = 1000

export type Findings = ReturnType<typeof createFindings>

/** Collects differences in bounded memory. */
export function createFindings() {
  const listed: Difference[] = []
  const counts: { [kind in DifferenceKind]?: number } = {}
  let total = 0
  return {
    /** Adds differences; returns those that are still to be listed. */
    add(found: readonly Difference[]): readonly Difference[] {
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
