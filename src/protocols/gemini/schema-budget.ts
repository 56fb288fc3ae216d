import { membersOf } from '../json.ts'
import type { JsonObject } from '../protocol.ts'

/** Characters of definitions that may be written out more than once, in all schemas of a request. */
const mostCopied = 1_000_000
/** Members that may be looked at again, to merge schemas with others. */
const mostMerged = 50_000

/**
 * What the schemas of one request may take beyond reading each of them once. A few definitions that
 * are referred to often can stand for a schema of any size: its size is counted before it is made.
 */
export interface SchemaBudget {
  /** Counts a value that is written once more, with all that is in it. */
  copy(value: unknown): void
  /** Counts the members of a schema that was made of two. */
  merge(schema: JsonObject): void
  isSpent(): boolean
}

export function createSchemaBudget(): SchemaBudget {
  const sizes = new Map<object, number>()
  let copied = 0
  let merged = 0

  /** About the length of its JSON; each object is measured once. */
  function sizeOf(value: unknown, depth: number): number {
    if (typeof value === 'string') return value.length + 3
    if (typeof value !== 'object' || value === null || depth > deepest) return 6
    let size = sizes.get(value)
    if (size !== undefined) return size
    size = 2
    for (const member of membersOf(value)) size += sizeOf(member, depth + 1)
    if (!Array.isArray(value)) for (const name in value) size += name.length + 4
    sizes.set(value, size)
    return size
  }

  return {
    copy(value) {
      copied += sizeOf(value, 0)
      merged++
    },
    merge(schema) {
      merged += countMembers(schema)
    },
    isSpent: () => copied > mostCopied || merged > mostMerged,
  }
}

/** No body is nested more deeply. */
const deepest = 512

function countMembers(schema: JsonObject): number {
  const values = Object.values(schema)
  return values.reduce<number>((sum, value) => sum + lengthOf(value), values.length)
}

const lengthOf = (value: unknown) =>
  typeof value === 'object' && value !== null ? membersOf(value).length : 1
