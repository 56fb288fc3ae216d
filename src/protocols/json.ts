import type { JsonObject } from './protocol.ts'

/** Whether a parsed JSON value is an object (no array, no null). */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The members of a parsed array or object. `Object.values` of a long array takes far longer than parsing it. */
export function membersOf(value: object): readonly unknown[] {
  return Array.isArray(value) ? value : Object.values(value)
}

/** The object in a JSON text; undefined otherwise: streams carry pings, `[DONE]` and truncated frames. */
export function parseJsonObject(text: string): JsonObject | undefined {
  if (text.charCodeAt(0) !== 0x7b && text.trimStart().charCodeAt(0) !== 0x7b) return undefined
  try {
    const value: unknown = JSON.parse(text)
    return isJsonObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

export function objectIn(value: JsonObject | undefined, key: string): JsonObject | undefined {
  const member = value?.[key]
  return isJsonObject(member) ? member : undefined
}

export function arrayIn(value: JsonObject | undefined, key: string): readonly unknown[] {
  const member = value?.[key]
  return Array.isArray(member) ? member : nothing
}

const nothing: readonly never[] = []

export function countIn(value: JsonObject | undefined, key: string): number | undefined {
  const member = value?.[key]
  return Number.isSafeInteger(member) && Number(member) >= 0 ? Number(member) : undefined
}

export function stringIn(value: JsonObject | undefined, key: string): string | undefined {
  const member = value?.[key]
  return typeof member === 'string' && member !== '' ? member : undefined
}

/** An object without its undefined members. */
export function defined(value: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined))
}

/** The words of a text. */
export const words = (text: string): readonly string[] => text.trim().split(/\s+/)

/** The same as a set. */
export const wordSet = <Word = string>(text: string): ReadonlySet<Word | string> =>
  new Set(words(text))

/** Inverts a table of words: `{ stop: 'eos end_turn' }` maps both to `stop`. */
export const meanings = <Meaning extends string>(
  table: { readonly [meaning in Meaning]?: string },
): ReadonlyMap<unknown, Meaning> =>
  new Map(
    Object.entries<string>(table as Record<string, string>).flatMap(([meaning, list]) =>
      words(list).map((word) => [word, meaning as Meaning] as const),
    ),
  )
