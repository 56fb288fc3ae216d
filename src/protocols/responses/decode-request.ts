import type { CanonicalRequest, NativeFeature, NativeUse } from '../canonical/request.ts'
import { type MessageParts, toTurns } from '../canonical/turns.ts'
import { readFlag, readNumber } from '../fields.ts'
import { arrayIn, countIn, stringIn } from '../json.ts'
import type { JsonObject } from '../protocol.ts'
import { decodeContent } from './decode-content.ts'
import { decodeItems, type Gathered } from './decode-items.ts'
import {
  decodeInclude,
  decodeMetadata,
  decodeReasoningSettings,
  decodeServiceTier,
  decodeText,
} from './decode-settings.ts'
import { decodeSearch, searchChoice } from './search.ts'
import { decodeToolChoice } from './tool-choice.ts'
import { decodeTools } from './tools.ts'

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
  'model',
  'stream',
  'stream_options',
  'instructions',
  'input',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'text',
  'reasoning',
  'max_output_tokens',
  'temperature',
  'top_p',
  'include',
  'top_logprobs',
  'metadata',
  'user',
  'safety_identifier',
  'service_tier',
  'prompt_cache_key',
])

type NameField = (value: unknown) => NativeFeature | undefined

/** Fields that only this vendor has. Source: OpenAI's API reference. */
const nativeFields = new Map<string, NameField>([
  ['store', (value) => (value === true ? 'store' : undefined)],
  ['background', (value) => (value === true ? 'stored_state' : undefined)],
  ['previous_response_id', () => 'stored_state'],
  ['conversation', () => 'stored_state'],
  ['prompt', () => 'stored_prompt'],
  ['truncation', (value) => (value === 'disabled' ? undefined : 'context_management')],
  ['context_management', (value) => (isEmptyList(value) ? undefined : 'context_management')],
  ['moderation', () => 'safety_settings'],
])

const isEmptyList = (value: unknown) => Array.isArray(value) && value.length === 0

function noteFields(body: JsonObject, native: NativeUse[]): void {
  for (const field in body) {
    const value = body[field] ?? undefined
    if (value === undefined || readFields.has(field)) continue
    const name = nativeFields.get(field)
    const feature = name === undefined ? 'unknown_field' : name(value)
    if (feature !== undefined) native.push({ feature, at: field })
  }
}
