import type { EncodeOptions } from '../canonical/codec.ts'
import { embedJson } from '../canonical/json-text.ts'
import type {
  CanonicalRequest,
  DocumentPart,
  ImagePart,
  Part,
  ReasoningPart,
  ServiceTier,
  TextPart,
  ToolCallPart,
  ToolResultPart,
  Turn,
} from '../canonical/request.ts'
import { countLeadingInstructions, expectsNextTurn } from '../canonical/turns.ts'
import { defined } from '../json.ts'
import type { Fault, JsonObject } from '../protocol.ts'
import { encodeCache, isThinking, markCache } from './cache.ts'
import { closeSchema, findSchemaFault } from './schema.ts'
import { encodeSentCitations } from './search.ts'
import { encodeThinking, usualMaxTokens } from './thinking.ts'
import { encodeTools } from './tools.ts'

/** The body for an upstream. The conversation comes last: the prefix is stable across turns. */
export function encodeRequest(request: CanonicalRequest, options: EncodeOptions): JsonObject {
  const { stop, topP, topK, temperature, userId } = request
  const { maxTokens, thinking, effort } = encodeThinking(
    request,
    options.quirks,
    options.defaultMaxOutputTokens ?? usualMaxTokens(options.model),
  )
  const { system, messages } = encodeTurns(withJsonWords(request))
  const body = defined({
    model: options.model,
    max_tokens: maxTokens,
    stream: request.stream ? true : undefined,
    ...encodeTools(request),
    thinking,
    output_config: encodeOutput(request, effort),
    temperature: temperature === undefined ? undefined : Math.min(Math.max(temperature, 0), 1),
    top_p: topP,
    top_k: topK,
    stop_sequences: stop,
    metadata: userId === undefined ? undefined : { user_id: userId },
    service_tier: tierWord(request.serviceTier),
    system,
    messages,
  })
  const { cacheMinimumTokens: minimum } = options
  return minimum !== undefined && isMarkedHere(request, options) ? markCache(body, minimum) : body
}

/** Whether the gateway sets prompt cache marks: the client sets none, and a next turn is likely. */
function isMarkedHere(request: CanonicalRequest, { quirks }: EncodeOptions): boolean {
  if (quirks.has('no_cache_control') || !expectsNextTurn(request)) return false
  return (
    !request.tools.some(({ cache }) => cache) && !request.turns.some(({ parts }) => hasMark(parts))
  )
}

const hasMark = (parts: readonly Part[]): boolean =>
  parts.some((part) => part.cache || (part.type === 'tool-result' && hasMark(part.parts)))

/** JSON without a schema is only requested in words: translation checks the answer. */
function withJsonWords(request: CanonicalRequest): Pick<CanonicalRequest, 'turns'> {
  const { turns, format } = request
  if (format?.type !== 'json') return request
  const what = format.isAny ? 'JSON' : 'one JSON object'
  const text = `Answer with ${what} and nothing else: no text before or after it, no code fence.`
  const words = { role: 'system', parts: [{ type: 'text', text }] } as const
  return { turns: turns.toSpliced(countLeadingInstructions(turns), 0, words) }
}

function encodeOutput({ format }: CanonicalRequest, effort: string | undefined) {
  const schema = format?.type === 'schema' ? closeSchema(format.schema) : undefined
  if (schema === undefined && effort === undefined) return undefined
  return defined({ effort, format: schema && { type: 'json_schema', schema } })
}

function tierWord(tier: ServiceTier | undefined): string | undefined {
  if (tier === 'auto' || tier === 'priority') return 'auto'
  return tier === 'default' ? 'standard_only' : undefined
}

interface Message {
  readonly role: 'user' | 'assistant'
  readonly blocks: JsonObject[]
}

/** Later instructions, and all of them where there is no user message, become user text in tags. */
function encodeTurns({ turns }: Pick<CanonicalRequest, 'turns'>) {
  const count = countSystem(turns)
  const messages: Message[] = []
  for (const turn of turns.slice(count)) {
    const role = turn.role === 'assistant' ? 'assistant' : 'user'
    const blocks = blocksOf(turn)
    const last = messages.at(-1)
    if (last?.role === role) last.blocks.push(...blocks)
    else if (blocks.length > 0) messages.push({ role, blocks: [...blocks] })
  }
  const system = turns.slice(0, count).flatMap(instructions)
  return {
    system: system.length === 0 ? undefined : encodeContent(system),
    messages: messages.map(encodeMessage),
  }
}

function countSystem(turns: readonly Turn[]): number {
  const leading = countLeadingInstructions(turns)
  const first = turns[leading]
  const isMute = first === undefined || (first.role === 'user' && encodeAll(first).length === 0)
  return isMute ? 0 : leading
}

/** Whether there would be no message. */
const isSilent = ({ turns }: Pick<CanonicalRequest, 'turns'>): boolean =>
  turns.slice(countSystem(turns)).every((turn) => blocksOf(turn).length === 0)

function blocksOf(turn: Turn): readonly JsonObject[] {
  if (turn.role === 'user') return encodeAll(turn)
  if (turn.role !== 'assistant') return instructions(turn).map(inTags)
  const blocks = encodeAll(turn)
  // The vendor: "The final block in an assistant message cannot be `thinking`".
  const end = blocks.findLastIndex(({ type }) => !isThinking(type))
  return blocks.slice(0, end + 1)
}

const encodeAll = ({ parts }: Turn): readonly JsonObject[] =>
  parts.map(encodePart).filter((block) => block !== undefined)

const instructions = (turn: Turn): readonly JsonObject[] =>
  encodeAll(turn).filter(({ type }) => type === 'text')

const inTags = (block: JsonObject): JsonObject => ({
  ...block,
  text: `<system>\n${block.text}\n</system>`,
})

/** The vendor wants a message that answers calls to begin with the results. */
function encodeMessage({ role, blocks }: Message): JsonObject {
  const isResult = ({ type }: JsonObject) => type === 'tool_result'
  const results = blocks.filter(isResult)
  const sorted =
    results.length === 0 ? blocks : [...results, ...blocks.filter((block) => !isResult(block))]
  return { role, content: encodeContent(sorted) }
}

/** The block of one part; undefined for what the vendor rejects and no model needs. */
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
      return undefined
  }
}

/** Blocks as a message's content: a lone plain text is a string. */
export function encodeContent(blocks: readonly JsonObject[]): unknown {
  const [first] = blocks
  const isPlain = blocks.length === 1 && first?.type === 'text' && Object.keys(first).length === 2
  return isPlain ? first.text : blocks
}

/** A call's arguments as an object; invalid JSON (models do write it) is wrapped. */
export function encodeInput({ kind, input }: Pick<ToolCallPart, 'kind' | 'input'>): JsonObject {
  const object = kind === 'custom' ? undefined : embedJson(input === '' ? '{}' : input)
  return object ?? { input }
}

/** The vendor: "Text content blocks must contain non-whitespace text". */
function encodeText({ text, cache, citations }: TextPart): JsonObject | undefined {
  if (text.trim() === '') return undefined
  const sent = encodeSentCitations(citations)
  return { type: 'text', text, ...(sent && { citations: sent }), ...encodeCache(cache) }
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
  return defined({
    type: 'document',
    source: documentSource(part.source),
    title,
    context,
    citations: isCited === true ? { enabled: true } : undefined,
    ...encodeCache(cache),
  })
}

function documentSource(source: DocumentPart['source']): JsonObject {
  if (source.type === 'url') return { type: 'url', url: source.url }
  const text = source.type === 'text' ? source.text : plainText(source)
  if (source.type === 'text' || text !== undefined) {
    return { type: 'text', media_type: 'text/plain', data: text }
  }
  return { type: 'base64', media_type: source.mediaType, data: source.data }
}

/** Only PDFs may be base64: text of any kind is written as text. */
function plainText(source: { readonly mediaType: string; readonly data: string }) {
  if (!source.mediaType.startsWith('text/')) return undefined
  try {
    return new TextDecoder().decode(Uint8Array.from(atob(source.data), (c) => c.charCodeAt(0)))
  } catch {
    return undefined
  }
}

/** The vendor rejects reasoning without its signature. */
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
    ...(blocks.length > 0 && { content: encodeContent(blocks) }),
    ...(part.isError && { is_error: true }),
    ...encodeCache(part.cache),
  }
}

/** Ids of other vendors may violate the vendor's `^[a-zA-Z0-9_-]+$`. */
const callIdOf = ({ callId }: { readonly callId: string }) => callId.replace(/[^\w-]/g, '_')

/** What the vendor would reject: a schema that it cannot enforce, or an empty conversation. */
export function findRequestFault(
  request: CanonicalRequest,
  conversation = 'messages',
): Fault | undefined {
  const fault = findSchemaFault(request)
  if (fault || !isSilent(request)) return fault
  const message = `${conversation} has no text, and the channel of this model speaks the protocol messages, which wants some. Send a message.`
  return { code: 'invalid_value', param: conversation, message }
}
