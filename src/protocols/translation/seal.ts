import type { AnswerEvent, CanonicalResponse } from '../canonical/answer.ts'
import type { EncodeOptions } from '../canonical/codec.ts'
import type {
  CanonicalRequest,
  NativeUse,
  Part,
  ReasoningPart,
  Turn,
} from '../canonical/request.ts'
import { searchText } from '../canonical/tools.ts'
import { changeParts } from '../canonical/turns.ts'
import { dummySignature, needsSignatures, wrappedPrefix } from '../gemini/thinking.ts'
import { arrayIn, isJsonObject, parseJsonObject, stringIn, wordSet, words } from '../json.ts'
import { foreignSearchId, pagesIn, queryIn } from '../messages/search.ts'
import type { JsonObject } from '../protocol.ts'

/**
 * Reasoning returns to its vendor through clients of other protocols: encrypted with its origin, it takes the
 * place of their signature. The gateway stores nothing.
 */

/** Encrypts and signs a text; equal texts give equal seals. */
export interface Sealer {
  seal(text: string): string
  /** Undefined for a text of another origin, or a changed one. */
  open(sealed: string): string | undefined
}

export const sealPrefix = 'tgs1.'
/** Separates the seals of reasoning in one carrier (gemini's calls). */
const separator = '~'

const mostSeals = 256

interface SealedReasoning {
  readonly origin: string
  readonly part: ReasoningPart
}

function sealPart(
  part: Omit<ReasoningPart, 'type'>,
  origin: string,
  sealer: Sealer,
): string | undefined {
  const { text, signature, isRedacted, id, callId } = part
  if (text === '' && signature === undefined) return undefined
  const plain = JSON.stringify({ origin, text, signature, isRedacted, id, callId })
  return sealPrefix + sealer.seal(plain)
}

function openSeal(seal: string, sealer: Sealer): SealedReasoning | undefined {
  if (!seal.startsWith(sealPrefix)) return undefined
  const plain = parseJsonObject(sealer.open(seal.slice(sealPrefix.length)) ?? '')
  const origin = stringIn(plain, 'origin')
  if (plain === undefined || origin === undefined) return undefined
  const part: ReasoningPart = {
    type: 'reasoning',
    text: stringIn(plain, 'text') ?? '',
    signature: stringIn(plain, 'signature'),
    isRedacted: plain.isRedacted === true ? true : undefined,
    id: stringIn(plain, 'id'),
    callId: stringIn(plain, 'callId'),
  }
  return { origin, part }
}

/** Seals the reasoning of a whole answer from `origin`. */
export function sealResponse(
  response: CanonicalResponse,
  origin: string,
  sealer: Sealer,
): CanonicalResponse {
  const choices = response.choices.map((choice) => ({
    ...choice,
    parts: choice.parts.map((part) =>
      part.type === 'reasoning'
        ? { ...part, signature: sealPart(part, origin, sealer), id: undefined, callId: undefined }
        : part,
    ),
  }))
  return { ...response, choices }
}

/** Seals the reasoning of a stream from `origin`, event by event. */
export function createEventSealer(
  origin: string,
  sealer: Sealer,
): (event: AnswerEvent) => AnswerEvent {
  const texts = new Map<string, string>()
  return (event) => {
    if (event.type === 'reasoning-delta') {
      texts.set(event.id, (texts.get(event.id) ?? '') + event.text)
    }
    if (event.type !== 'reasoning-end') return event
    const { id, signature, isRedacted, itemId, callId } = event
    const text = texts.get(id) ?? ''
    texts.delete(id)
    const part = { text, signature, isRedacted, id: itemId, callId }
    return { type: 'reasoning-end', id, isRedacted, signature: sealPart(part, origin, sealer) }
  }
}

/** Opens the seals of a request to `origin`. Reasoning from elsewhere loses its signature. */
export function openRequest(
  request: CanonicalRequest,
  origin: string,
  sealer: Sealer,
): CanonicalRequest {
  const native: NativeUse[] = [...request.native]
  const hasReasoning = request.turns.some(({ parts }) => parts.some(isReasoning))
  if (!hasReasoning) return request
  const turns = changeParts(request.turns, (turn) => openTurn(turn, origin, sealer, native))
  return { ...request, turns, native }
}

const isReasoning = (part: Part) => part.type === 'reasoning'

function openTurn(
  turn: Turn,
  origin: string,
  sealer: Sealer,
  native: NativeUse[],
): readonly Part[] {
  let hasSeal = false
  const opened = turn.parts.map((part): readonly Part[] => {
    if (part.type !== 'reasoning' || part.signature === undefined) return [part]
    const isSealed = part.signature.startsWith(sealPrefix)
    const pieces = isSealed ? part.signature.split(separator, mostSeals) : []
    const seals = pieces.flatMap((piece) => openSeal(piece, sealer) ?? [])
    if (seals.length === 0) return restored(undefined, part, origin, native)
    hasSeal = true
    // A changed one beside whole ones is dropped.
    if (seals.length < pieces.length) noteForeign(part, native)
    return seals.flatMap((seal) => restored(seal, part, origin, native))
  })
  // Unsealed text beside the same sealed reasoning is the client's display copy.
  return opened.flatMap((list, index) => {
    const was = turn.parts[index]
    const isCopy = hasSeal && was?.type === 'reasoning' && was.signature === undefined
    return isCopy ? [] : list
  })
}

function restored(
  seal: SealedReasoning | undefined,
  part: ReasoningPart,
  origin: string,
  native: NativeUse[],
): readonly ReasoningPart[] {
  const { at, text } = part
  if (seal?.origin === origin) {
    const isOwn = seal.part.signature === undefined ? true : undefined
    return [{ ...seal.part, isOwn, at }]
  }
  const left = seal?.part.text ?? text
  if (left !== '') return [{ type: 'reasoning', text: left, at }]
  noteForeign(part, native)
  return []
}

function noteForeign({ at = 'messages' }: ReasoningPart, native: NativeUse[]): void {
  native.push({ feature: 'foreign_signature', at })
}

const deepest = 64

/**
 * Removes another vendor's sealed reasoning from a body, which the vendor would reject. A call with a seal
 * (gemini) stays, with a stand-in where the model requires one. `dropped`: the paths of seals.
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

const sealed = words(
  'signature data encrypted_content encrypted_index thoughtSignature thought_signature',
)

/** How a member's value begins when it is one of this gateway's seals. */
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

/** The text beside a chat message's sealed details is a display copy: it is removed with them. */
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

/** A block, item or detail of reasoning; a gemini part of thought, or one with only a signature. */
function isCarrier(item: JsonObject): boolean {
  if (!sealed.some((key) => isSeal(key, item[key]))) return false
  if (typeof item.type === 'string') return carrierTypes.has(item.type)
  return item.thought === true || item.text === ''
}

const carrierTypes = wordSet(
  'thinking redacted_thinking reasoning reasoning.encrypted web_search_result_location',
)

/** A block of another vendor's search, or its result. */
const isForeignSearch = ({ id, tool_use_id: useId }: JsonObject) =>
  [id, useId].some((one) => typeof one === 'string' && one.startsWith(foreignSearchId))

/** The results stay as text: the vendor accepts only results that it can decrypt. */
function foundText(block: JsonObject, before: unknown): readonly JsonObject[] {
  const results = pagesIn(block)
  if (results.length === 0) return []
  const isUse = isJsonObject(before) && before.id === block.tool_use_id
  const query = isUse ? queryIn(before.input) : undefined
  const text = searchText({ queries: query === undefined ? [] : [query], results })
  return [{ type: 'text', text }]
}
