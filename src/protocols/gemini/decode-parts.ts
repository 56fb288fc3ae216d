import { refuseValue } from '../canonical/error.ts'
import { toJsonText } from '../canonical/json-text.ts'
import type { Part, ReasoningPart, ToolCallPart, ToolResultPart } from '../canonical/request.ts'
import { isJsonObject, objectIn, stringIn } from '../json.ts'
import type { JsonObject } from '../protocol.ts'
import { decodeMedia, isMediaPart } from './media.ts'
import { isDummy, unwrapSignature } from './signature.ts'
import { camelNames, listOf, type Note, noteUnknown } from './wire.ts'

/** What the parts of one request have in common. */
export interface PartContext {
  readonly note: Note
  readonly pairing: Pairing
}

const knownFields = new Set([
  ...['text', 'thought', 'thoughtSignature', 'inlineData', 'fileData', 'functionCall'],
  ...['functionResponse', 'executableCode', 'codeExecutionResult', 'toolCall', 'toolResponse'],
])

/** Of the vendor's own tools: their calls and what came of them. */
const vendorItems = ['executableCode', 'codeExecutionResult', 'toolCall', 'toolResponse']

/**
 * The canonical parts of one wire part, at the path `at`; `place` is unique to it within the
 * request. Empty text is left out. A signature is a part of reasoning of its own: before its call,
 * else after its text.
 */
export function decodePart(
  wire: JsonObject,
  at: string,
  place: string,
  { note, pairing }: PartContext,
): readonly Part[] {
  const part = camelNames(wire)
  noteUnknown(wire, knownFields, at, note)
  const signature = signatureOf(part)
  const call = objectIn(part, 'functionCall')
  if (call) return decodeCall(camelNames(call), signature, at, place, pairing)
  const response = objectIn(part, 'functionResponse')
  if (response) return [decodeResult(camelNames(response), at, place, { note, pairing })]
  if (vendorItems.some((name) => isJsonObject(part[name]))) {
    note('hosted_item', at)
    return []
  }
  const text = typeof part.text === 'string' ? part.text : undefined
  if (part.thought === true) {
    return saysNothing(text) && signature === undefined
      ? []
      : [{ type: 'reasoning', at, text: text ?? '', signature }]
  }
  const signed: readonly ReasoningPart[] =
    signature === undefined ? [] : [{ type: 'reasoning', at, text: '', signature }]
  if (isMediaPart(part)) {
    const media = decodeMedia(part, at, note)
    return media === undefined ? signed : [media, ...signed]
  }
  if (text !== undefined) return text === '' ? signed : [{ type: 'text', at, text }, ...signed]
  // Some of the vendor's SDKs send an empty part back where they have read an empty text.
  if (signature === undefined && Object.keys(wire).length > 0) note('unknown_part', at)
  return signed
}

/** No text, or what a client has kept of heartbeats. */
const saysNothing = (text = '') => /^ *$/.test(text)

/** The signature of a part, unless it only stands for one. */
function signatureOf(part: JsonObject): string | undefined {
  const signature = stringIn(part, 'thoughtSignature')
  return signature === undefined || isDummy(signature) ? undefined : unwrapSignature(signature)
}

function decodeCall(
  call: JsonObject,
  signature: string | undefined,
  at: string,
  place: string,
  pairing: Pairing,
): readonly Part[] {
  const name =
    stringIn(call, 'name') ?? refuseValue(`${at}.functionCall.name`, 'a non-empty string')
  const callId = pairing.call(stringIn(call, 'id'), name, place)
  const input = isJsonObject(call.args) ? toJsonText(call.args) : '{}'
  if (input === undefined) refuseValue(`${at}.functionCall.args`, 'an object of less depth')
  const part: ToolCallPart = { type: 'tool-call', at, callId, name, kind: 'function', input }
  if (signature === undefined) return [part]
  return [{ type: 'reasoning', at, text: '', signature, callId }, part]
}

const resultFields = new Set(['id', 'name', 'response', 'parts'])

function decodeResult(
  result: JsonObject,
  at: string,
  place: string,
  { note, pairing }: PartContext,
): ToolResultPart {
  const path = `${at}.functionResponse`
  noteUnknown(result, resultFields, path, note)
  const name = stringIn(result, 'name') ?? refuseValue(`${path}.name`, 'a non-empty string')
  const callId = pairing.response(stringIn(result, 'id'), name, place)
  const { text, isError } = decodeOutput(objectIn(result, 'response') ?? {}, path)
  const media = listOf(result.parts).flatMap((item, index) => {
    const itemAt = `${path}.parts[${index}]`
    return isJsonObject(item) ? decodeResultMedia(camelNames(item), itemAt, note) : []
  })
  const texts = text === '' ? [] : [{ type: 'text', at: path, text } as const]
  return {
    ...{ type: 'tool-result', at, callId, name, kind: 'function', parts: [...texts, ...media] },
    isError: isError ? true : undefined,
  }
}

function decodeResultMedia(part: JsonObject, at: string, note: Note) {
  const media = isMediaPart(part) ? decodeMedia(part, at, note) : 'unknown'
  if (media === undefined) return []
  if (media !== 'unknown' && (media.type === 'image' || media.type === 'document')) return [media]
  note('unknown_part', at)
  return []
}

/**
 * The text of a response. `output` and `error` are the vendor's names for what came of a call, and
 * `result` is what many clients write; anything else becomes JSON text.
 */
function decodeOutput(response: JsonObject, path: string): { text: string; isError: boolean } {
  const [entry, ...others] = Object.entries(response)
  if (entry === undefined) return { text: '', isError: false }
  const [name, value] = entry
  const isAlone = others.length === 0
  const isError = isAlone && name === 'error' && value !== null
  if (isAlone && outputNames.has(name) && typeof value === 'string') return { text: value, isError }
  const text = toJsonText(response)
  if (text === undefined) refuseValue(`${path}.response`, 'an object of less depth')
  return { text, isError }
}

const outputNames = new Set(['output', 'error', 'result'])

type Pairing = ReturnType<typeof createPairing>

interface WaitingCall {
  readonly callId: string
  readonly hasOwnId: boolean
  isAnswered: boolean
}

interface Queue {
  readonly calls: WaitingCall[]
  next: number
}

/**
 * Which response answers which call. Ids are optional in this protocol, and some clients drop them
 * from the one and not from the other: without them a response belongs to the first call of its
 * name that has none yet.
 */
export function createPairing() {
  let byId = new Map<string, WaitingCall>()
  let byName = new Map<string, Queue>()
  let inModel = false

  /** The first call of a name that waits. */
  function takeByName(name: string, mayHaveId: boolean): WaitingCall | undefined {
    const queue = byName.get(name)
    if (queue === undefined) return undefined
    while (queue.calls[queue.next]?.isAnswered === true) queue.next++
    const call = queue.calls[queue.next]
    if (call === undefined || (call.hasOwnId && !mayHaveId)) return undefined
    call.isAnswered = true
    return call
  }

  return {
    /** A content of the model begins: calls of its earlier contents wait no longer. */
    beginModel(): void {
      if (inModel) return
      inModel = true
      byId = new Map()
      byName = new Map()
    },
    beginUser(): void {
      inModel = false
    },
    /** The id of a call; `place` makes one that the next request of the conversation finds again. */
    call(id: string | undefined, name: string, place: string): string {
      const call = { callId: id ?? `call_${place}`, hasOwnId: id !== undefined, isAnswered: false }
      byId.set(call.callId, call)
      byName.getOrInsertComputed(name, () => ({ calls: [], next: 0 })).calls.push(call)
      return call.callId
    },
    /** The id of the call that a response answers; of its own when there is none. */
    response(id: string | undefined, name: string, place: string): string {
      const known = id === undefined ? undefined : byId.get(id)
      if (known) {
        known.isAnswered = true
        return known.callId
      }
      return takeByName(name, id === undefined)?.callId ?? id ?? `call_${place}`
    },
  }
}
