import { isJsonObject, membersOf } from '../json.ts'
import type { JsonObject } from '../protocol.ts'

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

// Of ECMAScript 2026; the compiler's library does not have it yet.
declare global {
  interface JSON {
    rawJSON(text: string): unknown
    isRawJSON(value: unknown): boolean
  }
}

/** Only so many digits are more than a double can hold. */
export const longNumber = /\d{16}/

const leastDigits = 16

/**
 * Whether there may be integers in a JSON body that a double can't hold; a text in it may look like
 * one. Of a run of digits one is always looked at: a long prompt takes no time.
 */
export function mayHoldLongNumbers(bytes: Uint8Array): boolean {
  for (let at = leastDigits - 1; at < bytes.length; at += leastDigits) {
    if (!isDigit(bytes[at])) continue
    let start = at
    let end = at + 1
    while (isDigit(bytes[start - 1])) start--
    while (isDigit(bytes[end])) end++
    if (end - start >= leastDigits) return true
  }
  return false
}

const isDigit = (byte: number | undefined) => byte !== undefined && byte >= 0x30 && byte <= 0x39

/**
 * The object in a JSON text, to be put inside of a value that will be written as JSON again: integers
 * beyond 2^53 keep their digits. Undefined when the text is no object, or nested too deep to be written.
 */
export function embedJson(text: string): JsonObject | undefined {
  try {
    const value: unknown = longNumber.test(text)
      ? JSON.parse(text, keepDigits as (key: string, value: unknown) => unknown)
      : JSON.parse(text)
    const isObject = isJsonObject(value) && !JSON.isRawJSON(value)
    return isObject && !isTooDeep(value) ? value : undefined
  } catch {
    // Not JSON: models do write such arguments.
    return undefined
  }
}

function keepDigits(_key: string, value: unknown, context: { readonly source?: string }): unknown {
  const { source } = context
  const isCut = typeof value === 'number' && !Number.isSafeInteger(value)
  return isCut && source !== undefined && /^-?\d+$/.test(source) ? JSON.rawJSON(source) : value
}
