import { membersOf } from '../json.ts'

/**
 * Deeper than anyone nests values. The engine writes some ten thousand levels, and takes seconds to
 * find out that it can't write more.
 */
const deepest = 1000

/** Whether a parsed value is nested deeper than it is safe to write it. */
export function isTooDeep(value: unknown, depth = 0): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (depth >= deepest) return true
  for (const member of membersOf(value)) if (isTooDeep(member, depth + 1)) return true
  return false
}

/** A parsed value as JSON text; undefined when it is nested too deep, or undefined itself. */
export function toJsonText(value: unknown): string | undefined {
  return isTooDeep(value) ? undefined : JSON.stringify(value)
}
