import { refuseValue } from './canonical/error.ts'
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

/**
 * Members of a request's objects. Absent or null gives undefined (of a list, an empty one); another kind is
 * rejected by its path: `at` is the object's, '' for the body. `demand…` requires the member.
 */

export function readText(value: JsonObject, key: string, at = ''): string | undefined {
  const member = value[key] ?? undefined
  if (member === undefined || typeof member === 'string') return member
  return refuseValue(pathOf(at, key), 'a string')
}

export function demandText(value: JsonObject, key: string, at: string): string {
  return readText(value, key, at) ?? refuseValue(pathOf(at, key), 'a string')
}

export function readName(value: JsonObject, key: string, at: string): string {
  return stringIn(value, key) ?? refuseValue(pathOf(at, key), 'a non-empty string')
}

export function readNumber(value: JsonObject, key: string): number | undefined {
  const member = value[key] ?? undefined
  if (member === undefined || typeof member === 'number') return member
  return refuseValue(key, 'a number')
}

export function readFlag(value: JsonObject, key: string, at = ''): boolean | undefined {
  const member = value[key] ?? undefined
  if (member === undefined || typeof member === 'boolean') return member
  return refuseValue(pathOf(at, key), 'true or false')
}

export function readObject(value: JsonObject, key: string, at = ''): JsonObject | undefined {
  const member = value[key] ?? undefined
  if (member === undefined || isJsonObject(member)) return member
  return refuseValue(pathOf(at, key), 'an object')
}

/** A member that is an array, or an empty one. */
export function readList(value: JsonObject, key: string, at = ''): readonly unknown[] {
  const member = value[key] ?? []
  return Array.isArray(member) ? member : refuseValue(pathOf(at, key), 'an array')
}

/** Decodes the elements of a list, which must be objects. */
export function eachObject<T>(
  list: readonly unknown[],
  at: string,
  read: (item: JsonObject, at: string, index: number) => T,
): T[] {
  return list.map((item, index) => {
    const itemAt = `${at}[${index}]`
    return isJsonObject(item) ? read(item, itemAt, index) : refuseValue(itemAt, 'an object')
  })
}

/** An object without its undefined members. */
export function defined(value: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined))
}

const pathOf = (at: string, key: string) => (at === '' ? key : `${at}.${key}`)

/** Inverts a table of words: `{ stop: 'eos end_turn' }` maps both to `stop`. */
export const meanings = <Meaning extends string>(
  words: {
    readonly [meaning in Meaning]?: string
  },
): ReadonlyMap<unknown, Meaning> =>
  new Map(
    Object.entries<string>(words as Record<string, string>).flatMap(([meaning, list]) =>
      list.split(' ').map((word) => [word, meaning as Meaning] as const),
    ),
  )

/** An object whose members are all of one kind; undefined when empty. */
export function readBag<T>(
  value: JsonObject,
  key: string,
  isValid: (member: unknown) => member is T,
  expected: string,
): Readonly<Record<string, T>> | undefined {
  const entries = Object.entries(readObject(value, key) ?? {}).map(([name, member]): [string, T] =>
    isValid(member) ? [name, member] : refuseValue(`${key}.${name}`, expected),
  )
  return entries.length === 0 ? undefined : Object.fromEntries(entries)
}

export const isString = (value: unknown): value is string => typeof value === 'string'
