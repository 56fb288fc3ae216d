import { isJsonObject } from '../json.ts'
import type { JsonObject } from '../protocol.ts'

// Of ECMAScript 2026; the compiler's library does not have it yet.
declare global {
  interface JSON {
    rawJSON(text: string): unknown
    isRawJSON(value: unknown): boolean
  }
}

/** Only these digits are more than a double can hold. */
const longNumber = /\d{16}/

/**
 * The object in a JSON text, to be put inside of a value that will be written as JSON again: integers
 * beyond 2^53 keep their digits. Undefined when the text is no object.
 */
export function embedJson(text: string): JsonObject | undefined {
  try {
    const value: unknown = longNumber.test(text)
      ? JSON.parse(text, keepDigits as (key: string, value: unknown) => unknown)
      : JSON.parse(text)
    return isJsonObject(value) ? value : undefined
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
