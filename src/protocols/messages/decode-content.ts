import { refuseValue } from '../canonical/error.ts'
import { toJsonText } from '../canonical/json-text.ts'
import type {
  DocumentPart,
  ImagePart,
  NativeFeature,
  Note,
  Part,
  TextPart,
} from '../canonical/request.ts'
import { demandText, readName } from '../fields.ts'
import { isJsonObject, objectIn, stringIn } from '../json.ts'
import type { JsonObject } from '../protocol.ts'
import { decodeCache } from './cache.ts'
import { decodeCitations } from './search.ts'
import { decodeReference, isSearchBlock } from './tools.ts'

/** The parts of a message's content, a string or an array of blocks. Empty text is left out. */
export function decodeContent(content: unknown, at: string, note: Note): readonly Part[] {
  return contentParts(content, at, (block, path) => decodeBlock(block, path, note))
}

/** Only the texts of a content: of the system prompt, or of an instruction in the conversation. */
export function decodeTexts(content: unknown, at: string, note: Note): readonly TextPart[] {
  return contentParts(content, at, (block, path) => {
    if (block.type === 'text') return decodeText(block, path)
    note(nativeBlock(block), path)
    return []
  })
}

function decodeBlock(block: JsonObject, at: string, note: Note): readonly Part[] {
  const cache = decodeCache(block)
  switch (block.type) {
    case 'thinking': {
      const text = demandText(block, 'thinking', at)
      return [{ type: 'reasoning', at, text, signature: stringIn(block, 'signature') }]
    }
    case 'redacted_thinking': {
      const signature = readName(block, 'data', at)
      return [{ type: 'reasoning', at, text: '', signature, isRedacted: true }]
    }
    case 'tool_use': {
      const callId = readName(block, 'id', at)
      const name = readName(block, 'name', at)
      const input =
        toJsonText(block.input ?? {}) ?? refuseValue(`${at}.input`, 'less deeply nested')
      return [{ type: 'tool-call', at, cache, callId, name, kind: 'function', input }]
    }
    case 'tool_result': {
      const callId = readName(block, 'tool_use_id', at)
      const isError = block.is_error === true ? true : undefined
      const parts = contentParts(block.content, `${at}.content`, (inner, path) =>
        inner.type === 'tool_reference'
          ? [decodeReference(inner, path)]
          : decodeMedia(inner, path, note),
      )
      // toTurns finds the name by the call.
      const result = { type: 'tool-result', name: '', kind: 'function' } as const
      return [{ ...result, at, cache, callId, isError, parts }]
    }
    default:
      if (!isSearchBlock(block)) return decodeMedia(block, at, note)
      note('tool_search_item', at)
      return []
  }
}

/** What a message and the result of a tool may both hold. */
export type MediaPart = TextPart | ImagePart | DocumentPart

/** The parts of one block of these kinds. Others are noted, and none. */
export function decodeMedia(block: JsonObject, at: string, note: Note): readonly MediaPart[] {
  switch (block.type) {
    case 'text':
      return decodeText(block, at)
    case 'image':
      return decodeImage(block, at, note)
    case 'document':
      return decodeDocument(block, at, note)
    default:
      note(nativeBlock(block), at)
      return []
  }
}

/** The part of a text; the vendor would refuse an empty one. */
export function decodeText(block: JsonObject, at: string): readonly TextPart[] {
  const text = demandText(block, 'text', at)
  if (text === '') return []
  const citations = decodeCitations(block.citations)
  return [{ type: 'text', at, cache: decodeCache(block), text, citations }]
}

function decodeImage(block: JsonObject, at: string, note: Note): readonly ImagePart[] {
  const source = objectIn(block, 'source') ?? refuseValue(`${at}.source`, 'an object')
  if (isJsonObject(block.transformations)) note('unknown_field', `${at}.transformations`)
  const base = { type: 'image', at, cache: decodeCache(block) } as const
  switch (source.type) {
    case 'base64':
      return [{ ...base, source: decodeBytes(source, `${at}.source`) }]
    case 'url':
      return [{ ...base, source: { type: 'url', url: readName(source, 'url', `${at}.source`) } }]
    case 'file':
      note('uploaded_file', at)
      return []
    default:
      note('unknown_part', at)
      return []
  }
}

function decodeDocument(block: JsonObject, at: string, note: Note): readonly MediaPart[] {
  const source = objectIn(block, 'source') ?? refuseValue(`${at}.source`, 'an object')
  const path = `${at}.source`
  const base = {
    type: 'document',
    at,
    cache: decodeCache(block),
    title: stringIn(block, 'title'),
    context: stringIn(block, 'context'),
    isCited: objectIn(block, 'citations')?.enabled === true ? true : undefined,
  } as const
  switch (source.type) {
    case 'base64':
      return [{ ...base, source: decodeBytes(source, path) }]
    case 'url': {
      const url = readName(source, 'url', path)
      return [{ ...base, source: { type: 'url', url, mediaType: 'application/pdf' } }]
    }
    case 'text':
      return [{ ...base, source: { type: 'text', text: demandText(source, 'data', path) } }]
    case 'content':
      return decodeChunks(base, contentParts(source.content, `${path}.content`, inChunks(note)))
    case 'file':
      note('uploaded_file', at)
      return []
    default:
      note('unknown_part', at)
      return []
  }
}

const inChunks = (note: Note) => (block: JsonObject, at: string) => {
  if (block.type === 'document') refuseValue(at, 'a text or image block')
  return decodeMedia(block, at, note)
}

/**
 * A document that came in chunks (so that citations name them) is one text. With images among them
 * it is the chunks themselves, below a line with its title.
 */
function decodeChunks(
  base: Omit<DocumentPart, 'source'>,
  chunks: readonly MediaPart[],
): readonly MediaPart[] {
  const texts = chunks.flatMap((chunk) => (chunk.type === 'text' ? [chunk.text] : []))
  if (texts.length === chunks.length) {
    return [{ ...base, source: { type: 'text', text: texts.join('\n') } }]
  }
  const { at, cache } = base
  const head = [base.title, base.context].filter((text) => text !== undefined).join('\n')
  const heading: readonly TextPart[] = head === '' ? [] : [{ type: 'text', at, text: head }]
  const last = chunks.length - 1
  return [
    ...heading,
    ...chunks.map((chunk, index) =>
      index === last ? { ...chunk, cache: cache ?? chunk.cache } : chunk,
    ),
  ]
}

function decodeBytes(source: JsonObject, at: string) {
  return {
    type: 'data',
    mediaType: readName(source, 'media_type', at),
    data: readName(source, 'data', at),
  } as const
}

/** What `decode` makes of the blocks of a content; a string is one block of text. */
function contentParts<P>(
  content: unknown,
  at: string,
  decode: (block: JsonObject, path: string) => readonly P[],
): readonly P[] {
  if (typeof content === 'string') return decode({ type: 'text', text: content }, at)
  if (content === undefined || content === null) return []
  if (!Array.isArray(content)) refuseValue(at, 'a string or an array of content blocks')
  return content.flatMap((block: unknown, index) => {
    const path = `${at}[${index}]`
    return isJsonObject(block) ? decode(block, path) : refuseValue(path, 'a content block')
  })
}

/**
 * What a block is that belongs to this vendor alone, or is not known. Source: the SDK's
 * `BetaContentBlockParam`; results are `web_search_tool_result`, `mcp_tool_result` and so on.
 */
function nativeBlock({ type }: JsonObject): NativeFeature {
  if (typeof type === 'string' && (hostedBlocks.has(type) || type.endsWith('_tool_result'))) {
    return 'hosted_item'
  }
  return vendorBlocks.has(type) ? 'vendor_item' : 'unknown_part'
}

const hostedBlocks = new Set([
  'server_tool_use',
  'mcp_tool_use',
  'mcp_tool_listing',
  'container_upload',
])

const vendorBlocks = new Set<unknown>([
  'compaction',
  'tool_addition',
  'tool_removal',
  'tool_reference',
  'browser_state',
  'fallback',
])
