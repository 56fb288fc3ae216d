import { refuseValue } from '../canonical/error.ts'
import type { MediaSource, NativeUse, Part, TextPart } from '../canonical/request.ts'
import { objectIn, stringIn } from '../json.ts'
import type { JsonObject } from '../protocol.ts'
import { cacheHint } from './cache.ts'
import { eachObject, readName, readObject, readText } from './fields.ts'
import { audioMediaType, urlSource } from './media.ts'
import { thinkingText } from './reasoning.ts'

/** What the parts of a message have in common. */
export interface ContentScene {
  /** Path of the message. */
  readonly at: string
  readonly native: NativeUse[]
  /** The kinds of parts that the message's role may have; others are named as unknown. */
  readonly kinds: ReadonlySet<Part['type']>
  /** The participant who speaks. */
  readonly name?: string | undefined
}

/** Decodes a message's content: a string, parts, or nothing. Empty texts are left out. */
export function decodeContent(content: unknown, scene: ContentScene): readonly Part[] {
  const at = `${scene.at}.content`
  if (content === undefined || content === null || content === '') return []
  if (typeof content === 'string') return [textPart(content, at, scene.name)]
  if (!Array.isArray(content)) return refuseValue(at, 'a string or an array of content parts')
  return eachObject(content, at, (part, partAt) => {
    const decoded = decodePart(part, partAt, scene)
    if (decoded === undefined || decoded === 'nothing') return decoded
    if (scene.kinds.has(decoded.type)) return { ...decoded, cache: cacheHint(part) }
    scene.native.push({ feature: 'unknown_part', at: partAt })
    return undefined
  }).filter((part) => part !== undefined && part !== 'nothing')
}

const textPart = (text: string, at: string, name: string | undefined): TextPart => ({
  type: 'text',
  text,
  at,
  ...(name === undefined ? {} : { name }),
})

function decodePart(
  part: JsonObject,
  at: string,
  scene: ContentScene,
): Part | 'nothing' | undefined {
  switch (part.type) {
    case 'text': {
      const text = readText(part, 'text', at) ?? ''
      return text === '' ? 'nothing' : textPart(text, at, scene.name)
    }
    case 'refusal':
      return { type: 'refusal', text: readName(part, 'refusal', at), at }
    case 'thinking':
      return { type: 'reasoning', text: thinkingText(part), at }
    case 'image_url':
      return decodeImage(part, at)
    case 'input_audio': {
      const audio = readObject(part, 'input_audio', at) ?? {}
      return { type: 'audio', source: audioSource(audio, `${at}.input_audio`), at }
    }
    case 'video_url': {
      const url = readName(objectIn(part, 'video_url') ?? part, 'url', `${at}.video_url`)
      return { type: 'video', source: sourceOf(url, `${at}.video_url.url`), at }
    }
    case 'file':
      return decodeFile(part, at, scene.native)
    case 'document_url': {
      const source = sourceOf(readName(part, 'document_url', at), `${at}.document_url`)
      return { type: 'document', source, title: stringIn(part, 'document_name'), at }
    }
    default:
      scene.native.push({ feature: 'unknown_part', at })
      return undefined
  }
}

/** `image_url` is an object; with Mistral it may be the address itself. */
function decodeImage(part: JsonObject, at: string): Part {
  const image = typeof part.image_url === 'string' ? { url: part.image_url } : undefined
  const wire: JsonObject = image ?? readObject(part, 'image_url', at) ?? {}
  const source = sourceOf(readName(wire, 'url', `${at}.image_url`), `${at}.image_url.url`)
  const detail = details.find((name) => name === wire.detail)
  return { type: 'image', source, at, ...(detail === undefined ? {} : { detail }) }
}

const details = ['low', 'high', 'auto', 'original'] as const

/** Some vendors (Alibaba) take a data URL or an address where OpenAI takes base64 only. */
function audioSource(audio: JsonObject, at: string): MediaSource {
  const data = readName(audio, 'data', at)
  const mediaType = audioMediaType(readText(audio, 'format', at) ?? 'wav')
  if (/^https?:/i.test(data)) return { type: 'url', url: data, mediaType }
  const isUrl = /^data:/i.test(data.slice(0, 5))
  return { type: 'data', mediaType, data: isUrl ? data.slice(data.indexOf(',') + 1) : data }
}

function decodeFile(part: JsonObject, at: string, native: NativeUse[]): Part | undefined {
  const file = readObject(part, 'file', at) ?? {}
  const data = readText(file, 'file_data', `${at}.file`)
  if (data === undefined && typeof file.file_id === 'string') {
    native.push({ feature: 'uploaded_file', at: `${at}.file.file_id` })
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
