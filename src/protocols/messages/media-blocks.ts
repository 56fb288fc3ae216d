import { refuseValue } from '../canonical/error.ts'
import type { DocumentPart, ImagePart, TextPart } from '../canonical/request.ts'
import { isJsonObject, objectIn, stringIn } from '../json.ts'
import type { JsonObject } from '../protocol.ts'
import { decodeCitations } from './citations.ts'
import { contentParts, decodeCache, type Note, nameOf, nativeBlock, textOf } from './content.ts'

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
  const text = textOf(block, 'text', at)
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
      return [{ ...base, source: { type: 'url', url: nameOf(source, 'url', `${at}.source`) } }]
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
      const url = nameOf(source, 'url', path)
      return [{ ...base, source: { type: 'url', url, mediaType: 'application/pdf' } }]
    }
    case 'text':
      return [{ ...base, source: { type: 'text', text: textOf(source, 'data', path) } }]
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
    mediaType: nameOf(source, 'media_type', at),
    data: nameOf(source, 'data', at),
  } as const
}
