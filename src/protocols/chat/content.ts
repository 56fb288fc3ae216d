import { refuseValue } from '../canonical/error.ts'
import type {
  AudioPart,
  CacheHint,
  DocumentPart,
  ImagePart,
  MediaSource,
  Note,
  Part,
  TextPart,
  ToolResultPart,
} from '../canonical/request.ts'
import { arrayIn, defined, isJsonObject, objectIn, stringIn } from '../json.ts'
import type { JsonObject } from '../protocol.ts'
import * as read from '../read.ts'
import { thinkingText } from './reasoning.ts'

interface ContentScope {
  readonly at: string
  readonly note: Note
  /** Parts allowed in the message's role; others are noted as unknown. */
  readonly kinds: ReadonlySet<Part['type']>
  readonly name?: string | undefined
}

/** Decodes a message's content: a string, parts, or nothing. Empty texts are dropped. */
export function decodeContent(content: unknown, scope: ContentScope): readonly Part[] {
  const at = `${scope.at}.content`
  if (content === undefined || content === null || content === '') return []
  if (typeof content === 'string') return [textPart(content, at, scope.name)]
  if (!Array.isArray(content)) return refuseValue(at, 'a string or an array of content parts')
  return read
    .each(content, at, (part, partAt) => {
      const decoded = decodePart(part, partAt, scope)
      if (decoded === undefined) return undefined
      if (scope.kinds.has(decoded.type)) return { ...decoded, cache: cacheHint(part) }
      scope.note('unknown_part', partAt)
      return undefined
    })
    .filter((part) => part !== undefined)
}

const textPart = (text: string, at: string, name: string | undefined): TextPart => ({
  type: 'text',
  text,
  at,
  name,
})

function decodePart(part: JsonObject, at: string, scope: ContentScope): Part | undefined {
  switch (part.type) {
    case 'text': {
      const text = read.text(part, 'text', at) ?? ''
      return text === '' ? undefined : textPart(text, at, scope.name)
    }
    case 'refusal':
      return { type: 'refusal', text: read.name(part, 'refusal', at), at }
    case 'thinking':
      return { type: 'reasoning', text: thinkingText(part), at }
    case 'image_url':
      return decodeImage(part, at)
    case 'input_audio': {
      const audio = read.object(part, 'input_audio', at) ?? {}
      return { type: 'audio', source: audioSource(audio, `${at}.input_audio`), at }
    }
    case 'video_url': {
      const url = read.name(objectIn(part, 'video_url') ?? part, 'url', `${at}.video_url`)
      return { type: 'video', source: sourceOf(url, `${at}.video_url.url`), at }
    }
    case 'file':
      return decodeFile(part, at, scope.note)
    case 'document_url': {
      const source = sourceOf(read.name(part, 'document_url', at), `${at}.document_url`)
      return { type: 'document', source, title: stringIn(part, 'document_name'), at }
    }
    default:
      scope.note('unknown_part', at)
      return undefined
  }
}

/** `image_url` is an object; Mistral allows the plain address. */
function decodeImage(part: JsonObject, at: string): Part {
  const image = typeof part.image_url === 'string' ? { url: part.image_url } : undefined
  const wire: JsonObject = image ?? read.object(part, 'image_url', at) ?? {}
  const source = sourceOf(read.name(wire, 'url', `${at}.image_url`), `${at}.image_url.url`)
  const detail = details.find((name) => name === wire.detail)
  return { type: 'image', source, at, detail }
}

export const details = ['low', 'high', 'auto', 'original'] as const

/** Some vendors (Alibaba) take a data URL or an address where OpenAI takes base64 only. */
function audioSource(audio: JsonObject, at: string): MediaSource {
  const data = read.name(audio, 'data', at)
  const mediaType = audioMediaType(read.text(audio, 'format', at) ?? 'wav')
  if (/^https?:/i.test(data)) return { type: 'url', url: data, mediaType }
  const isUrl = /^data:/i.test(data.slice(0, 5))
  return { type: 'data', mediaType, data: isUrl ? data.slice(data.indexOf(',') + 1) : data }
}

function decodeFile(part: JsonObject, at: string, note: Note): Part | undefined {
  const file = read.object(part, 'file', at) ?? {}
  const data = read.text(file, 'file_data', `${at}.file`)
  if (data === undefined && typeof file.file_id === 'string') {
    note('uploaded_file', `${at}.file.file_id`)
    return undefined
  }
  const source = sourceOf(data ?? '', `${at}.file.file_data`)
  return { type: 'document', source, title: stringIn(file, 'filename'), at }
}

function sourceOf(url: string, at: string): MediaSource {
  const isAddress = /^[a-z][a-z\d+.-]*:/i.test(url.slice(0, 40))
  const source = isAddress ? urlSource(url) : undefined
  return source ?? refuseValue(at, 'an address, or a data URL with its media type and base64')
}

export interface ContentStyle {
  readonly marksCache: boolean
  readonly joint: string | undefined
}

/** A part of a user or model message; undefined for a part without a form in chat. */
export function encodePart(part: Part, { marksCache }: ContentStyle): JsonObject | undefined {
  const wire = encodeKind(part)
  return wire !== undefined && marksCache && part.cache !== undefined
    ? { ...wire, cache_control: cacheControl(part.cache) }
    : wire
}

function encodeKind(part: Part): JsonObject | undefined {
  switch (part.type) {
    case 'text':
      return { type: 'text', text: part.text }
    case 'refusal':
      return { type: 'refusal', refusal: part.text }
    case 'image':
      return {
        type: 'image_url',
        image_url: defined({ url: urlOf(part.source), detail: part.detail }),
      }
    case 'document':
      return encodeDocument(part)
    case 'audio':
      return { type: 'input_audio', input_audio: encodeAudio(part) }
    case 'video':
      return { type: 'video_url', video_url: { url: urlOf(part.source) } }
    default:
      return undefined
  }
}

function encodeDocument({ source, title }: DocumentPart): JsonObject {
  if (source.type === 'text') return { type: 'text', text: titledText(source, title) }
  return { type: 'file', file: { filename: title ?? 'document.pdf', file_data: urlOf(source) } }
}

/** A plain text document as text below its title: many imitators read no files. */
export const titledText = ({ text }: { text: string }, title: string | undefined): string =>
  title === undefined ? text : `${title}\n\n${text}`

/** A message's content: a lone plain text as a string, else parts. Nothing is an empty string. */
export function encodeContent(parts: readonly Part[], style: ContentStyle): unknown {
  const wire = parts.map((part) => encodePart(part, style)).filter((part) => part !== undefined)
  const texts = wire.flatMap(({ text, cache_control }) =>
    typeof text === 'string' && cache_control === undefined ? [text] : [],
  )
  const isPlain = texts.length === wire.length && (style.joint !== undefined || wire.length < 2)
  return isPlain ? texts.join(style.joint) : wire
}

/** Splits a tool's result: OpenAI takes text only, some upstreams images; the rest follows in a user message. */
export function splitResult(
  { parts, cache }: ToolResultPart,
  isTextOnly: boolean,
): { readonly kept: readonly Part[]; readonly moved: readonly Part[] } {
  const isKept = (part: ToolResultPart['parts'][number]) =>
    part.type === 'text' ||
    (part.type === 'image' && !isTextOnly) ||
    (part.type === 'document' && part.source.type === 'text')
  const kept: Part[] = parts.filter(isKept)
  const last = kept.at(-1)
  if (last !== undefined && cache !== undefined) kept[kept.length - 1] = { ...last, cache }
  return { kept, moved: parts.filter((part) => !isKept(part)) }
}

/** Groups parts by participant: only texts name one, other parts belong to the preceding text. */
export function groupByName(
  parts: readonly Part[],
): readonly { readonly name: string | undefined; readonly parts: readonly Part[] }[] {
  const groups: { name: string | undefined; parts: Part[] }[] = []
  let isNamed = false
  for (const part of parts) {
    const last = groups.at(-1)
    const name = nameOf(part)
    const isText = part.type === 'text'
    if (last === undefined || (isText && isNamed && last.name !== name)) {
      groups.push({ name, parts: [part] })
      isNamed = isText
    } else {
      last.parts.push(part)
      if (isText && !isNamed) {
        last.name = name
        isNamed = true
      }
    }
  }
  return groups
}

const nameOf = (part: Part): TextPart['name'] => (part.type === 'text' ? part.name : undefined)

function parseDataUrl(url: string) {
  if (!/^data:/i.test(url.slice(0, 5))) return undefined
  const comma = url.indexOf(',')
  const [mediaType, ...settings] = url.slice(5, Math.max(comma, 5)).split(';')
  if (!mediaType?.includes('/') || settings.at(-1)?.trim().toLowerCase() !== 'base64') {
    return undefined
  }
  return { mediaType: mediaType.trim().toLowerCase(), data: url.slice(comma + 1) }
}

/** The source that a URL names; undefined for an invalid `data:` URL. */
export function urlSource(url: string): MediaSource | undefined {
  const data = parseDataUrl(url)
  if (data !== undefined) return { type: 'data', ...data }
  return url === '' || /^data:/i.test(url.slice(0, 5)) ? undefined : { type: 'url', url }
}

/** A source as a URL. */
export function urlOf(source: MediaSource): string {
  return source.type === 'url' ? source.url : `data:${source.mediaType};base64,${source.data}`
}

/** The media type of an audio `format`: OpenAI has wav and mp3, others more. */
export function audioMediaType(format: string): string {
  const name = format.toLowerCase()
  return `audio/${name === 'mp3' ? 'mpeg' : name}`
}

/** The `input_audio` of an audio part. */
export function encodeAudio({ source }: AudioPart) {
  const type = source.mediaType?.toLowerCase().replace(/^audio\/(x-)?|;.*$/g, '') ?? 'wav'
  const format = type === 'mpeg' ? 'mp3' : type === 'wave' || type === 'vnd.wave' ? 'wav' : type
  return { data: source.type === 'data' ? source.data : source.url, format }
}

/** The images of an answer or delta, in OpenRouter's form. */
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

/** The prompt cache mark: OpenRouter's `cache_control`, or OpenAI's `prompt_cache_breakpoint`. */
export function cacheHint(value: JsonObject): CacheHint | undefined {
  const control = objectIn(value, 'cache_control')
  if (control !== undefined) return control.ttl === '1h' ? '1h' : '5m'
  const breakpoint = objectIn(value, 'prompt_cache_breakpoint')
  if (breakpoint === undefined) return undefined
  return typeof breakpoint.ttl === 'string' ? '1h' : '5m'
}

/** The mark in OpenRouter's form. */
export function cacheControl(hint: CacheHint): JsonObject {
  return hint === '1h' ? { type: 'ephemeral', ttl: '1h' } : { type: 'ephemeral' }
}
