import { countIn } from './json.ts'
import type { JsonObject } from './protocol.ts'

/**
 * A limit that a request can write by several names. Which of them an upstream goes by is its own
 * affair: the largest counts.
 */
export interface Limit {
  /** Undefined: the request sets none. */
  readonly most: number | undefined
  /** The names whose value is smaller, set to null: so the upstream finds the one that counts. */
  readonly others: { readonly [name: string]: null }
}

/** The largest of what a request writes by these names. */
export function largestOf(body: JsonObject | undefined, names: readonly string[]): Limit {
  let most: number | undefined
  for (const name of names) most = Math.max(most ?? 0, countIn(body, name) ?? 0) || most
  const smaller = names.filter((name) => (countIn(body, name) ?? most ?? 0) < (most ?? 0))
  return { most, others: Object.fromEntries(smaller.map((name) => [name, null])) }
}

/** Names of limits that some upstream or other goes by: an output has so many LLM tokens, or more. */
const limitName = /^(max|min)_\w*tokens$|^num_predict$|^max_length$/
const ofInput = /prompt|input|context/

/** At least the own limit of a request, and what else in it might be taken for that. */
export function loosest(body: JsonObject, own: number | undefined): number | null {
  if (own === undefined) return null
  let most = own
  for (const name in body) {
    const count = countIn(body, name) ?? 0
    if (count > most && limitName.test(name) && !ofInput.test(name)) most = count
  }
  return most
}
