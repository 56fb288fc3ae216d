import type { RequestTarget } from '../canonical/codec.ts'
import { refuseValue } from '../canonical/error.ts'
import type {
  CanonicalRequest,
  NativeUse,
  OutputFormat,
  ServiceTier,
} from '../canonical/request.ts'
import { arrayIn, countIn, stringIn } from '../json.ts'
import type { JsonObject } from '../protocol.ts'
import { decodeMessages } from './decode-messages.ts'
import { decodeReasoningSettings } from './effort.ts'
import { readFlag, readList, readNumber, readObject, readText } from './fields.ts'
import { decodeSearch } from './search.ts'
import { decodeToolChoice, decodeTools } from './tools.ts'

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
    // Clients send the default, and it would be named as left out elsewhere.
    presencePenalty: readNumber(body, 'presence_penalty') || undefined,
    frequencyPenalty: readNumber(body, 'frequency_penalty') || undefined,
    seed: readNumber(body, 'seed'),
    logitBias: decodeBag(body, 'logit_bias', (value) => typeof value === 'number', 'a number'),
    logprobs: readFlag(body, 'logprobs') ? (countIn(body, 'top_logprobs') ?? 0) : undefined,
    choices: decodeChoices(body),
    metadata: decodeBag(body, 'metadata', (value) => typeof value === 'string', 'a string'),
    userId: stringIn(body, 'safety_identifier') ?? stringIn(body, 'user'),
    serviceTier: decodeTier(body.service_tier),
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

/** An object whose members are all of one kind; undefined when it has none. */
function decodeBag<T>(
  body: JsonObject,
  key: string,
  isValid: (value: unknown) => value is T,
  expected: string,
): Readonly<Record<string, T>> | undefined {
  const entries = Object.entries(readObject(body, key) ?? {}).map(([name, value]): [string, T] =>
    isValid(value) ? [name, value] : refuseValue(`${key}.${name}`, expected),
  )
  return entries.length === 0 ? undefined : Object.fromEntries(entries)
}

/** One answer is what everybody gives. */
function decodeChoices(body: JsonObject): number | undefined {
  const choices = countIn(body, 'n') ?? 1
  return choices > 1 ? choices : undefined
}

function decodeTier(tier: unknown): ServiceTier | undefined {
  return tiers.get(tier)
}

/** `fast` is OpenAI's other name of `priority`, `on_demand` Groq's of `default`. */
const tiers = new Map<unknown, ServiceTier>([
  ['auto', 'auto'],
  ['default', 'default'],
  ['on_demand', 'default'],
  ['flex', 'flex'],
  ['priority', 'priority'],
  ['fast', 'priority'],
])

/** Notes what only this protocol has, and every field that is not known. */
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

/** Fields that are decoded, noted above, or without consequence elsewhere. */
const known = new Set([
  ...['model', 'messages', 'stream', 'stream_options', 'tools', 'functions', 'tool_choice'],
  ...['function_call', 'parallel_tool_calls', 'response_format', 'reasoning_effort', 'reasoning'],
  ...['include_reasoning', 'thinking', 'verbosity', 'max_completion_tokens', 'max_tokens', 'stop'],
  ...['temperature', 'top_p', 'top_k', 'presence_penalty', 'frequency_penalty', 'seed'],
  ...['logit_bias', 'logprobs', 'top_logprobs', 'n', 'metadata', 'user', 'safety_identifier'],
  ...['service_tier', 'prompt_cache_key', 'store', 'modalities', 'audio', 'prediction'],
  ...['web_search_options'],
])
