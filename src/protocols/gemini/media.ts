import { refuseValue } from '../canonical/error.ts'
import type {
  AudioPart,
  DocumentPart,
  ImagePart,
  MediaSource,
  VideoPart,
} from '../canonical/request.ts'
import { isJsonObject, objectIn, stringIn } from '../json.ts'
import type { JsonObject } from '../protocol.ts'
import { decodeBase64, toStandardBase64 } from './signature.ts'
import { camelNames, type Note } from './wire.ts'

type MediaPart = ImagePart | DocumentPart | AudioPart | VideoPart

/**
 * The image, document, sound or film of a part with `inlineData` or `fileData`. Files that only the
 * vendor can read, and kinds that are not known here, are noted and left out. `part` has camelCase
 * names.
 */
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

/** What is text, although not all of it is called so. Source: the vendor's guide "Documents". */
const textTypes = /^text\/|^application\/(json|xml|yaml|x-yaml|javascript|x-javascript|x-python)\b/i

function decodeText(data: string): string | undefined {
  const bytes = decodeBase64(data)
  if (bytes === undefined) return undefined
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    // Another encoding: it stays as the bytes it is.
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

/** Files of the vendor's own store: its file API, and buckets of its cloud. */
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

/** A medium as a part. Bytes go inline; an address goes as it is where it was not fetched before. */
export function encodeMedia({ source }: MediaPart): JsonObject {
  switch (source.type) {
    case 'data':
      return { inlineData: { mimeType: source.mediaType, data: source.data } }
    case 'text': {
      const data = new TextEncoder().encode(source.text).toBase64()
      return { inlineData: { mimeType: 'text/plain', data } }
    }
    case 'url': {
      const { url, mediaType } = source
      return { fileData: { fileUri: url, ...(mediaType ? { mimeType: mediaType } : {}) } }
    }
  }
}

/** Whether a wire part holds a medium. */
export function isMediaPart(part: JsonObject): boolean {
  return isJsonObject(part.inlineData) || isJsonObject(part.fileData)
}
