import { refuseValue } from '../canonical/error.ts'
import type {
  CacheHint,
  Citation,
  DocumentPart,
  ImagePart,
  MediaSource,
  Note,
  Part,
  TextPart,
  TokenLogprob,
} from '../canonical/request.ts'
import {
  audioMediaType,
  details,
  encodeAudio,
  titledText,
  urlOf,
  urlSource,
} from '../chat/content.ts'
import { countIn, isJsonObject, objectIn, stringIn } from '../json.ts'
import type { JsonObject } from '../protocol.ts'

/** Decodes the content of a message or a result. Parts that only this vendor can read are noted and dropped. */
export function decodeContent(content: unknown, at: string, note: Note): Part[] {
  if (content === undefined || content === null || content === '') return []
  if (typeof content === 'string') return [{ type: 'text', text: content, at }]
  if (!Array.isArray(content)) return refuseValue(at, 'a string or an array of content parts')
  return content.flatMap((part: unknown, index) => decodePart(part, `${at}[${index}]`, note) ?? [])
}

function decodePart(part: unknown, at: string, note: Note): Part | undefined {
  if (!isJsonObject(part)) return refuseValue(at, 'an object')
  switch (part.type) {
    case 'input_text':
    case 'output_text':
    case 'text':
    case 'refusal': {
      const type = part.type === 'refusal' ? 'refusal' : 'text'
      const text = part[type]
      if (typeof text !== 'string') return refuseValue(`${at}.${type}`, 'a string')
      if (text === '') return undefined
      if (type === 'refusal') return { type, text, ...placeOf(part, at) }
      return { type, text, citations: decodeAnnotations(part.annotations), ...placeOf(part, at) }
    }
    case 'input_image':
      return decodeImage(part, at, note)
    case 'input_file':
      return decodeFile(part, at, note)
    case 'input_audio': {
      const audio = objectIn(part, 'input_audio')
      const data = stringIn(audio, 'data') ?? refuseValue(`${at}.input_audio.data`, 'base64')
      const format =
        stringIn(audio, 'format') ?? refuseValue(`${at}.input_audio.format`, 'a string')
      const mediaType = audioMediaType(format)
      return { type: 'audio', source: { type: 'data', mediaType, data }, ...placeOf(part, at) }
    }
    default:
      note('unknown_part', at)
      return undefined
  }
}

function decodeImage(part: JsonObject, at: string, note: Note): ImagePart | undefined {
  if (isUploaded(part, at, note)) return undefined
  const url = stringIn(part, 'image_url') ?? stringIn(objectIn(part, 'image_url'), 'url')
  const source = url === undefined ? undefined : urlSource(url)
  if (source === undefined) return refuseValue(`${at}.image_url`, 'an address or base64 data URL')
  const detail = details.find((name) => name === part.detail)
  return { type: 'image', source, detail, ...placeOf(part, at) }
}

function decodeFile(part: JsonObject, at: string, note: Note): DocumentPart | undefined {
  if (isUploaded(part, at, note)) return undefined
  const title = stringIn(part, 'filename')
  const url = stringIn(part, 'file_url')
  const data = stringIn(part, 'file_data')
  const source = url !== undefined ? urlSource(url) : data && decodeFileData(data, title)
  if (!source) return refuseValue(`${at}.file_data`, 'a base64 data URL, or file_url an address')
  return { type: 'document', source, title, ...placeOf(part, at) }
}

/** The vendor wants a data URL; some clients send the bare base64. */
function decodeFileData(data: string, filename: string | undefined): MediaSource | undefined {
  if (data.startsWith('data:')) return urlSource(data)
  const isText = /\.(txt|md)$/i.test(filename ?? '')
  return { type: 'data', mediaType: isText ? 'text/plain' : 'application/pdf', data }
}

function isUploaded(part: JsonObject, at: string, note: Note): boolean {
  if (stringIn(part, 'file_id') === undefined) return false
  note('uploaded_file', at)
  return true
}

function placeOf(part: JsonObject, at: string): { at: string; cache: CacheHint | undefined } {
  const breakpoint = objectIn(part, 'prompt_cache_breakpoint')
  if (breakpoint === undefined) return { at, cache: undefined }
  return { at, cache: breakpoint.ttl === '12h' ? '1h' : '5m' }
}

/** One part of a message or result; undefined if it has no form here. The model's text is `output_text`. */
export function encodeContentPart(part: Part, isOutput: boolean): JsonObject | undefined {
  switch (part.type) {
    case 'text':
      return isOutput
        ? { type: 'output_text', text: part.text, annotations: encodeCitations(part) }
        : { type: 'input_text', text: part.text }
    case 'refusal':
      return isOutput
        ? { type: 'refusal', refusal: part.text }
        : { type: 'input_text', text: part.text }
    case 'image': {
      const { source, detail } = part
      const image = { type: 'input_image', image_url: urlOf(source) }
      return detail === undefined ? image : { ...image, detail }
    }
    case 'document':
      return encodeDocument(part)
    case 'audio':
      return { type: 'input_audio', input_audio: encodeAudio(part) }
    default:
      return undefined
  }
}

/** The vendor rejects a file name beside an address, and requires one beside data. */
function encodeDocument({ source, title }: DocumentPart): JsonObject {
  if (source.type === 'url') return { type: 'input_file', file_url: source.url }
  if (source.type === 'text') return { type: 'input_text', text: titledText(source, title) }
  return { type: 'input_file', filename: title ?? 'document.pdf', file_data: urlOf(source) }
}

/** The sources among the annotations of an `output_text`; undefined without any. */
function decodeAnnotations(annotations: unknown): Citation[] | undefined {
  if (!Array.isArray(annotations)) return undefined
  const citations = annotations.filter(isJsonObject).map(decodeAnnotation)
  return citations.length === 0 ? undefined : citations
}

/** One annotation; the vendor's file citations (`file_citation`, `file_path` …) keep their form. */
export function decodeAnnotation(annotation: JsonObject): Citation {
  const url = stringIn(annotation, 'url')
  if (url === undefined) {
    return { type: 'document', title: stringIn(annotation, 'filename'), raw: annotation }
  }
  const title = stringIn(annotation, 'title')
  const start = countIn(annotation, 'start_index')
  return { type: 'url', url, title, start, end: countIn(annotation, 'end_index') }
}

/** The annotations of a text. A source without a place covers all of it; other documents are dropped. */
export function encodeCitations({ text, citations }: TextPart): JsonObject[] {
  return (citations ?? []).flatMap((citation): JsonObject[] => {
    if (citation.type === 'document') return ownKinds.has(citation.raw.type) ? [citation.raw] : []
    const { url, title = '', start = 0, end = text.length } = citation
    return [{ type: 'url_citation', url, title, start_index: start, end_index: end }]
  })
}

const ownKinds = new Set<unknown>(['file_citation', 'container_file_citation', 'file_path'])

/** Token probabilities in the vendor's form, bytes included. */
export function encodeLogprobs(logprobs: readonly TokenLogprob[]): JsonObject[] {
  return logprobs.map((one) => ({ ...encodeOne(one), top_logprobs: one.top.map(encodeOne) }))
}

function encodeOne({ token, logprob, bytes }: Omit<TokenLogprob, 'top'>): JsonObject {
  return { token, logprob, bytes: bytes ?? [...new TextEncoder().encode(token)] }
}
