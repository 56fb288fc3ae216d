import type { RequestTarget } from '../canonical/codec.ts'
import { refuseValue } from '../canonical/error.ts'
import { toJsonText } from '../canonical/json-text.ts'
import {
  type CacheHint,
  type CanonicalRequest,
  createNotes,
  type DocumentPart,
  type ImagePart,
  type Note,
  type OutputFormat,
  type Part,
  type ServiceTier,
  type TextPart,
  type Turn,
} from '../canonical/request.ts'
import { type MessageParts, toTurns } from '../canonical/turns.ts'
import { arrayIn, countIn, isJsonObject, objectIn, stringIn, wordSet } from '../json.ts'
import type { JsonObject } from '../protocol.ts'
import * as read from '../read.ts'
import type { NativeFeature } from '../translation/features.ts'
import { decodeCache } from './cache.ts'
import { decodeCitations, decodeSearch, findSearches } from './search.ts'
import { decodeThinking } from './thinking.ts'
import {
  decodeReference,
  decodeToolChoice,
  decodeTools,
  isSearchBlock,
  loadedTools,
} from './tools.ts'

/** Decodes a request that `checkMessages` accepted. Throws `TranslationError`. */
export function decodeRequest(body: JsonObject, target: RequestTarget): CanonicalRequest {
  const { note, uses } = createNotes()
  const system = withoutBilling(decodeTexts(body.system, 'system', note), note)
  const messages = arrayIn(body, 'messages').flatMap((message, index) =>
    decodeMessage(message, `messages[${index}]`, note),
  )
  const instructions: MessageParts[] =
    system.length === 0 ? [] : [{ role: 'system', parts: system }]
  const all = [...instructions, ...messages.filter(hasContent)]
  const request = {
    model: stringIn(body, 'model') ?? target.model,
    stream: body.stream === true,
    turns: withCache(toTurns(all), decodeCache(body)),
    tools: loadedTools(decodeTools(body, note), body),
    webSearch: decodeSearch(body),
    ...decodeToolChoice(body),
    format: decodeFormat(body),
    reasoning: decodeThinking(body, note),
    maxOutputTokens: countIn(body, 'max_tokens'),
    stop: decodeStop(body.stop_sequences),
    temperature: read.number(body, 'temperature'),
    topP: read.number(body, 'top_p'),
    topK: read.number(body, 'top_k'),
    userId: stringIn(objectIn(body, 'metadata'), 'user_id'),
    serviceTier: serviceTiers.get(body.service_tier),
    native: uses,
  }
  noteFields(body, note)
  return request
}

function decodeMessage(message: unknown, at: string, note: Note): readonly MessageParts[] {
  if (!isJsonObject(message)) refuseValue(at, 'an object')
  const { role, content } = message
  switch (role) {
    case 'user':
      return [{ role, parts: decodeContent(content, `${at}.content`, note) }]
    case 'assistant': {
      const { texts, places } = findSearches(content, `${at}.content`)
      const noteOthers: Note = (feature, place) =>
        note(places.has(place) ? 'search_history' : feature, place)
      const answer = { role, parts: decodeContent(content, `${at}.content`, noteOthers) }
      // It precedes the message, as the user's text.
      return texts.length === 0 ? [answer] : [{ role: 'user', parts: texts }, answer]
    }
    case 'system':
      if (isUsed(message.clear_at)) note('unknown_field', `${at}.clear_at`)
      if (isUsed(message.output_config)) note('unknown_field', `${at}.output_config`)
      return [{ role, parts: decodeTexts(content, `${at}.content`, note) }]
    default:
      return refuseValue(`${at}.role`, '"user", "assistant" or "system"')
  }
}

/** Instructions without parts are dropped. */
const hasContent = ({ role, parts }: MessageParts) => role !== 'system' || parts.length > 0

/** A `cache_control` of the whole request marks its last block that may have one. */
function withCache(turns: readonly Turn[], cache: CacheHint | undefined): readonly Turn[] {
  const turnAt = turns.findLastIndex(({ parts }) => parts.some(isCacheable))
  const turn = turns[turnAt]
  const partAt = turn?.parts.findLastIndex(isCacheable)
  if (cache === undefined || turn === undefined) return turns
  const parts = turn.parts.map((part, index) =>
    index === partAt && part.cache === undefined ? { ...part, cache } : part,
  )
  return turns.with(turnAt, { ...turn, parts })
}

const isCacheable = ({ type }: Part) => type !== 'reasoning'

/** A schema for the answer: in `output_config`, or at its place during the beta. */
function decodeFormat(body: JsonObject): OutputFormat | undefined {
  const format = objectIn(objectIn(body, 'output_config'), 'format')
  const [wire, at] = format
    ? [format, 'output_config.format']
    : [objectIn(body, 'output_format'), 'output_format']
  if (wire === undefined) return undefined
  if (wire.type !== 'json_schema') refuseValue(`${at}.type`, '"json_schema"')
  const schema = objectIn(wire, 'schema') ?? refuseValue(`${at}.schema`, 'an object')
  return { type: 'schema', at, schema }
}

function decodeStop(wire: unknown): readonly string[] | undefined {
  if (wire === undefined || wire === null) return undefined
  const isText = (value: unknown): value is string => typeof value === 'string'
  if (!Array.isArray(wire) || !wire.every(isText)) {
    refuseValue('stop_sequences', 'an array of strings')
  }
  return wire.length === 0 ? undefined : wire
}

const serviceTiers = new Map<unknown, ServiceTier>([
  ['auto', 'auto'],
  ['standard_only', 'default'],
])

function noteFields(body: JsonObject, note: Note): void {
  for (const [field, value] of Object.entries(body)) {
    if (carried.has(field) || !isUsed(value) || defaults.get(field) === value) continue
    note(nativeFields.get(field) ?? 'unknown_field', field)
  }
  const { service_tier: tier } = body
  if (isUsed(tier) && !serviceTiers.has(tier)) note('unknown_field', 'service_tier')
  noteInside(body, 'output_config', ['effort', 'format'], note)
  noteInside(body, 'metadata', ['user_id'], note)
}

function noteInside(body: JsonObject, field: string, known: readonly string[], note: Note): void {
  for (const [key, value] of Object.entries(objectIn(body, field) ?? {})) {
    if (!known.includes(key) && isUsed(value)) note('unknown_field', `${field}.${key}`)
  }
}

function isUsed(value: unknown): boolean {
  if (value === undefined || value === null) return false
  return !Array.isArray(value) || value.length > 0
}

const nativeFields = new Map<string, NativeFeature>([
  ['thread', 'stored_state'],
  ['context_management', 'context_management'],
  ['compaction', 'context_management'],
  ['container', 'hosted_tool'],
  ['mcp_servers', 'hosted_tool'],
])

const defaults = new Map<string, unknown>([['speed', 'standard']])

/** Fields that are decoded, or irrelevant elsewhere: Bedrock's two. */
const carried = wordSet(`
  model max_tokens messages system tools tool_choice thinking output_config output_format
  stop_sequences temperature top_p top_k metadata service_tier stream cache_control
  anthropic_version anthropic_beta
`)

/** A system prompt without Claude Code's first line: it differs by request, and is for its vendor only. */
function withoutBilling(system: readonly TextPart[], note: Note): readonly TextPart[] {
  return system.flatMap((part) => {
    const text = part.text.replace(billingLine, '')
    if (text === part.text) return [part]
    note('billing_line', part.at ?? 'system')
    return text === '' ? [] : [{ ...part, text }]
  })
}

const billingLine = /^x-anthropic-billing-header[^\n]*\n*/

/** The parts of a message's content, a string or an array of blocks. Empty text is dropped. */
export function decodeContent(content: unknown, at: string, note: Note): readonly Part[] {
  return contentParts(content, at, (block, path) => decodeBlock(block, path, note))
}

function decodeTexts(content: unknown, at: string, note: Note): readonly TextPart[] {
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
      const text = read.someText(block, 'thinking', at)
      return [{ type: 'reasoning', at, text, signature: stringIn(block, 'signature') }]
    }
    case 'redacted_thinking': {
      const signature = read.name(block, 'data', at)
      return [{ type: 'reasoning', at, text: '', signature, isRedacted: true }]
    }
    case 'tool_use': {
      const callId = read.name(block, 'id', at)
      const name = read.name(block, 'name', at)
      const input =
        toJsonText(block.input ?? {}) ?? refuseValue(`${at}.input`, 'less deeply nested')
      return [{ type: 'tool-call', at, cache, callId, name, kind: 'function', input }]
    }
    case 'tool_result': {
      const callId = read.name(block, 'tool_use_id', at)
      const isError = block.is_error === true ? true : undefined
      const parts = contentParts(block.content, `${at}.content`, (inner, path) =>
        inner.type === 'tool_reference'
          ? [decodeReference(inner, path)]
          : decodeMedia(inner, path, note),
      )
      const result = { type: 'tool-result', name: '', kind: 'function' } as const
      return [{ ...result, at, cache, callId, isError, parts }]
    }
    default:
      if (!isSearchBlock(block)) return decodeMedia(block, at, note)
      note('tool_search_item', at)
      return []
  }
}

export type MediaPart = TextPart | ImagePart | DocumentPart

/** The parts of one block of these kinds. Other kinds are noted and dropped. */
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

/** A text part; the vendor rejects an empty one. */
export function decodeText(block: JsonObject, at: string): readonly TextPart[] {
  const text = read.someText(block, 'text', at)
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
      return [{ ...base, source: { type: 'url', url: read.name(source, 'url', `${at}.source`) } }]
    default:
      note(source.type === 'file' ? 'uploaded_file' : 'unknown_part', at)
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
      const url = read.name(source, 'url', path)
      return [{ ...base, source: { type: 'url', url, mediaType: 'application/pdf' } }]
    }
    case 'text':
      return [{ ...base, source: { type: 'text', text: read.someText(source, 'data', path) } }]
    case 'content':
      return decodeChunks(base, contentParts(source.content, `${path}.content`, inChunks(note)))
    default:
      note(source.type === 'file' ? 'uploaded_file' : 'unknown_part', at)
      return []
  }
}

const inChunks = (note: Note) => (block: JsonObject, at: string) => {
  if (block.type === 'document') refuseValue(at, 'a text or image block')
  return decodeMedia(block, at, note)
}

/** A chunked document becomes one text; with images, its chunks below its title. */
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
    mediaType: read.name(source, 'media_type', at),
    data: read.name(source, 'data', at),
  } as const
}

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

/** A block that only this vendor has, or an unknown one. Source: the SDK's `BetaContentBlockParam`. */
function nativeBlock({ type }: JsonObject): NativeFeature {
  if (typeof type === 'string' && (hostedBlocks.has(type) || type.endsWith('_tool_result'))) {
    return 'hosted_item'
  }
  return vendorBlocks.has(type) ? 'vendor_item' : 'unknown_part'
}

const hostedBlocks = wordSet('server_tool_use mcp_tool_use mcp_tool_listing container_upload')

const vendorBlocks = wordSet<unknown>(
  'compaction tool_addition tool_removal tool_reference browser_state fallback',
)
