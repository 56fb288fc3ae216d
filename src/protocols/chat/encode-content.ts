import type { DocumentPart, Part, TextPart, ToolResultPart } from '../canonical/request.ts'
import type { JsonObject } from '../protocol.ts'
import { cacheControl } from './cache.ts'
import { encodeAudio, urlOf } from './media.ts'

/** How an upstream takes content. */
export interface ContentStyle {
  /** It takes `cache_control`. */
  readonly marksCache: boolean
  /** What joins texts where several are to be one string; undefined: they stay parts. */
  readonly joint: string | undefined
}

/** A part of a message of the user or of the model. Undefined for what is no content in chat. */
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
    case 'image': {
      const detail = part.detail === undefined ? {} : { detail: part.detail }
      return { type: 'image_url', image_url: { url: urlOf(part.source), ...detail } }
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

/** A file needs a name; a document that is plain text is text below its title. */
function encodeDocument({ source, title }: DocumentPart): JsonObject {
  if (source.type === 'text') {
    return { type: 'text', text: title === undefined ? source.text : `${title}\n\n${source.text}` }
  }
  return { type: 'file', file: { filename: title ?? 'document.pdf', file_data: urlOf(source) } }
}

/** Content of a message: a lone plain text as a string, else parts. Nothing is an empty string. */
export function encodeContent(parts: readonly Part[], style: ContentStyle): unknown {
  const wire = parts.map((part) => encodePart(part, style)).filter((part) => part !== undefined)
  const texts = wire.flatMap(({ text, cache_control }) =>
    typeof text === 'string' && cache_control === undefined ? [text] : [],
  )
  const isPlain = texts.length === wire.length && (style.joint !== undefined || wire.length < 2)
  return isPlain ? texts.join(style.joint) : wire
}

/**
 * What of a tool's result its message holds, and what has to follow in a message of the user: OpenAI
 * takes text only as a result, some upstreams images, too, and nobody documents.
 */
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

/** Parts by who speaks: only texts tell, and the others belong to the text before them. */
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
