import { parseJsonObject } from '../../../src/protocols/json.ts'
import type { JsonObject } from '../../../src/protocols/protocol.ts'

/** A request that the vendor itself would refuse, in its words. */
export class Violation extends Error {}

/** Throws the violation unless `ok`. */
export function need(ok: boolean, words: string): asserts ok {
  if (!ok) throw new Violation(words)
}

/** An object with these members and no others; `at` is its path. */
export function readObject(value: unknown, members: string, at: string): JsonObject {
  need(typeof value === 'object' && value !== null && !Array.isArray(value), `${at}: no object`)
  const known = members.split(' ')
  for (const key of Object.keys(value)) need(known.includes(key), `${at}.${key}: unknown field`)
  return value as JsonObject
}

/** An array. */
export function readArray(value: unknown, at: string): readonly unknown[] {
  need(Array.isArray(value), `${at}: no array`)
  return value
}

/** A string with something in it. */
export function readString(value: unknown, at: string): string {
  need(typeof value === 'string' && value !== '', `${at}: no string, or an empty one`)
  return value
}

/** JSON text of an object. */
export function readJson(value: unknown, at: string): JsonObject {
  const parsed = parseJsonObject(readString(value, at))
  need(parsed !== undefined, `${at}: no JSON of an object`)
  return parsed
}
