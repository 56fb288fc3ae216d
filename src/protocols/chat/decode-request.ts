import type { RequestTarget } from '../canonical/codec.ts'
import { refuseValue } from '../canonical/error.ts'
import type {
  CanonicalRequest,
  NativeUse,
  OutputFormat,
  Part,
  ServiceTier,
  ToolCallPart,
  ToolResultPart,
  Turn,
} from '../canonical/request.ts'
import { type MessageParts, toTurns } from '../canonical/turns.ts'
import {
  arrayIn,
  countIn,
  eachObject,
  isJsonObject,
  isString,
  meanings,
  objectIn,
  readBag,
  readFlag,
  readList,
  readName,
  readNumber,
  readObject,
  readText,
  stringIn,
} from '../json.ts'
import type { JsonObject } from '../protocol.ts'
import { cacheHint, decodeContent, decodeImages } from './content.ts'
import { decodeReasoning, decodeReasoningSettings } from './reasoning.ts'
import { decodeCall, decodeSearch, decodeToolChoice, decodeTools } from './tools.ts'

/** Decodes a checked chat completion request. Source: OpenAI's API reference, and its imitators'. */
export function decodeChatRequest(body: JsonObject, target: RequestTarget): CanonicalRequest {
  const native: NativeUse[] = []
  const turns = decodeMessages(readList(body, 'messages'), native)
  const tools = decodeTools(body, native)
  noteNative(body, native)
  return {
    model: stringIn(body, 'model') ?? target.model,
    stream: body.stream === true,
    turns,
    tools,
    webSearch: decodeSearch(body),
    toolChoice: decodeToolChoice(body),
    parallelToolCalls: readFlag(body, 'parallel_tool_calls'),
    format: decodeFormat(body, native),
    reasoning: decodeReasoningSettings(body),
    maxOutputTokens: countIn(body, 'max_completion_tokens') ?? countIn(body, 'max_tokens'),
    stop: decodeStop(body.stop),
    temperature: readNumber(body, 'temperature'),
    topP: readNumber(body, 'top_p'),
    topK: readNumber(body, 'top_k'),
    // Clients send the default, which would be reported as dropped.
    presencePenalty: readNumber(body, 'presence_penalty') || undefined,
    frequencyPenalty: readNumber(body, 'frequency_penalty') || undefined,
    seed: readNumber(body, 'seed'),
    logitBias: readBag(body, 'logit_bias', (value) => typeof value === 'number', 'a number'),
    logprobs: readFlag(body, 'logprobs') ? (countIn(body, 'top_logprobs') ?? 0) : undefined,
    choices: decodeChoices(body),
    metadata: readBag(body, 'metadata', isString, 'a string'),
    userId: stringIn(body, 'safety_identifier') ?? stringIn(body, 'user'),
    serviceTier: tiers.get(body.service_tier),
    promptCacheKey: readText(body, 'prompt_cache_key') || undefined,
    verbosity: decodeVerbosity(readText(body, 'verbosity')),
    native,
  }
}

function decodeVerbosity(text: string | undefined): CanonicalRequest['verbosity'] {
  if (text === undefined || text === 'low' || text === 'medium' || text === 'high') return text
  return refuseValue('verbosity', 'low, medium or high')
}

function decodeFormat(body: JsonObject, native: NativeUse[]): OutputFormat | undefined {
  const at = 'response_format'
  const format = readObject(body, at)
  if (format === undefined || format.type === 'text') return undefined
  if (format.type === 'json_object') return { type: 'json' }
  if (format.type !== 'json_schema') {
    native.push({ feature: 'unknown_field', at })
    return undefined
  }
  const wire = readObject(format, 'json_schema', at) ?? {}
  const schemaAt = `${at}.json_schema`
  return {
    type: 'schema',
    at,
    name: readText(wire, 'name', schemaAt),
    description: readText(wire, 'description', schemaAt),
    schema: readObject(wire, 'schema', schemaAt) ?? {},
    strict: readFlag(wire, 'strict', schemaAt),
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
  ...{ auto: 'auto', default: 'default on_demand', flex: 'flex', priority: 'priority fast' },
})

/** Notes features of this protocol only, and every unknown field. */
function noteNative(body: JsonObject, native: NativeUse[]): void {
  if (body.store === true) native.push({ feature: 'store', at: 'store' })
  if (arrayIn(body, 'modalities').some((name) => name !== 'text')) {
    native.push({ feature: 'output_modality', at: 'modalities' })
  }
  if (isPresent(body.prediction)) native.push({ feature: 'prediction', at: 'prediction' })
  if (isPresent(body.web_search_options)) {
    native.push({ feature: 'hosted_tool', at: 'web_search_options' })
  }
  if (isPresent(body.service_tier) && !tiers.has(body.service_tier)) {
    native.push({ feature: 'unknown_field', at: 'service_tier' })
  }
  for (const field of Object.keys(body)) {
    if (!known.has(field) && isPresent(body[field])) {
      native.push({ feature: 'unknown_field', at: field })
    }
  }
}

const isPresent = (value: unknown) => value !== undefined && value !== null

/** Fields that are decoded, noted above, or irrelevant elsewhere. */
const known = new Set([
  ...['model', 'messages', 'stream', 'stream_options', 'tools', 'functions', 'tool_choice'],
  ...['function_call', 'parallel_tool_calls', 'response_format', 'reasoning_effort', 'reasoning'],
  ...['include_reasoning', 'thinking', 'verbosity', 'max_completion_tokens', 'max_tokens', 'stop'],
  ...['temperature', 'top_p', 'top_k', 'presence_penalty', 'frequency_penalty', 'seed'],
  ...['logit_bias', 'logprobs', 'top_logprobs', 'n', 'metadata', 'user', 'safety_identifier'],
  ...['service_tier', 'prompt_cache_key', 'store', 'modalities', 'audio', 'prediction'],
  ...['web_search_options'],
])

interface Conversation {
  readonly native: NativeUse[]
  readonly open: OpenCalls
}

function decodeMessages(messages: readonly unknown[], native: NativeUse[]): readonly Turn[] {
  const conversation: Conversation = { native, open: createOpenCalls() }
  const decoded = eachObject(messages, 'messages', (message, at, index) =>
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
  const { native } = conversation
  const name = readText(message, 'name', at)
  switch (message.role) {
    case 'system':
    case 'developer': {
      const parts = decodeContent(message.content, { at, native, name, kinds: instructionKinds })
      return { role: message.role, parts: withCache(parts, message) }
    }
    case 'user': {
      const parts = decodeContent(message.content, { at, native, name, kinds: userKinds })
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
  { native, open }: Conversation,
): readonly Part[] {
  const name = readText(message, 'name', at)
  const content = decodeContent(message.content, { at, native, name, kinds: assistantKinds })
  const refusal = readText(message, 'refusal', at)
  if (isJsonObject(message.audio)) native.push({ feature: 'stored_state', at: `${at}.audio` })
  const spoken: Part[] = [
    ...decodeReasoning(message, at),
    ...content,
    ...(refusal ? [{ type: 'refusal', text: refusal, at } as const] : []),
    ...decodeImages(message).map((image) => ({ ...image, at: `${at}.images` })),
  ]
  const calls: ToolCallPart[] = []
  eachObject(readList(message, 'tool_calls', at), `${at}.tool_calls`, (wire, callAt, place) => {
    const call = decodeCall(wire, callAt, place === 0 ? `call_${index}` : `call_${index}_${place}`)
    if (call === undefined) native.push({ feature: 'unknown_part', at: callAt })
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
  { native, open }: Conversation,
): ToolResultPart {
  const name = readText(message, 'name', at) ?? ''
  const given = message.role === 'tool' ? readText(message, 'tool_call_id', at) : undefined
  const call = given ? open.take(given) : open.takeNext(name)
  const invented = message.role === 'function' ? `call_${index}` : undefined
  const callId = given || call?.callId || invented
  const parts = decodeContent(message.content, { at, native, kinds: resultKinds })
  return {
    type: 'tool-result',
    callId: callId ?? readName(message, 'tool_call_id', at),
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

type OpenCalls = ReturnType<typeof createOpenCalls>

/** Pairs results without ids with their calls, visiting each call once: conversations may be long. */
export function createOpenCalls() {
  const open = new Map<string, ToolCallPart>()
  const queues = new Map<string, { readonly calls: ToolCallPart[]; next: number }>()

  function take(callId: string): ToolCallPart | undefined {
    const call = open.get(callId)
    open.delete(callId)
    return call
  }

  return {
    add(call: ToolCallPart): void {
      open.set(call.callId, call)
      for (const name of new Set(['', call.name])) {
        const queue = queues.get(name)
        if (queue === undefined) queues.set(name, { calls: [call], next: 0 })
        else queue.calls.push(call)
      }
    },
    take,
    /** The first open call of this name, or of any for an empty name. */
    takeNext(name: string): ToolCallPart | undefined {
      const queue = queues.get(name)
      while (queue !== undefined && queue.next < queue.calls.length) {
        const call = queue.calls[queue.next++]
        if (call && open.get(call.callId) === call) return take(call.callId)
      }
      return undefined
    },
  }
}
