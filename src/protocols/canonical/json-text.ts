import { isJsonObject, membersOf } from '../json.ts'
import type { JsonObject } from '../protocol.ts'

const deepest = 1000

/** Whether a parsed value is nested too deep to be written safely. */
export function isTooDeep(value: unknown, depth = 0): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (depth >= deepest) return true
  for (const member of membersOf(value)) if (isTooDeep(member, depth + 1)) return true
  return false
}

/** A parsed value as JSON text; undefined for undefined, or when nested too deep. */
export function toJsonText(value: unknown): string | undefined {
  return isTooDeep(value) ? undefined : JSON.stringify(value)
}

// ECMAScript 2026; missing in the compiler's library.
declare global {
  interface JSON {
    rawJSON(text: string): unknown
    isRawJSON(value: unknown): boolean
  }
}

const longNumber = /\d{16}/

const leastDigits = 16

/** Whether a JSON body may hold integers beyond a double. Looks at some of its bytes only. */
function mayHoldLongNumbers(bytes: Uint8Array): boolean {
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

/** Parses a JSON object that will be written again: integers beyond 2^53 keep their digits. */
export function embedJson(text: string): JsonObject | undefined {
  try {
    const value: unknown = longNumber.test(text)
      ? JSON.parse(text, keepDigits as (key: string, value: unknown) => unknown)
      : JSON.parse(text)
    const isObject = isJsonObject(value) && !JSON.isRawJSON(value)
    return isObject && !isTooDeep(value) ? value : undefined
  } catch {
    // Models do write invalid JSON arguments.
    return undefined
  }
}

function keepDigits(_key: string, value: unknown, context: { readonly source?: string }): unknown {
  const { source } = context
  const isCut = typeof value === 'number' && !Number.isSafeInteger(value)
  return isCut && source !== undefined && /^-?\d+$/.test(source) ? JSON.rawJSON(source) : value
}

const quote = 0x22
const backslash = 0x5c
export const openBracket = 0x5b
const closeBracket = 0x5d
export const openBrace = 0x7b
const closeBrace = 0x7d

/** Tracks the brackets of a JSON text that comes in pieces; reads each unit once. */
export class Brackets {
  depth = 0
  isInString = false
  #isEscaped = false
  #hasBegun = false

  /** Whether the value is complete: only spaces may follow. */
  get isWhole(): boolean {
    return this.#hasBegun && this.depth === 0 && !this.isInString
  }

  push(text: string): void {
    for (let at = 0; at < text.length; at++) this.step(text.charCodeAt(at))
  }

  /** 1 for an opening bracket, -1 for a closing one. */
  step(unit: number): -1 | 0 | 1 {
    if (this.isInString) {
      if (this.#isEscaped) this.#isEscaped = false
      else if (unit === backslash) this.#isEscaped = true
      else if (unit === quote) this.isInString = false
    } else if (unit === quote) this.isInString = true
    else if (unit === openBrace || unit === openBracket) {
      this.depth++
      this.#hasBegun = true
      return 1
    } else if (unit === closeBrace || unit === closeBracket) {
      this.depth--
      return -1
    }
    return 0
  }
}

/** A parsed body whose call arguments and results keep integers beyond 2^53. `came` is the original body. */
export function withExactCalls(body: JsonObject, came: Uint8Array | string): JsonObject {
  const isBytes = typeof came !== 'string'
  if (isBytes ? !mayHoldLongNumbers(came) : !longNumber.test(came)) return body
  const exact = embedJson(isBytes ? new TextDecoder().decode(came) : came)
  return exact === undefined || isTooDeep(body) ? body : mergeObject(body, exact)
}

/** All else stays as parsed: settings are plain numbers. */
function mergeObject(plain: JsonObject, exact: JsonObject): JsonObject {
  const entries = Object.entries(plain).map(([key, value]): [string, unknown] => [
    key,
    isOfCall(plain, key) ? exact[key] : merge(value, exact[key]),
  ])
  return Object.fromEntries(entries)
}

function merge(plain: unknown, exact: unknown): unknown {
  if (isJsonObject(plain) && isJsonObject(exact)) return mergeObject(plain, exact)
  if (!Array.isArray(plain) || !Array.isArray(exact)) return plain
  return plain.map((item, index) => merge(item, exact[index]))
}

const isOfCall = ({ type }: JsonObject, key: string) =>
  callMembers.has(key) || (key === 'input' && type === 'tool_use')

/** Members of gemini, and OpenAI's arguments as an object. */
const callMembers = new Set(['args', 'response', 'arguments'])
