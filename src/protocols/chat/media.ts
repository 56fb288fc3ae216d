import type { AudioPart, ImagePart, MediaSource } from '../canonical/request.ts'
import { arrayIn, isJsonObject, objectIn, stringIn } from '../json.ts'
import type { JsonObject } from '../protocol.ts'

/** What is in a `data:` URL with base64, or undefined for any other text. */
export function parseDataUrl(
  url: string,
): { readonly mediaType: string; readonly data: string } | undefined {
  if (!/^data:/i.test(url.slice(0, 5))) return undefined
  const comma = url.indexOf(',')
  const [mediaType, ...settings] = url.slice(5, Math.max(comma, 5)).split(';')
  if (!mediaType?.includes('/') || settings.at(-1)?.trim().toLowerCase() !== 'base64') {
    return undefined
  }
  return { mediaType: mediaType.trim().toLowerCase(), data: url.slice(comma + 1) }
}

/** The source that a URL of either kind names; undefined for a `data:` URL that is none. */
export function urlSource(url: string): MediaSource | undefined {
  const data = parseDataUrl(url)
  if (data !== undefined) return { type: 'data', ...data }
  return url === '' || /^data:/i.test(url.slice(0, 5)) ? undefined : { type: 'url', url }
}

/** A source as one URL. */
export function urlOf(source: MediaSource): string {
  return source.type === 'url' ? source.url : `data:${source.mediaType};base64,${source.data}`
}

/** The media type of what chat calls a `format` of sound: OpenAI has wav and mp3, others more. */
export function audioMediaType(format: string): string {
  const name = format.toLowerCase()
  return `audio/${name === 'mp3' ? 'mpeg' : name}`
}

/** The `input_audio` of a sound. */
export function encodeAudio({ source }: AudioPart): {
  readonly data: string
  readonly format: string
} {
  const type = source.mediaType?.toLowerCase().replace(/^audio\/(x-)?|;.*$/g, '') ?? 'wav'
  const format = type === 'mpeg' ? 'mp3' : type === 'wave' || type === 'vnd.wave' ? 'wav' : type
  return { data: source.type === 'data' ? source.data : source.url, format }
}

/** The images of an answer, whole or in a delta, as OpenRouter has them. */
export function decodeImages(message: JsonObject): readonly ImagePart[] {
  return arrayIn(message, 'images').flatMap((image): readonly ImagePart[] => {
    if (!isJsonObject(image)) return []
    const wire = image.image_url
    const url = typeof wire === 'string' ? wire : stringIn(objectIn(image, 'image_url'), 'url')
    const source = url === undefined ? undefined : urlSource(url)
    return source ? [{ type: 'image', source }] : []
  })
}

/** An image of an answer, in the same form. */
export function encodeImage({ source }: ImagePart): JsonObject {
  return { type: 'image_url', image_url: { url: urlOf(source) } }
}
