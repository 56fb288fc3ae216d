import { embedJson, isTooDeep, longNumber, mayHoldLongNumbers } from '../canonical/json-text.ts'
import { isJsonObject } from '../json.ts'
import type { JsonObject } from '../protocol.ts'

/**
 * A parsed body in which the arguments and results of calls, where they are objects, keep integers
 * beyond 2^53: they will be written as JSON again. `came` is the body as it came.
 */
export function withExactCalls(body: JsonObject, came: Uint8Array | string): JsonObject {
  const isBytes = typeof came !== 'string'
  if (isBytes ? !mayHoldLongNumbers(came) : !longNumber.test(came)) return body
  const exact = embedJson(isBytes ? new TextDecoder().decode(came) : came)
  return exact === undefined || isTooDeep(body) ? body : mergeObject(body, exact)
}

/** Everything else stays as it is read everywhere: settings are numbers. */
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

/** Of gemini, and of those who write OpenAI's arguments as the object that they stand for. */
const callMembers = new Set(['args', 'response', 'arguments'])
