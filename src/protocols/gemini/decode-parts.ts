import { refuseValue } from '../canonical/error.ts'
import { toJsonText } from '../canonical/json-text.ts'
import { createOpenCalls } from '../canonical/open-calls.ts'
import type {
  AudioPart,
  DocumentPart,
  ImagePart,
  MediaSource,
  Note,
  Part,
  ReasoningPart,
  ToolCallPart,
  ToolResultPart,
  VideoPart,
} from '../canonical/request.ts'
import { isJsonObject, objectIn, stringIn, wordSet } from '../json.ts'
import type { JsonObject } from '../protocol.ts'
import * as read from '../read.ts'
import { decodeBase64, isDummy, toStandardBase64, unwrapSignature } from './thinking.ts'
import { camelNames, listOf, noteUnknown } from './wire.ts'

export interface PartContext {
  readonly note: Note
  readonly pairing: Pairing
}

const knownFields = wordSet(`
  text thought thoughtSignature inlineData fileData functionCall functionResponse executableCode
  codeExecutionResult toolCall toolResponse
`)

const vendorItems = ['executableCode', 'codeExecutionResult', 'toolCall', 'toolResponse']

/**
 * The canonical parts of one wire part; `place` is unique within the request. A signature becomes a separate
 * reasoning part: before its call, else after its text.
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
  // Some of the vendor's SDKs return an empty part for an empty text.
  if (signature === undefined && Object.keys(wire).length > 0) note('unknown_part', at)
  return signed
}

const saysNothing = (text = '') => /^ *$/.test(text)

/** A part's signature, unless it is a stand-in. */
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
  const name = read.name(call, 'name', `${at}.functionCall`)
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
  const name = read.name(result, 'name', path)
  const callId = pairing.response(stringIn(result, 'id'), name, place)
  const { text, isError } = decodeOutput(objectIn(result, 'response') ?? {}, path)
  const media = listOf(result.parts).flatMap((item, index) => {
    const itemAt = `${path}.parts[${index}]`
    return isJsonObject(item) ? decodeResultMedia(camelNames(item), itemAt, note) : []
  })
  const texts = text === '' ? [] : [{ type: 'text', at: path, text } as const]
  const parts = [...texts, ...media]
  return { type: 'tool-result', at, callId, name, kind: 'function', parts, isError }
}

function decodeResultMedia(part: JsonObject, at: string, note: Note) {
  const media = isMediaPart(part) ? decodeMedia(part, at, note) : 'unknown'
  if (media === undefined) return []
  if (media !== 'unknown' && (media.type === 'image' || media.type === 'document')) return [media]
  note('unknown_part', at)
  return []
}

/** The text of a response: `output`, `error` or `result` alone, else all of it as JSON. */
function decodeOutput(response: JsonObject, path: string) {
  const [entry, ...others] = Object.entries(response)
  if (entry === undefined) return { text: '' }
  const [name, value] = entry
  const isAlone = others.length === 0
  const isError = (isAlone && name === 'error' && value !== null) || undefined
  if (isAlone && outputNames.has(name) && typeof value === 'string') return { text: value, isError }
  const text = toJsonText(response)
  if (text === undefined) refuseValue(`${path}.response`, 'an object of less depth')
  return { text, isError }
}

const outputNames = new Set(['output', 'error', 'result'])

type Pairing = ReturnType<typeof createPairing>

interface WaitingCall {
  readonly callId: string
  readonly name: string
  readonly hasOwnId: boolean
}

/** Pairs responses with calls. A response without an id answers the first open call of its name. */
export function createPairing() {
  let open = createOpenCalls<WaitingCall>()
  let ids = new Set<string>()
  let inModel = false

  return {
    /** Begins a content of the model: open calls of earlier contents no longer wait. */
    beginModel(): void {
      if (inModel) return
      inModel = true
      open = createOpenCalls()
      ids = new Set()
    },
    beginUser(): void {
      inModel = false
    },
    /** The id of a call; `place` makes an id that the conversation's next request repeats. */
    call(id: string | undefined, name: string, place: string): string {
      const callId = id ?? `call_${place}`
      ids.add(callId)
      open.add({ callId, name, hasOwnId: id !== undefined })
      return callId
    },
    /** The id of the call that a response answers; its own when there is none. */
    response(id: string | undefined, name: string, place: string): string {
      if (id !== undefined && ids.has(id)) {
        open.take(id)
        return id
      }
      const call = open.takeNext(name, ({ hasOwnId }) => id === undefined || !hasOwnId)
      return call?.callId ?? id ?? `call_${place}`
    },
  }
}

type MediaPart = ImagePart | DocumentPart | AudioPart | VideoPart

/** The image, document, audio or video of a part. Files that only the vendor can read are noted and dropped. */
export function decodeMedia(part: JsonObject, at: string, note: Note): MediaPart | undefined {
  const inline = objectIn(part, 'inlineData')
  if (inline) return decodeInline(camelNames(inline), at)
  const file = objectIn(part, 'fileData')
  if (file) return decodeFile(camelNames(file), at, note)
  return undefined
}

function decodeInline(blob: JsonObject, at: string): MediaPart {
  const { data } = blob
  if (typeof data !== 'string') refuseValue(`${at}.inlineData.data`, 'a string in base64')
  const mediaType =
    stringIn(blob, 'mimeType') ?? refuseValue(`${at}.inlineData.mimeType`, 'a media type')
  const text = textTypes.test(mediaType) ? decodeText(data) : undefined
  const title = stringIn(blob, 'displayName')
  if (text !== undefined) return { type: 'document', at, title, source: { type: 'text', text } }
  return mediaOf({ type: 'data', mediaType, data: toStandardBase64(data) }, mediaType, at, title)
}

/** Media types that are text under another name. Source: the vendor's guide "Documents". */
const textTypes = /^text\/|^application\/(json|xml|yaml|x-yaml|javascript|x-javascript|x-python)\b/i

function decodeText(data: string): string | undefined {
  const bytes = decodeBase64(data)
  if (bytes === undefined) return undefined
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}

function decodeFile(file: JsonObject, at: string, note: Note): MediaPart | undefined {
  const uri = stringIn(file, 'fileUri') ?? refuseValue(`${at}.fileData.fileUri`, 'an address')
  const mediaType = stringIn(file, 'mimeType') ?? typeByEnding(uri)
  const isUploaded = isVendorFile(uri)
  if (isUploaded || mediaType === undefined || !/^https?:/i.test(uri)) {
    note(isUploaded ? 'uploaded_file' : 'unknown_part', at)
    return undefined
  }
  const title = stringIn(file, 'displayName')
  return mediaOf({ type: 'url', url: uri, mediaType }, mediaType, at, title)
}

function isVendorFile(uri: string): boolean {
  return /^gs:/i.test(uri) || /^https?:\/\/generativelanguage\.googleapis\.com[/:]/i.test(uri)
}

function typeByEnding(uri: string): string | undefined {
  const ending = /\.([a-z0-9]{2,4})(?:[?#]|$)/i.exec(uri)?.[1]?.toLowerCase()
  return ending === undefined ? undefined : typesByEnding.get(ending)
}

const typesByEnding = new Map([
  ['jpg', 'image/jpeg'],
  ['jpeg', 'image/jpeg'],
  ['png', 'image/png'],
  ['webp', 'image/webp'],
  ['gif', 'image/gif'],
  ['pdf', 'application/pdf'],
  ['mp3', 'audio/mpeg'],
  ['wav', 'audio/wav'],
  ['mp4', 'video/mp4'],
])

function mediaOf(
  source: MediaSource,
  mediaType: string,
  at: string,
  title: string | undefined,
): MediaPart {
  const type = mediaType.slice(0, mediaType.indexOf('/')).toLowerCase()
  return type === 'image' || type === 'audio' || type === 'video'
    ? { type, at, source }
    : { type: 'document', at, title, source }
}

/** A media part. Bytes are inlined; an address that was not fetched is passed on. */
export function encodeMedia({ source }: MediaPart): JsonObject {
  switch (source.type) {
    case 'data':
      return { inlineData: { mimeType: source.mediaType, data: source.data } }
    case 'text': {
      const data = new TextEncoder().encode(source.text).toBase64()
      return { inlineData: { mimeType: 'text/plain', data } }
    }
    case 'url': {
      const { url: fileUri, mediaType: mimeType } = source
      return { fileData: mimeType ? { fileUri, mimeType } : { fileUri } }
    }
  }
}

const isMediaPart = ({ inlineData, fileData }: JsonObject): boolean =>
  isJsonObject(inlineData) || isJsonObject(fileData)
