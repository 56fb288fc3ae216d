import { refuseValue } from '../canonical/error.ts'
import { toJsonText } from '../canonical/json-text.ts'
import {
  type CanonicalRequest,
  createNotes,
  efforts,
  type Note,
  type OutputFormat,
  type ReasoningPart,
  type ReasoningSettings,
  type Role,
  type ServiceTier,
  type Tool,
  type ToolKind,
  type ToolResultPart,
} from '../canonical/request.ts'
import { searchText } from '../canonical/tools.ts'
import { type MessageParts, toTurns } from '../canonical/turns.ts'
import { arrayIn, countIn, isJsonObject, objectIn, stringIn, wordSet } from '../json.ts'
import type { JsonObject } from '../protocol.ts'
import * as read from '../read.ts'
import type { NativeFeature } from '../translation/features.ts'
import { decodeContent } from './content.ts'
import {
  decodeSearch,
  decodeSearchCall,
  decodeToolChoice,
  decodeTools,
  flatName,
  searchChoice,
} from './tools.ts'

/** Decodes a request for a response that `checkResponses` accepted. */
export function decodeRequest(body: JsonObject): CanonicalRequest {
  const { note, uses } = createNotes()
  noteFields(body, note)
  const gathered: Gathered = { tools: decodeTools(arrayIn(body, 'tools'), 'tools', note), note }
  const turns = toTurns([...decodeInstructions(body, gathered), ...decodeInput(body, gathered)])
  const { tools } = gathered
  const webSearch = decodeSearch(body)
  const toolChoice = decodeToolChoice(body.tool_choice, tools, note)
  return {
    model: stringIn(body, 'model') ?? '',
    stream: body.stream === true,
    turns,
    tools,
    webSearch,
    toolChoice: searchChoice(body.tool_choice, webSearch) ?? toolChoice,
    parallelToolCalls: read.flag(body, 'parallel_tool_calls'),
    ...decodeText(body, note),
    reasoning: decodeReasoningSettings(body, note),
    maxOutputTokens: countIn(body, 'max_output_tokens'),
    temperature: read.number(body, 'temperature'),
    topP: read.number(body, 'top_p'),
    logprobs: decodeInclude(body, note),
    metadata: read.bag(body, 'metadata', 'string'),
    userId: stringIn(body, 'safety_identifier') ?? stringIn(body, 'user'),
    serviceTier: decodeServiceTier(body, note),
    promptCacheKey: stringIn(body, 'prompt_cache_key'),
    native: uses,
  }
}

function decodeInstructions({ instructions }: JsonObject, gathered: Gathered): MessageParts[] {
  if (Array.isArray(instructions)) return decodeItems(instructions, 'instructions', gathered)
  const parts = decodeContent(instructions, 'instructions', gathered.note)
  return parts.length === 0 ? [] : [{ role: 'system', parts }]
}

function decodeInput({ input }: JsonObject, gathered: Gathered): MessageParts[] {
  if (Array.isArray(input)) return decodeItems(input, 'input', gathered)
  if (input === undefined || input === null) return []
  return [{ role: 'user', parts: decodeContent(input, 'input', gathered.note) }]
}

/** Fields that are decoded above, or irrelevant outside of this protocol. */
const readFields = wordSet(`
  model stream stream_options instructions input tools tool_choice parallel_tool_calls text
  reasoning max_output_tokens temperature top_p include top_logprobs metadata user safety_identifier
  service_tier prompt_cache_key
`)

/** Fields that only this vendor has, and the values that use them. Source: its API reference. */
const nativeFields = new Map<
  string,
  readonly [feature: NativeFeature, uses?: (value: unknown) => boolean]
>([
  ['store', ['store', (value) => value === true]],
  ['background', ['stored_state', (value) => value === true]],
  ['previous_response_id', ['stored_state']],
  ['conversation', ['stored_state']],
  ['prompt', ['stored_prompt']],
  ['truncation', ['context_management', (value) => value !== 'disabled']],
  ['context_management', ['context_management', (value) => [value].flat().length > 0]],
  ['moderation', ['safety_settings']],
])

function noteFields(body: JsonObject, note: Note): void {
  for (const field in body) {
    const value = body[field] ?? undefined
    if (value === undefined || readFields.has(field)) continue
    const [feature, isUsed] = nativeFields.get(field) ?? ['unknown_field']
    if (isUsed?.(value) !== false) note(feature, field)
  }
}

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

function decodeText(body: JsonObject, note: Note): Pick<CanonicalRequest, 'format' | 'verbosity'> {
  const text = objectIn(body, 'text')
  noteOthers(text, ['format', 'verbosity'], 'text', note)
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
    name: stringIn(format, 'name'),
    description: stringIn(format, 'description'),
    strict: typeof format?.strict === 'boolean' ? format.strict : undefined,
  }
}

function decodeReasoningSettings(body: JsonObject, note: Note): ReasoningSettings | undefined {
  const reasoning = objectIn(body, 'reasoning')
  noteOthers(reasoning, ['effort', 'summary', 'generate_summary'], 'reasoning', note)
  const effort = wordOf(reasoning, 'effort', ['none', ...efforts], 'reasoning.effort')
  const words = ['none', 'auto', 'concise', 'detailed'] as const
  const show =
    wordOf(reasoning, 'summary', words, 'reasoning.summary') ??
    wordOf(reasoning, 'generate_summary', words, 'reasoning.generate_summary')
  if (effort === undefined) return show && { show }
  return { amount: effort === 'none' ? { type: 'off' } : { type: 'effort', effort }, show }
}

const defaults = new Set<unknown>(['auto', 'standard'])

function noteOthers(
  holder: JsonObject | undefined,
  known: readonly string[],
  at: string,
  note: Note,
): void {
  for (const key in holder) {
    const value = holder[key] ?? undefined
    if (value === undefined || known.includes(key) || defaults.has(value)) continue
    note('unknown_field', `${at}.${key}`)
  }
}

/** Alternatives to return with each token. Encrypted reasoning is in every answer here. */
function decodeInclude(body: JsonObject, note: Note): number | undefined {
  let isAsked = false
  for (const [index, name] of arrayIn(body, 'include').entries()) {
    if (name === 'message.output_text.logprobs') isAsked = true
    else if (name !== 'reasoning.encrypted_content') note('include', `include[${index}]`)
  }
  const count = countIn(body, 'top_logprobs')
  return isAsked ? (count ?? 0) : count || undefined
}

/** `fast` is an alias of `priority`; tiers that only this vendor has are noted. */
function decodeServiceTier(body: JsonObject, note: Note): ServiceTier | undefined {
  const tier = serviceTierOf(body.service_tier)
  if (tier === undefined && stringIn(body, 'service_tier') !== undefined) {
    note('unknown_field', 'service_tier')
  }
  return tier
}

/** The tier of the vendor's word; undefined for a tier that only this vendor has. */
export function serviceTierOf(word: unknown): ServiceTier | undefined {
  if (word === 'fast') return 'priority'
  return tiers.find((tier) => tier === word)
}

const tiers: readonly ServiceTier[] = ['auto', 'default', 'flex', 'priority']

interface Gathered {
  readonly tools: Tool[]
  readonly note: Note
}

/** Decodes a list of items. Items that only this vendor has are noted. */
function decodeItems(items: readonly unknown[], at: string, gathered: Gathered): MessageParts[] {
  const messages: MessageParts[] = []
  let said: MessageParts[] = []
  items.forEach((item, index) => {
    const message = decodeItem(item, `${at}[${index}]`, gathered)
    if (message?.role === 'assistant') said.push(message)
    else if (message !== undefined) {
      // A search's results come before all that the assistant said around it.
      if (!isJsonObject(item) || item.type !== 'web_search_call') {
        for (const each of said) messages.push(each)
        said = []
      }
      messages.push(message)
    }
  })
  return [...messages, ...said]
}

function decodeItem(item: unknown, at: string, gathered: Gathered): MessageParts | undefined {
  if (!isJsonObject(item)) return refuseValue(at, 'an object')
  const type = stringIn(item, 'type') ?? impliedType(item)
  const decode = readers.get(type)
  if (decode !== undefined) return decode(item, at, gathered)
  gathered.note(nativeItem(type, item.execution), at)
  return undefined
}

/** Messages, and references to stored items, may lack a type. */
function impliedType(item: JsonObject): string {
  if ('role' in item) return 'message'
  if ('summary' in item || 'encrypted_content' in item) return 'reasoning'
  return 'content' in item ? 'message' : 'item_reference'
}

type DecodeItem = (item: JsonObject, at: string, gathered: Gathered) => MessageParts | undefined

const readers = new Map<string, DecodeItem>([
  ['message', decodeMessage],
  ['reasoning', decodeReasoning],
  ['function_call', decodeCall],
  ['custom_tool_call', decodeCall],
  ['function_call_output', decodeResult],
  ['custom_tool_call_output', decodeResult],
  ['additional_tools', decodeAdditionalTools],
  ['tool_search_output', decodeFoundTools],
  ['web_search_call', decodeSearchItem],
])

/** Tools that a tool search found: decoded like those that a client adds. */
function decodeFoundTools(item: JsonObject, at: string, gathered: Gathered) {
  gathered.note(nativeItem('tool_search_output', item.execution), at)
  return decodeAdditionalTools(item, at, gathered)
}

/** A search is carried with its results, which clients get only on request. */
function decodeSearchItem(item: JsonObject, at: string, { note }: Gathered) {
  const search = decodeSearchCall(item)
  const isTold = search !== undefined && search.results.length > 0
  note(isTold ? 'search_history' : 'hosted_item', at)
  if (!isTold) return undefined
  return { role: 'user', parts: [{ type: 'text', at, text: searchText(search) }] } as const
}

const roles: readonly Role[] = ['user', 'assistant', 'system', 'developer']

function decodeMessage(item: JsonObject, at: string, { note }: Gathered) {
  const role =
    roles.find((name) => name === item.role) ??
    refuseValue(`${at}.role`, 'user, assistant, system or developer')
  const parts = decodeContent(item.content, `${at}.content`, note)
  // Empty instructions are dropped; another empty message is still a turn.
  return parts.length === 0 && (role === 'system' || role === 'developer')
    ? undefined
    : { role, parts }
}

/** Reasoning that the vendor stores has only an id: no other vendor can use it. */
function decodeReasoning(item: JsonObject, at: string): MessageParts | undefined {
  const text = reasoningText(item)
  const signature = stringIn(item, 'encrypted_content')
  if (text === '' && signature === undefined) return undefined
  const part: ReasoningPart = { type: 'reasoning', text, signature, id: stringIn(item, 'id'), at }
  return { role: 'assistant', parts: [part] }
}

/** Item types of custom tools contain the word; all others are of functions. */
const kindOf = ({ type }: JsonObject): ToolKind =>
  `${type}`.startsWith('custom_') ? 'custom' : 'function'

function decodeCall(item: JsonObject, at: string, { tools }: Gathered): MessageParts {
  const kind = kindOf(item)
  const field = kind === 'custom' ? 'input' : 'arguments'
  const bare = read.name(item, 'name', at)
  const input = callInput(item[field], kind) ?? refuseValue(`${at}.${field}`, 'a string')
  const name = flatName(tools, bare, stringIn(item, 'namespace'))
  const callId = read.name(item, 'call_id', at)
  return { role: 'assistant', parts: [{ type: 'tool-call', callId, name, kind, input, at }] }
}

/** A call's input. Some clients send arguments as an object. */
export function callInput(input: unknown, kind: ToolKind): string | undefined {
  if (input === undefined || input === null || input === '') return kind === 'custom' ? '' : '{}'
  if (typeof input === 'string') return input
  return isJsonObject(input) ? toJsonText(input) : undefined
}

function decodeResult(item: JsonObject, at: string, { note }: Gathered): MessageParts {
  const kind = kindOf(item)
  const { output } = item
  if (typeof output !== 'string' && !Array.isArray(output)) {
    return refuseValue(`${at}.output`, 'a string or an array of content parts')
  }
  const parts: ToolResultPart['parts'][number][] = []
  for (const part of decodeContent(output, `${at}.output`, note)) {
    if (part.type === 'text' || part.type === 'image' || part.type === 'document') parts.push(part)
    else note('unknown_part', part.at ?? at)
  }
  const callId = read.name(item, 'call_id', at)
  // The call names the tool (toTurns); without it the item does.
  const name = stringIn(item, 'name') ?? ''
  return { role: 'user', parts: [{ type: 'tool-result', callId, name, kind, parts, at }] }
}

/** Tools that a client adds later: other protocols list all tools at the beginning. */
function decodeAdditionalTools(item: JsonObject, at: string, { tools, note }: Gathered) {
  const known = new Set(tools.map(({ name }) => name))
  const added = decodeTools(arrayIn(item, 'tools'), `${at}.tools`, note)
  tools.push(...added.filter(({ name }) => !known.has(name)))
  return undefined
}

/** The feature of an item that only this vendor has, by its type and its tool's executor. Source: its API reference. */
function nativeItem(type: string, execution?: unknown): NativeFeature {
  if (type === 'item_reference') return 'stored_state'
  // The conversation's beginning in a form for this vendor only, or the request for one.
  if (type.startsWith('compaction')) return 'context_management'
  if (!ofVendorTools.test(type)) return 'unknown_part'
  return execution === 'client' || ofClientTools.test(type) ? 'vendor_item' : 'hosted_item'
}

/** Of these, the ones that the client runs, or may run. */
const ofClientTools = /^(local_shell|shell|apply_patch|computer)_call(_output)?$/

/** Calls of vendor-run tools, or of its own kinds, their outputs, and related items. */
const ofVendorTools = /_call(_output)?$|^mcp_|^tool_search_|^program(_output)?$/

/** Separates the parts of a summary in one text. */
export const summarySeparator = '\n\n'

/** The text of a reasoning item: its summary, or else the reasoning, which some vendors show. */
function reasoningText(item: JsonObject): string {
  const summary = textsIn(item, 'summary').filter(Boolean)
  const texts = summary.length > 0 ? summary : textsIn(item, 'content').filter(Boolean)
  return texts.join(summarySeparator)
}

/** The texts of a list of parts, by index. */
export function textsIn(item: JsonObject, key: 'summary' | 'content'): string[] {
  return arrayIn(item, key).map((part) =>
    isJsonObject(part) && typeof part.text === 'string' ? part.text : '',
  )
}
