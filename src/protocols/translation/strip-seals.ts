import type { EncodeOptions } from '../canonical/codec.ts'
import { searchText } from '../canonical/tools.ts'
import { dummySignature, wrappedPrefix } from '../gemini/signature.ts'
import { needsSignatures } from '../gemini/thinking.ts'
import { arrayIn, isJsonObject } from '../json.ts'
import { foreignSearchId, pagesIn, queryIn } from '../messages/search.ts'
import type { JsonObject } from '../protocol.ts'
import { sealPrefix } from './seal.ts'

/** Deeper than any client nests its parts. */
const deepest = 64

/**
 * Takes out of a body what another vendor's answer left in it, sealed: the vendor that it goes to
 * would refuse it. A part or item that is there for the seal goes whole; a call that carries one
 * (gemini) stays, with what stands in for a signature where the vendor's model wants one. `dropped`:
 * where the seals were.
 */
export function stripSeals(
  body: JsonObject,
  model?: Pick<EncodeOptions, 'model' | 'quirks'>,
): { readonly body: JsonObject; readonly dropped: readonly string[] } {
  const standIn = model && needsSignatures(model) ? dummySignature : undefined
  const walk: Walk = { dropped: [], standIn }
  return { body: stripObject(body, '', walk, 0), dropped: walk.dropped }
}

interface Walk {
  readonly dropped: string[]
  readonly standIn: string | undefined
}

/** The members in which the protocols have signatures. */
const sealed = [
  ...['signature', 'data', 'encrypted_content', 'encrypted_index'],
  ...['thoughtSignature', 'thought_signature'],
]

/** How the value of such a member begins, when it is a seal of this gateway. */
export const sealBeginnings = [sealPrefix, wrappedPrefix, foreignSearchId] as const

const isEmpty = (list: unknown) => Array.isArray(list) && list.length === 0

const isSeal = (key: string, value: unknown) =>
  sealed.includes(key) &&
  typeof value === 'string' &&
  sealBeginnings.some((beginning) => value.startsWith(beginning))

function stripObject(value: JsonObject, path: string, walk: Walk, depth: number): JsonObject {
  const entries = Object.entries(value).flatMap(([key, member]): [string, unknown][] => {
    const at = path === '' ? key : `${path}.${key}`
    if (!isSeal(key, member)) {
      const stripped = stripValue(member, at, walk, depth + 1)
      const isEmptied = key === 'citations' && isEmpty(stripped) && !isEmpty(member)
      return isEmptied ? [] : [[key, stripped]]
    }
    walk.dropped.push(at)
    const isCall = isJsonObject(value.functionCall) || isJsonObject(value.function_call)
    return isCall && walk.standIn !== undefined ? [[key, walk.standIn]] : []
  })
  return withoutCopy(value, Object.fromEntries(entries))
}

/**
 * Beside the sealed details of a chat message stands their text, written here for a person to read:
 * it goes with them. Strict vendors refuse both members.
 */
function withoutCopy(before: JsonObject, after: JsonObject): JsonObject {
  const details = arrayIn(before, 'reasoning_details')
  const left = arrayIn(after, 'reasoning_details')
  if (left.length === details.length) return after
  const { reasoning_content: _text, reasoning_details: _details, ...rest } = after
  return left.length === 0 ? rest : { ...rest, reasoning_details: left }
}

function stripValue(value: unknown, path: string, walk: Walk, depth: number): unknown {
  // A long number of embedJson is an object, too.
  if (depth > deepest || JSON.isRawJSON(value)) return value
  if (isJsonObject(value)) return stripObject(value, path, walk, depth)
  if (!Array.isArray(value)) return value
  return value.flatMap((item, index): readonly unknown[] => {
    const at = `${path}[${index}]`
    if (isJsonObject(item) && isForeignSearch(item)) {
      walk.dropped.push(at)
      return foundText(item, value[index - 1])
    }
    if (!isJsonObject(item) || !isCarrier(item)) return [stripValue(item, at, walk, depth + 1)]
    walk.dropped.push(at)
    return []
  })
}

/** A block, item or detail of reasoning; a gemini part of thought, or one with nothing else in it. */
function isCarrier(item: JsonObject): boolean {
  if (!sealed.some((key) => isSeal(key, item[key]))) return false
  if (typeof item.type === 'string') return carrierTypes.has(item.type)
  return item.thought === true || item.text === ''
}

const carrierTypes = new Set([
  ...['thinking', 'redacted_thinking', 'reasoning', 'reasoning.encrypted'],
  'web_search_result_location',
])

/** A block of a search, or of its result, that another vendor ran. */
const isForeignSearch = ({ id, tool_use_id: useId }: JsonObject) =>
  [id, useId].some((one) => typeof one === 'string' && one.startsWith(foreignSearchId))

/** What was found stays, as text: the vendor takes only results that it can open. */
function foundText(block: JsonObject, before: unknown): readonly JsonObject[] {
  const results = pagesIn(block)
  if (results.length === 0) return []
  const isUse = isJsonObject(before) && before.id === block.tool_use_id
  const query = isUse ? queryIn(before.input) : undefined
  const text = searchText({ queries: query === undefined ? [] : [query], results })
  return [{ type: 'text', text }]
}
