import type { JsonObject } from './protocol.ts'

/** Whether a parsed JSON value is an object (no array, no null). */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * What is in a parsed array or object. Of a long array the engine makes such a list by
 * `Object.values` (and `keys` and `entries`) in many times what parsing it takes: use this instead.
 */
export function membersOf(value: object): readonly unknown[] {
  return Array.isArray(value) ? value : Object.values(value)
}

/** The object in a JSON text, or undefined: streams carry pings, `[DONE]` and torn last frames. */
export function parseJsonObject(text: string): JsonObject | undefined {
  if (text.charCodeAt(0) !== 0x7b && text.trimStart().charCodeAt(0) !== 0x7b) return undefined
  try {
    const value: unknown = JSON.parse(text)
    return isJsonObject(value) ? value : undefined
  } catch {
    // Not JSON: what an observer does not understand it skips.
    return undefined
  }
}

/** A member that is an object, else undefined. */
export function objectIn(value: JsonObject | undefined, key: string): JsonObject | undefined {
  const member = value?.[key]
  return isJsonObject(member) ? member : undefined
}

/** A member that is an array, else an empty one. */
export function arrayIn(value: JsonObject | undefined, key: string): readonly unknown[] {
  const member = value?.[key]
  return Array.isArray(member) ? member : []
}

/** A member that is a whole number of at least 0, else undefined. */
export function countIn(value: JsonObject | undefined, key: string): number | undefined {
  const member = value?.[key]
  return Number.isSafeInteger(member) && Number(member) >= 0 ? Number(member) : undefined
}

/** A member that is a non-empty string, else undefined. */
export function stringIn(value: JsonObject | undefined, key: string): string | undefined {
  const member = value?.[key]
  return typeof member === 'string' && member !== '' ? member : undefined
}
