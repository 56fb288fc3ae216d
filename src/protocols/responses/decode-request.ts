import { refuseValue } from '../canonical/error.ts'
import type { NativeFeature } from '../canonical/request.ts'
import {
  type CanonicalRequest,
  efforts,
  type NativeUse,
  type OutputFormat,
  type ReasoningSettings,
  type ServiceTier,
} from '../canonical/request.ts'
import { type MessageParts, toTurns } from '../canonical/turns.ts'
import { readFlag, readNumber } from '../fields.ts'
import { arrayIn, countIn, isJsonObject, objectIn, stringIn } from '../json.ts'
import type { JsonObject } from '../protocol.ts'
import { decodeContent } from './content.ts'
import { decodeItems, type Gathered } from './decode-items.ts'
import { decodeSearch, searchChoice } from './search.ts'
import { decodeToolChoice, decodeTools } from './tools.ts'

/** Reads a request for a response that `checkResponses` has passed. */
export function decodeResponsesRequest(body: JsonObject): CanonicalRequest {
  const native: NativeUse[] = []
  noteFields(body, native)
  const gathered: Gathered = { tools: decodeTools(arrayIn(body, 'tools'), 'tools', native), native }
  const turns = toTurns([...decodeInstructions(body, gathered), ...decodeInput(body, gathered)])
  const { tools } = gathered
  const webSearch = decodeSearch(body)
  const toolChoice = decodeToolChoice(body.tool_choice, tools, native)
  return {
    model: stringIn(body, 'model') ?? '',
    stream: body.stream === true,
    turns,
    tools,
    webSearch,
    toolChoice: searchChoice(body.tool_choice, webSearch) ?? toolChoice,
    parallelToolCalls: readFlag(body, 'parallel_tool_calls'),
    ...decodeText(body, native),
    reasoning: decodeReasoningSettings(body, native),
    maxOutputTokens: countIn(body, 'max_output_tokens'),
    temperature: readNumber(body, 'temperature'),
    topP: readNumber(body, 'top_p'),
    logprobs: decodeInclude(body, native),
    metadata: decodeMetadata(body),
    userId: stringIn(body, 'safety_identifier') ?? stringIn(body, 'user'),
    serviceTier: decodeServiceTier(body, native),
    promptCacheKey: stringIn(body, 'prompt_cache_key'),
    native,
  }
}

function decodeInstructions({ instructions }: JsonObject, gathered: Gathered): MessageParts[] {
  if (Array.isArray(instructions)) return decodeItems(instructions, 'instructions', gathered)
  const parts = decodeContent(instructions, 'instructions', gathered.native)
  return parts.length === 0 ? [] : [{ role: 'system', parts }]
}

function decodeInput({ input }: JsonObject, gathered: Gathered): MessageParts[] {
  if (Array.isArray(input)) return decodeItems(input, 'input', gathered)
  if (input === undefined || input === null) return []
  return [{ role: 'user', parts: decodeContent(input, 'input', gathered.native) }]
}

/** Fields that are read above, and those that mean nothing outside of this protocol. */
const readFields = new Set([
  ...['model', 'stream', 'stream_options', 'instructions', 'input', 'tools', 'tool_choice'],
  ...['parallel_tool_calls', 'text', 'reasoning', 'max_output_tokens', 'temperature', 'top_p'],
  ...['include', 'top_logprobs', 'metadata', 'user', 'safety_identifier', 'service_tier'],
  ...['prompt_cache_key'],
])

type Uses = (value: unknown) => boolean

/** Fields that only this vendor has, and the values by which they are used. Source: its API reference. */
const nativeFields = new Map<string, readonly [feature: NativeFeature, uses?: Uses]>([
  ['store', ['store', (value) => value === true]],
  ['background', ['stored_state', (value) => value === true]],
  ['previous_response_id', ['stored_state']],
  ['conversation', ['stored_state']],
  ['prompt', ['stored_prompt']],
  ['truncation', ['context_management', (value) => value !== 'disabled']],
  ['context_management', ['context_management', (value) => [value].flat().length > 0]],
  ['moderation', ['safety_settings']],
])

function noteFields(body: JsonObject, native: NativeUse[]): void {
  for (const field in body) {
    const value = body[field] ?? undefined
    if (value === undefined || readFields.has(field)) continue
    const [feature, isUsed] = nativeFields.get(field) ?? ['unknown_field']
    if (isUsed?.(value) !== false) native.push({ feature, at: field })
  }
}

/** A field that is one of a few words, when it is there at all. */
function wordOf<Word extends string>(
  holder: JsonObject | undefined,
  key: string,
  words: readonly Word[],
  at: string,
): Word | undefined {
  const value = holder?.[key] ?? undefined
  if (value === undefined) return undefined
  return words.find((word) => word === value) ?? refuseValue(at, `one of ${words.join(', ')}`)
}

/** The answer's format and length of speech (`text`); what else is in there is noted in `native`. */
function decodeText(
  body: JsonObject,
  native: NativeUse[],
): Pick<CanonicalRequest, 'format' | 'verbosity'> {
  const text = objectIn(body, 'text')
  noteOthers(text, ['format', 'verbosity'], 'text', native)
  const verbosity = wordOf(text, 'verbosity', ['low', 'medium', 'high'], 'text.verbosity')
  return { format: decodeFormat(objectIn(text, 'format')), verbosity }
}

function decodeFormat(format: JsonObject | undefined): OutputFormat | undefined {
  const at = 'text.format'
  const type = wordOf(format, 'type', ['text', 'json_object', 'json_schema'], `${at}.type`)
  if (type === undefined || type === 'text') return undefined
  if (type === 'json_object') return { type: 'json' }
  const schema = objectIn(format, 'schema') ?? refuseValue(`${at}.schema`, 'an object')
  return {
    type: 'schema',
    at,
    schema,
    ...{ name: stringIn(format, 'name'), description: stringIn(format, 'description') },
    strict: typeof format?.strict === 'boolean' ? format.strict : undefined,
  }
}

/** How much to reason, and what of it to show. */
function decodeReasoningSettings(
  body: JsonObject,
  native: NativeUse[],
): ReasoningSettings | undefined {
  const reasoning = objectIn(body, 'reasoning')
  noteOthers(reasoning, ['effort', 'summary', 'generate_summary'], 'reasoning', native)
  const effort = wordOf(reasoning, 'effort', ['none', ...efforts], 'reasoning.effort')
  const words = ['none', 'auto', 'concise', 'detailed'] as const
  const show =
    wordOf(reasoning, 'summary', words, 'reasoning.summary') ??
    wordOf(reasoning, 'generate_summary', words, 'reasoning.generate_summary')
  if (effort === undefined) return show && { show }
  return { amount: effort === 'none' ? { type: 'off' } : { type: 'effort', effort }, show }
}

/** Ways to reason that are the vendor's default. */
const defaults = new Set<unknown>(['auto', 'standard'])

function noteOthers(
  holder: JsonObject | undefined,
  known: readonly string[],
  at: string,
  native: NativeUse[],
): void {
  for (const key in holder) {
    const value = holder[key] ?? undefined
    if (value === undefined || known.includes(key) || defaults.has(value)) continue
    native.push({ feature: 'unknown_field', at: `${at}.${key}` })
  }
}

/**
 * How many alternatives to return with each token. What else `include` names is noted in `native`,
 * but for encrypted reasoning, which every answer has here.
 */
function decodeInclude(body: JsonObject, native: NativeUse[]): number | undefined {
  let isAsked = false
  for (const [index, name] of arrayIn(body, 'include').entries()) {
    if (name === 'message.output_text.logprobs') isAsked = true
    else if (name !== 'reasoning.encrypted_content') {
      native.push({ feature: 'include', at: `include[${index}]` })
    }
  }
  const count = countIn(body, 'top_logprobs')
  return isAsked ? (count ?? 0) : count || undefined
}

/** `fast` is another word for `priority`; tiers that only this vendor has are noted in `native`. */
function decodeServiceTier(body: JsonObject, native: NativeUse[]): ServiceTier | undefined {
  const tier = serviceTierOf(body.service_tier)
  if (tier === undefined && stringIn(body, 'service_tier') !== undefined) {
    native.push({ feature: 'unknown_field', at: 'service_tier' })
  }
  return tier
}

/** The tier by the vendor's word; undefined for one that only this vendor has. */
export function serviceTierOf(word: unknown): ServiceTier | undefined {
  if (word === 'fast') return 'priority'
  return tiers.find((tier) => tier === word)
}

const tiers: readonly ServiceTier[] = ['auto', 'default', 'flex', 'priority']

/** The client's own labels. */
function decodeMetadata(body: JsonObject): Readonly<Record<string, string>> | undefined {
  const { metadata } = body
  if (metadata === undefined || metadata === null) return undefined
  if (!isJsonObject(metadata)) return refuseValue('metadata', 'an object')
  const labels: [string, string][] = Object.entries(metadata).map(([key, value]) => {
    return [key, typeof value === 'string' ? value : refuseValue(`metadata.${key}`, 'a string')]
  })
  return labels.length === 0 ? undefined : Object.fromEntries(labels)
}
