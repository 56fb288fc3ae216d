import { embedJson } from '../canonical/embed.ts'
import type {
  CacheHint,
  DocumentPart,
  ImagePart,
  Part,
  ReasoningPart,
  TextPart,
  ToolCallPart,
  ToolResultPart,
} from '../canonical/request.ts'
import type { JsonObject } from '../protocol.ts'
import { encodeSentCitations } from './citations.ts'

/** The `cache_control` of a hint, to be spread into a block or tool. */
export function encodeCache(cache: CacheHint | undefined): JsonObject {
  if (cache === undefined) return {}
  const control = { type: 'ephemeral' }
  return { cache_control: cache === '1h' ? { ...control, ttl: '1h' } : control }
}

/** The block of one part; undefined for what the vendor would refuse and nobody misses. */
export function encodePart(part: Part): JsonObject | undefined {
  switch (part.type) {
    case 'text':
      return encodeText(part)
    case 'refusal':
      return encodeText({ ...part, type: 'text' })
    case 'image':
      return encodeImage(part)
    case 'document':
      return encodeDocument(part)
    case 'reasoning':
      return encodeReasoning(part)
    case 'tool-call':
      return {
        type: 'tool_use',
        id: callIdOf(part),
        name: part.name,
        input: encodeInput(part),
        ...encodeCache(part.cache),
      }
    case 'tool-result':
      return encodeResult(part)
    default:
      // Sound and video, which this protocol can't carry.
      return undefined
  }
}

/** Blocks as a message's content: a lone plain text is a string. */
export function encodeContent(blocks: readonly JsonObject[]): unknown {
  const [first] = blocks
  const isPlain = blocks.length === 1 && first?.type === 'text' && Object.keys(first).length === 2
  return isPlain ? first.text : blocks
}

/** The arguments of a call as an object; what is none (models do write such) is put in one. */
export function encodeInput({ kind, input }: Pick<ToolCallPart, 'kind' | 'input'>): JsonObject {
  const object = kind === 'custom' ? undefined : embedJson(input === '' ? '{}' : input)
  return object ?? { input }
}

/** "Text content blocks must contain non-whitespace text", says the vendor. */
function encodeText({ text, cache, citations }: TextPart): JsonObject | undefined {
  if (text.trim() === '') return undefined
  const sent = encodeSentCitations(citations)
  return {
    type: 'text',
    text,
    ...(sent === undefined ? {} : { citations: sent }),
    ...encodeCache(cache),
  }
}

function encodeImage({ source, cache }: ImagePart): JsonObject {
  const wire =
    source.type === 'url'
      ? { type: 'url', url: source.url }
      : { type: 'base64', media_type: source.mediaType, data: source.data }
  return { type: 'image', source: wire, ...encodeCache(cache) }
}

function encodeDocument(part: DocumentPart): JsonObject {
  const { title, context, isCited, cache } = part
  return {
    type: 'document',
    source: documentSource(part.source),
    ...(title === undefined ? {} : { title }),
    ...(context === undefined ? {} : { context }),
    ...(isCited === true ? { citations: { enabled: true } } : {}),
    ...encodeCache(cache),
  }
}

function documentSource(source: DocumentPart['source']): JsonObject {
  if (source.type === 'url') return { type: 'url', url: source.url }
  const text = source.type === 'text' ? source.text : plainText(source)
  if (source.type === 'text' || text !== undefined) {
    return { type: 'text', media_type: 'text/plain', data: text }
  }
  return { type: 'base64', media_type: source.mediaType, data: source.data }
}

/** Only a PDF may come in base64: any kind of text is written as such. */
function plainText(source: { readonly mediaType: string; readonly data: string }) {
  if (!source.mediaType.startsWith('text/')) return undefined
  try {
    return new TextDecoder().decode(Uint8Array.from(atob(source.data), (c) => c.charCodeAt(0)))
  } catch {
    // Not base64: the vendor says so better.
    return undefined
  }
}

/** Without its signature the vendor refuses it. */
function encodeReasoning({ text, signature, isRedacted }: ReasoningPart): JsonObject | undefined {
  if (signature === undefined) return undefined
  return isRedacted === true
    ? { type: 'redacted_thinking', data: signature }
    : { type: 'thinking', thinking: text, signature }
}

function encodeResult(part: ToolResultPart): JsonObject {
  const blocks = part.parts.map(encodePart).filter((block) => block !== undefined)
  return {
    type: 'tool_result',
    tool_use_id: callIdOf(part),
    ...(blocks.length === 0 ? {} : { content: encodeContent(blocks) }),
    ...(part.isError === true ? { is_error: true } : {}),
    ...encodeCache(part.cache),
  }
}

/** Ids of other vendors' calls may hold more than `^[a-zA-Z0-9_-]+$`, which is checked. */
const callIdOf = ({ callId }: { readonly callId: string }) => callId.replace(/[^\w-]/g, '_')
