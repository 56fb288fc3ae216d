import type { RequestTarget } from '../canonical/codec.ts'
import { refuseValue } from '../canonical/error.ts'
import type {
  CacheHint,
  CanonicalRequest,
  NativeFeature,
  NativeUse,
  Note,
  OutputFormat,
  Part,
  ServiceTier,
  TextPart,
  Turn,
} from '../canonical/request.ts'
import { type MessageParts, toTurns } from '../canonical/turns.ts'
import { readNumber } from '../fields.ts'
import { arrayIn, countIn, isJsonObject, objectIn, stringIn } from '../json.ts'
import type { JsonObject } from '../protocol.ts'
import { decodeCache } from './cache.ts'
import { decodeContent, decodeTexts } from './decode-content.ts'
import { decodeSearch, findSearches } from './search.ts'
import { decodeThinking } from './thinking.ts'
import { decodeToolChoice, decodeTools, loadedTools } from './tools.ts'

/** Reads a request that `checkMessages` has passed. Throws `TranslationError`. */
export function decodeMessagesRequest(body: JsonObject, target: RequestTarget): CanonicalRequest {
  const native: NativeUse[] = []
  const note: Note = (feature, at) => {
    native.push({ feature, at })
  }
  const system = withoutBilling(decodeTexts(body.system, 'system', note), note)
  const messages = arrayIn(body, 'messages').flatMap((message, index) =>
    decodeMessage(message, `messages[${index}]`, note),
  )
  const instructions: MessageParts[] =
    system.length === 0 ? [] : [{ role: 'system', parts: system }]
  const all = [...instructions, ...messages.filter(isSaid)]
  const request = {
    model: stringIn(body, 'model') ?? target.model,
    stream: body.stream === true,
    turns: withCache(toTurns(all), decodeCache(body)),
    tools: loadedTools(decodeTools(body.tools, note), body),
    webSearch: decodeSearch(body),
    ...decodeToolChoice(body),
    format: decodeFormat(body),
    reasoning: decodeThinking(body, note),
    maxOutputTokens: countIn(body, 'max_tokens'),
    stop: decodeStop(body.stop_sequences),
    temperature: readNumber(body, 'temperature'),
    topP: readNumber(body, 'top_p'),
    topK: readNumber(body, 'top_k'),
    userId: stringIn(objectIn(body, 'metadata'), 'user_id'),
    serviceTier: serviceTiers.get(body.service_tier),
  }
  noteFields(body, note)
  return { ...request, native }
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
      const said = { role, parts: decodeContent(content, `${at}.content`, noteOthers) }
      // It stands before the message, as what the user has told.
      return texts.length === 0 ? [said] : [{ role: 'user', parts: texts }, said]
    }
    case 'system':
      if (isUsed(message.clear_at)) note('unknown_field', `${at}.clear_at`)
      if (isUsed(message.output_config)) note('unknown_field', `${at}.output_config`)
      return [{ role, parts: decodeTexts(content, `${at}.content`, note) }]
    default:
      return refuseValue(`${at}.role`, '"user", "assistant" or "system"')
  }
}

/** Instructions of which nothing is left are none. */
const isSaid = ({ role, parts }: MessageParts) => role !== 'system' || parts.length > 0

/**
 * A `cache_control` of the whole request is one for its last block that may have one. Source: the
 * SDK's `MessageCreateParamsBase.cache_control`.
 */
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

/** A schema for the answer: in `output_config`, or where it was during the beta. */
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

/** Notes the fields that no other protocol has, and those that are newer than this code. */
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

/** Whether a field says anything: null is the default everywhere, and lists may be empty. */
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

/** What says no more than the field's absence. */
const defaults = new Map<string, unknown>([['speed', 'standard']])

/** Fields that are read, or mean nothing elsewhere: Bedrock's two. */
const carried = new Set([
  ...['model', 'max_tokens', 'messages', 'system', 'tools', 'tool_choice', 'thinking'],
  ...['output_config', 'output_format', 'stop_sequences', 'temperature', 'top_p', 'top_k'],
  ...['metadata', 'service_tier', 'stream', 'cache_control', 'anthropic_version', 'anthropic_beta'],
])

/**
 * A system prompt without the line that Claude Code puts at its head (`x-anthropic-billing-header:
 * cc_version=…; cch=…;`), most often a block of its own. It is for its vendor alone, and differs by
 * session and by request: with it no two prompts would begin alike. Seen in Claude Code 2.1.
 */
function withoutBilling(system: readonly TextPart[], note: Note): readonly TextPart[] {
  return system.flatMap((part) => {
    const text = part.text.replace(billingLine, '')
    if (text === part.text) return [part]
    note('billing_line', part.at ?? 'system')
    return text === '' ? [] : [{ ...part, text }]
  })
}

const billingLine = /^x-anthropic-billing-header[^\n]*\n*/
