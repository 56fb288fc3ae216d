import { refuseValue } from './canonical/error.ts'
import { isJsonObject, stringIn } from './json.ts'
import type { JsonObject } from './protocol.ts'

/*
 * Members of a request's objects. Absent or null gives undefined (of a list, an empty one); another kind is
 * rejected by its path: `at` is the object's, '' for the body.
 */

export function text(value: JsonObject, key: string, at = ''): string | undefined {
  const member = value[key] ?? undefined
  if (member === undefined || typeof member === 'string') return member
  return refuseValue(pathOf(at, key), 'a string')
}

/** A text that must be there, maybe empty. */
export function someText(value: JsonObject, key: string, at: string): string {
  return text(value, key, at) ?? refuseValue(pathOf(at, key), 'a string')
}

/** A text that must be there and not empty. */
export function name(value: JsonObject, key: string, at: string): string {
  return stringIn(value, key) ?? refuseValue(pathOf(at, key), 'a non-empty string')
}

/** A number of the body. */
export function number(value: JsonObject, key: string): number | undefined {
  const member = value[key] ?? undefined
  if (member === undefined || typeof member === 'number') return member
  return refuseValue(key, 'a number')
}

/** True or false. */
export function flag(value: JsonObject, key: string, at = ''): boolean | undefined {
  const member = value[key] ?? undefined
  if (member === undefined || typeof member === 'boolean') return member
  return refuseValue(pathOf(at, key), 'true or false')
}

export function object(value: JsonObject, key: string, at = ''): JsonObject | undefined {
  const member = value[key] ?? undefined
  if (member === undefined || isJsonObject(member)) return member
  return refuseValue(pathOf(at, key), 'an object')
}

/** An array. */
export function list(value: JsonObject, key: string, at = ''): readonly unknown[] {
  const member = value[key] ?? []
  return Array.isArray(member) ? member : refuseValue(pathOf(at, key), 'an array')
}

/** Decodes the elements of a list, which must be objects. */
export function each<T>(
  items: readonly unknown[],
  at: string,
  decode: (item: JsonObject, at: string, index: number) => T,
): T[] {
  return items.map((item, index) => {
    const itemAt = `${at}[${index}]`
    return isJsonObject(item) ? decode(item, itemAt, index) : refuseValue(itemAt, 'an object')
  })
}

interface Kinds {
  readonly string: string
  readonly number: number
}

/** An object of the body whose members are all of one kind; undefined when empty. */
export function bag<K extends keyof Kinds>(value: JsonObject, key: string, kind: K) {
  const entries = Object.entries(object(value, key) ?? {})
  for (const [name, member] of entries)
    if (typeof member !== kind) refuseValue(`${key}.${name}`, `a ${kind}`)
  return entries.length === 0
    ? undefined
    : (Object.fromEntries(entries) as Record<string, Kinds[K]>)
}

const pathOf = (at: string, key: string) => (at === '' ? key : `${at}.${key}`)
