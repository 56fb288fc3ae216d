import { refuseValue } from './canonical/error.ts'
import { isJsonObject, stringIn } from './json.ts'
import type { JsonObject } from './protocol.ts'

/*
 * Members of a request's objects. What is absent or null gives undefined; what is of another kind
 * is refused, by its path: `at` is that of the object, '' for the body itself.
 */

/** A member that is a string. */
export function readText(value: JsonObject, key: string, at = ''): string | undefined {
  const member = value[key] ?? undefined
  if (member === undefined || typeof member === 'string') return member
  return refuseValue(pathOf(at, key), 'a string')
}

/** A member that is a string, and must be there. */
export function demandText(value: JsonObject, key: string, at: string): string {
  return readText(value, key, at) ?? refuseValue(pathOf(at, key), 'a string')
}

/** A member that is a string with something in it, and must be there. */
export function readName(value: JsonObject, key: string, at: string): string {
  return stringIn(value, key) ?? refuseValue(pathOf(at, key), 'a non-empty string')
}

/** A member that is a number. */
export function readNumber(value: JsonObject, key: string): number | undefined {
  const member = value[key] ?? undefined
  if (member === undefined || typeof member === 'number') return member
  return refuseValue(key, 'a number')
}

/** A member that is true or false. */
export function readFlag(value: JsonObject, key: string, at = ''): boolean | undefined {
  const member = value[key] ?? undefined
  if (member === undefined || typeof member === 'boolean') return member
  return refuseValue(pathOf(at, key), 'true or false')
}

/** A member that is an object. */
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

/** The elements of a list, which must be objects. */
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

/** An object without its undefined members, as it goes on the wire. */
export function defined(value: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined))
}

const pathOf = (at: string, key: string) => (at === '' ? key : `${at}.${key}`)
