import { isJsonObject } from './json.ts'
import type { JsonObject } from './protocol.ts'

/**
 * What a request makes its vendor do that the stream of the answer does not show. `some`: there may be
 * some (reasoning that is asked for, tools that the vendor runs, images, sound, a field that is not
 * known here). `none`: not even reasoning, which it switches off. `by_model`: nothing but the
 * reasoning that the model does by itself.
 */
export type HiddenWork = 'some' | 'none' | 'by_model'

/** Whether an object has no members but these; those that are null count as left out. */
export function hasOnly(value: JsonObject, names: ReadonlySet<string>): boolean {
  for (const name in value) {
    if (!names.has(name) && value[name] !== null && value[name] !== undefined) return false
  }
  return true
}

/** Whether a field is left out, or null, or one of the plain values. */
export const isPlain = (value: unknown, ...plain: readonly unknown[]): boolean =>
  value === undefined || value === null || plain.includes(value)

/** Whether all of a list are objects of these types; what has no type is `undefined`. */
export const allOfTypes = (list: unknown, types: readonly unknown[]): boolean =>
  isPlain(list) ||
  (Array.isArray(list) && list.every((one) => isJsonObject(one) && types.includes(one.type)))
