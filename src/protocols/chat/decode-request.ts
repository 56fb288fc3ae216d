import type { RequestTarget } from '../canonical/codec.ts'
import { refuseValue } from '../canonical/error.ts'
import { createOpenCalls } from '../canonical/open-calls.ts'
import {
  type CanonicalRequest,
  createNotes,
  type Note,
  type OutputFormat,
  type Part,
  type ServiceTier,
  type ToolCallPart,
  type ToolResultPart,
  type Turn,
} from '../canonical/request.ts'
import { type MessageParts, toTurns } from '../canonical/turns.ts'
import { arrayIn, countIn, isJsonObject, meanings, objectIn, stringIn, wordSet } from '../json.ts'
import type { JsonObject } from '../protocol.ts'
import * as read from '../read.ts'
import { cacheHint, decodeContent, decodeImages } from './content.ts'
import { decodeReasoning, decodeReasoningSettings } from './reasoning.ts'
import { decodeCall, decodeSearch, decodeToolChoice, decodeTools } from './tools.ts'

/** Decodes a checked chat completion request. Source: OpenAI's API reference, and its imitators'. */
export function decodeRequest(body: JsonObject, target: RequestTarget): CanonicalRequest {
  const { note, uses } = createNotes()
  const turns = decodeMessages(read.list(body, 'messages'), note)
  const tools = decodeTools(body, note)
  noteNative(body, note)
  return {
    model: stringIn(body, 'model') ?? target.model,
    stream: body.stream === true,
    turns,
    tools,
    webSearch: decodeSearch(body),
    toolChoice: decodeToolChoice(body),
    parallelToolCalls: read.flag(body, 'parallel_tool_calls'),
    format: decodeFormat(body, note),
    reasoning: decodeReasoningSettings(body),
    maxOutputTokens: countIn(body, 'max_completion_tokens') ?? countIn(body, 'max_tokens'),
    stop: decodeStop(body.stop),
    temperature: read.number(body, 'temperature'),
    topP: read.number(body, 'top_p'),
    topK: read.number(body, 'top_k'),
    // Clients send the default, which would be reported as dropped.
    presencePenalty: read.number(body, 'presence_penalty') || undefined,
    frequencyPenalty: read.number(body, 'frequency_penalty') || undefined,
    seed: read.number(body, 'seed'),
    logitBias: read.bag(body, 'logit_bias', 'number'),
    logprobs: read.flag(body, 'logprobs') ? (countIn(body, 'top_logprobs') ?? 0) : undefined,
    choices: decodeChoices(body),
    metadata: read.bag(body, 'metadata', 'string'),
    userId: stringIn(body, 'safety_identifier') ?? stringIn(body, 'user'),
    serviceTier: tiers.get(body.service_tier),
    promptCacheKey: read.text(body, 'prompt_cache_key') || undefined,
    verbosity: decodeVerbosity(read.text(body, 'verbosity')),
    native: uses,
  }
}

function decodeVerbosity(text: string | undefined): CanonicalRequest['verbosity'] {
  if (text === undefined || text === 'low' || text === 'medium' || text === 'high') return text
  return refuseValue('verbosity', 'low, medium or high')
}

function decodeFormat(body: JsonObject, note: Note): OutputFormat | undefined {
  const at = 'response_format'
  const format = read.object(body, at)
  if (format === undefined || format.type === 'text') return undefined
  if (format.type === 'json_object') return { type: 'json' }
  if (format.type !== 'json_schema') {
    note('unknown_field', at)
    return undefined
  }
  const wire = read.object(format, 'json_schema', at) ?? {}
  const schemaAt = `${at}.json_schema`
  return {
    type: 'schema',
    at,
    name: read.text(wire, 'name', schemaAt),
    description: read.text(wire, 'description', schemaAt),
    schema: read.object(wire, 'schema', schemaAt) ?? {},
    strict: read.flag(wire, 'strict', schemaAt),
  }
}

function decodeStop(stop: unknown): readonly string[] | undefined {
  const list = typeof stop === 'string' ? [stop] : (stop ?? [])
  if (!Array.isArray(list)) return refuseValue('stop', 'a string or an array of strings')
  const texts = list.map((text: unknown, index) =>
    typeof text === 'string' ? text : refuseValue(`stop[${index}]`, 'a string'),
  )
  return texts.length === 0 ? undefined : texts
}

function decodeChoices(body: JsonObject): number | undefined {
  const choices = countIn(body, 'n') ?? 1
  return choices > 1 ? choices : undefined
}

/** `fast` is OpenAI's alias of `priority`, `on_demand` Groq's of `default`. */
const tiers = meanings<ServiceTier>({
  auto: 'auto',
  default: 'default on_demand',
  flex: 'flex',
  priority: 'priority fast',
})

/** Notes features of this protocol only, and every unknown field. */
function noteNative(body: JsonObject, note: Note): void {
  if (body.store === true) note('store', 'store')
  if (arrayIn(body, 'modalities').some((name) => name !== 'text')) {
    note('output_modality', 'modalities')
  }
  if (isPresent(body.prediction)) note('prediction', 'prediction')
  if (isPresent(body.web_search_options)) note('hosted_tool', 'web_search_options')
  if (isPresent(body.service_tier) && !tiers.has(body.service_tier)) {
    note('unknown_field', 'service_tier')
  }
  for (const field of Object.keys(body)) {
    if (!known.has(field) && isPresent(body[field])) note('unknown_field', field)
  }
}

const isPresent = (value: unknown) => value !== undefined && value !== null

/** Fields that are decoded, noted above, or irrelevant elsewhere. */
const known = wordSet(`
  model messages stream stream_options tools functions tool_choice function_call parallel_tool_calls
  response_format reasoning_effort reasoning include_reasoning thinking verbosity
  max_completion_tokens max_tokens stop temperature top_p top_k presence_penalty frequency_penalty
  seed logit_bias logprobs top_logprobs n metadata user safety_identifier service_tier
  prompt_cache_key store modalities audio prediction web_search_options
`)

interface Conversation {
  readonly note: Note
  readonly open: ReturnType<typeof createOpenCalls<ToolCallPart>>
}

function decodeMessages(messages: readonly unknown[], note: Note): readonly Turn[] {
  const conversation: Conversation = { note, open: createOpenCalls() }
  const decoded = read.each(messages, 'messages', (message, at, index) =>
    decodeMessage(message, at, index, conversation),
  )
  return toTurns(
    decoded.filter(
      ({ role, parts }) => parts.length > 0 || role === 'user' || role === 'assistant',
    ),
  )
}

function decodeMessage(
  message: JsonObject,
  at: string,
  index: number,
  conversation: Conversation,
): MessageParts {
  const { note } = conversation
  const name = read.text(message, 'name', at)
  switch (message.role) {
    case 'system':
    case 'developer': {
      const parts = decodeContent(message.content, { at, note, name, kinds: instructionKinds })
      return { role: message.role, parts: withCache(parts, message) }
    }
    case 'user': {
      const parts = decodeContent(message.content, { at, note, name, kinds: userKinds })
      return { role: 'user', parts: withCache(parts, message) }
    }
    case 'assistant':
      return { role: 'assistant', parts: decodeAssistant(message, at, index, conversation) }
    case 'tool':
    case 'function':
      return { role: 'user', parts: [decodeResult(message, at, index, conversation)] }
    default:
      return refuseValue(
        `${at}.role`,
        'one of system, developer, user, assistant, tool and function',
      )
  }
}

const instructionKinds = new Set<Part['type']>(['text'])
const userKinds = new Set<Part['type']>(['text', 'image', 'document', 'audio', 'video'])
const assistantKinds = new Set<Part['type']>(['text', 'refusal', 'reasoning', 'image'])

/** A mark on the message itself (OpenRouter) marks its last part. */
function withCache(parts: readonly Part[], message: JsonObject): readonly Part[] {
  const cache = cacheHint(message)
  const last = parts.at(-1)
  return cache === undefined || last === undefined
    ? parts
    : [...parts.slice(0, -1), { ...last, cache }]
}

function decodeAssistant(
  message: JsonObject,
  at: string,
  index: number,
  { note, open }: Conversation,
): readonly Part[] {
  const name = read.text(message, 'name', at)
  const content = decodeContent(message.content, { at, note, name, kinds: assistantKinds })
  const refusal = read.text(message, 'refusal', at)
  if (isJsonObject(message.audio)) note('stored_state', `${at}.audio`)
  const spoken: Part[] = [
    ...decodeReasoning(message, at),
    ...content,
    ...(refusal ? [{ type: 'refusal', text: refusal, at } as const] : []),
    ...decodeImages(message).map((image) => ({ ...image, at: `${at}.images` })),
  ]
  const calls: ToolCallPart[] = []
  read.each(read.list(message, 'tool_calls', at), `${at}.tool_calls`, (wire, callAt, place) => {
    const call = decodeCall(wire, callAt, place === 0 ? `call_${index}` : `call_${index}_${place}`)
    if (call === undefined) note('unknown_part', callAt)
    else calls.push(call)
  })
  const legacy = objectIn(message, 'function_call')
  if (legacy !== undefined) {
    const call = decodeCall({ function: legacy }, `${at}.function_call`, `call_${index}`)
    if (call !== undefined) calls.push(call)
  }
  for (const call of calls) open.add(call)
  return [...withCache(spoken, message), ...calls]
}

/** A call's result. Without an id (role `function`, some imitators) it answers the next call. */
function decodeResult(
  message: JsonObject,
  at: string,
  index: number,
  { note, open }: Conversation,
): ToolResultPart {
  const name = read.text(message, 'name', at) ?? ''
  const given = message.role === 'tool' ? read.text(message, 'tool_call_id', at) : undefined
  const call = given ? open.take(given) : open.takeNext(name)
  const invented = message.role === 'function' ? `call_${index}` : undefined
  const callId = given || call?.callId || invented
  const parts = decodeContent(message.content, { at, note, kinds: resultKinds })
  return {
    type: 'tool-result',
    callId: callId ?? read.name(message, 'tool_call_id', at),
    name: call?.name ?? name,
    kind: call?.kind ?? 'function',
    parts: parts.filter(
      (part) => part.type === 'text' || part.type === 'image' || part.type === 'document',
    ),
    at,
    cache: cacheHint(message),
  }
}

const resultKinds = new Set<Part['type']>(['text', 'image', 'document'])
