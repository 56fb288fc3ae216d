import { refuseValue } from '../canonical/error.ts'
import type {
  CacheHint,
  DocumentPart,
  ImagePart,
  MediaSource,
  NativeUse,
  Part,
} from '../canonical/request.ts'
import { audioMediaType, urlSource } from '../chat/content.ts'
import { isJsonObject, objectIn, stringIn } from '../json.ts'
import type { JsonObject } from '../protocol.ts'
import { decodeAnnotations } from './citations.ts'

/**
 * What a message or a tool's result is made of. Parts that only this vendor can read (an uploaded
 * file, a kind not known here) are noted in `native` and left out.
 */
export function decodeContent(content: unknown, at: string, native: NativeUse[]): Part[] {
  if (content === undefined || content === null || content === '') return []
  if (typeof content === 'string') return [{ type: 'text', text: content, at }]
  if (!Array.isArray(content)) return refuseValue(at, 'a string or an array of content parts')
  return content.flatMap((part: unknown, index) => {
    const read = decodePart(part, `${at}[${index}]`, native)
    return read === undefined ? [] : [read]
  })
}

function decodePart(part: unknown, at: string, native: NativeUse[]): Part | undefined {
  if (!isJsonObject(part)) return refuseValue(at, 'an object')
  switch (part.type) {
    case 'input_text':
    case 'output_text':
    case 'text': {
      const text = requiredText(part, 'text', at)
      const citations = decodeAnnotations(part.annotations)
      return text === '' ? undefined : { type: 'text', text, citations, ...placeOf(part, at) }
    }
    case 'refusal': {
      const text = requiredText(part, 'refusal', at)
      return text === '' ? undefined : { type: 'refusal', text, ...placeOf(part, at) }
    }
    case 'input_image':
      return decodeImage(part, at, native)
    case 'input_file':
      return decodeFile(part, at, native)
    case 'input_audio': {
      const audio = objectIn(part, 'input_audio')
      const data = stringIn(audio, 'data') ?? refuseValue(`${at}.input_audio.data`, 'base64')
      const format =
        stringIn(audio, 'format') ?? refuseValue(`${at}.input_audio.format`, 'a string')
      const mediaType = audioMediaType(format)
      return { type: 'audio', source: { type: 'data', mediaType, data }, ...placeOf(part, at) }
    }
    default:
      native.push({ feature: 'unknown_part', at })
      return undefined
  }
}

function decodeImage(part: JsonObject, at: string, native: NativeUse[]): ImagePart | undefined {
  if (isUploaded(part, at, native)) return undefined
  const url = stringIn(part, 'image_url') ?? stringIn(objectIn(part, 'image_url'), 'url')
  const source = url === undefined ? undefined : urlSource(url)
  if (source === undefined) return refuseValue(`${at}.image_url`, 'an address or base64 data URL')
  const detail = details.find((name) => name === part.detail)
  return { type: 'image', source, detail, ...placeOf(part, at) }
}

const details = ['low', 'high', 'auto', 'original'] as const

function decodeFile(part: JsonObject, at: string, native: NativeUse[]): DocumentPart | undefined {
  if (isUploaded(part, at, native)) return undefined
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

function isUploaded(part: JsonObject, at: string, native: NativeUse[]): boolean {
  if (stringIn(part, 'file_id') === undefined) return false
  native.push({ feature: 'uploaded_file', at })
  return true
}

/**
 * Where a part stands, and how long it is to be cached: the vendor promises at least 30 minutes or
 * 12 hours, and the nearest that others have is 5 minutes (renewed at each use) or an hour.
 */
function placeOf(part: JsonObject, at: string): { at: string; cache: CacheHint | undefined } {
  const breakpoint = objectIn(part, 'prompt_cache_breakpoint')
  if (breakpoint === undefined) return { at, cache: undefined }
  return { at, cache: breakpoint.ttl === '12h' ? '1h' : '5m' }
}

function requiredText(part: JsonObject, key: string, at: string): string {
  const text = part[key]
  return typeof text === 'string' ? text : refuseValue(`${at}.${key}`, 'a string')
}
