import { refuseValue } from '../canonical/error.ts'
import { toJsonText } from '../canonical/json-text.ts'
import type {
  NativeFeature,
  NativeUse,
  ReasoningPart,
  Role,
  Tool,
  ToolKind,
  ToolResultPart,
} from '../canonical/request.ts'
import { searchText } from '../canonical/tools.ts'
import type { MessageParts } from '../canonical/turns.ts'
import { arrayIn, isJsonObject, stringIn } from '../json.ts'
import type { JsonObject } from '../protocol.ts'
import { decodeContent } from './content.ts'
import { decodeSearchCall } from './search.ts'
import { decodeTools, flatName } from './tools.ts'

/** What is gathered while items are read: tools come among them too. */
export interface Gathered {
  readonly tools: Tool[]
  readonly native: NativeUse[]
}

type ReadItem = (item: JsonObject, at: string, gathered: Gathered) => MessageParts | undefined

/** The conversation in a list of items. Items that only this vendor has are noted in `gathered`. */
export function decodeItems(
  items: readonly unknown[],
  at: string,
  gathered: Gathered,
): MessageParts[] {
  const messages: MessageParts[] = []
  let said: MessageParts[] = []
  items.forEach((item, index) => {
    const message = decodeItem(item, `${at}[${index}]`, gathered)
    if (message?.role === 'assistant') said.push(message)
    else if (message !== undefined) {
      // What a search has found stands before all that the assistant said around it.
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
  const read = readers.get(type)
  if (read !== undefined) return read(item, at, gathered)
  gathered.native.push({ feature: nativeItem(type, item.execution), at })
  return undefined
}

/** Messages, and references to what the vendor keeps, may come without a type. */
function impliedType(item: JsonObject): string {
  if ('role' in item) return 'message'
  if ('summary' in item || 'encrypted_content' in item) return 'reasoning'
  return 'content' in item ? 'message' : 'item_reference'
}

const readers = new Map<string, ReadItem>([
  ['message', decodeMessage],
  ['reasoning', decodeReasoning],
  ['function_call', decodeCall],
  ['custom_tool_call', decodeCall],
  ['function_call_output', decodeResult],
  ['custom_tool_call_output', decodeResult],
  ['additional_tools', decodeAdditionalTools],
  ['tool_search_output', decodeFoundTools],
  ['web_search_call', decodeSearch],
])

/** Tools that a search of tools has found: they are read like those that a client adds. */
function decodeFoundTools(item: JsonObject, at: string, gathered: Gathered) {
  gathered.native.push({ feature: nativeItem('tool_search_output', item.execution), at })
  return decodeAdditionalTools(item, at, gathered)
}

/** A search is carried if it has its results: a client gets them only if it has asked for them. */
function decodeSearch(item: JsonObject, at: string, { native }: Gathered) {
  const search = decodeSearchCall(item)
  const isTold = search !== undefined && search.results.length > 0
  native.push({ feature: isTold ? 'search_history' : 'hosted_item', at })
  if (!isTold) return undefined
  return { role: 'user', parts: [{ type: 'text', at, text: searchText(search) }] } as const
}

const roles: readonly Role[] = ['user', 'assistant', 'system', 'developer']

function decodeMessage(item: JsonObject, at: string, { native }: Gathered) {
  const role = roles.find((name) => name === item.role)
  if (role === undefined) {
    return refuseValue(`${at}.role`, 'user, assistant, system or developer')
  }
  const parts = decodeContent(item.content, `${at}.content`, native)
  // Empty instructions say nothing; an empty message of the others is a turn still.
  return parts.length === 0 && (role === 'system' || role === 'developer')
    ? undefined
    : { role, parts }
}

/** Reasoning that the vendor keeps comes with its id alone: no other vendor can use it. */
function decodeReasoning(item: JsonObject, at: string): MessageParts | undefined {
  const text = reasoningText(item)
  const signature = stringIn(item, 'encrypted_content')
  if (text === '' && signature === undefined) return undefined
  const part: ReasoningPart = { type: 'reasoning', text, signature, id: stringIn(item, 'id'), at }
  return { role: 'assistant', parts: [part] }
}

/** Items of custom tools are called so; all others are of functions. */
const kindOf = ({ type }: JsonObject): ToolKind =>
  `${type}`.startsWith('custom_') ? 'custom' : 'function'

function decodeCall(item: JsonObject, at: string, { tools }: Gathered): MessageParts {
  const kind = kindOf(item)
  const field = kind === 'custom' ? 'input' : 'arguments'
  const bare = stringIn(item, 'name') ?? refuseValue(`${at}.name`, 'a non-empty string')
  const input = callInput(item[field], kind) ?? refuseValue(`${at}.${field}`, 'a string')
  const name = flatName(tools, bare, stringIn(item, 'namespace'))
  const callId = callIdOf(item, at)
  return { role: 'assistant', parts: [{ type: 'tool-call', callId, name, kind, input, at }] }
}

/** What a call was made with. Some send the arguments as the object they stand for. */
export function callInput(input: unknown, kind: ToolKind): string | undefined {
  if (input === undefined || input === null || input === '') return kind === 'custom' ? '' : '{}'
  if (typeof input === 'string') return input
  return isJsonObject(input) ? toJsonText(input) : undefined
}

function decodeResult(item: JsonObject, at: string, { native }: Gathered): MessageParts {
  const kind = kindOf(item)
  const { output } = item
  if (typeof output !== 'string' && !Array.isArray(output)) {
    return refuseValue(`${at}.output`, 'a string or an array of content parts')
  }
  const parts: ToolResultPart['parts'][number][] = []
  for (const part of decodeContent(output, `${at}.output`, native)) {
    if (part.type === 'text' || part.type === 'image' || part.type === 'document') parts.push(part)
    else native.push({ feature: 'unknown_part', at: part.at ?? at })
  }
  const callId = callIdOf(item, at)
  // The tool's name is that of the call (toTurns); without the call, that of the item.
  const name = stringIn(item, 'name') ?? ''
  return { role: 'user', parts: [{ type: 'tool-result', callId, name, kind, parts, at }] }
}

/** Tools that a client adds in mid-conversation: other protocols have all tools at the beginning. */
function decodeAdditionalTools(item: JsonObject, at: string, { tools, native }: Gathered) {
  const known = new Set(tools.map(({ name }) => name))
  const added = decodeTools(arrayIn(item, 'tools'), `${at}.tools`, native)
  tools.push(...added.filter(({ name }) => !known.has(name)))
  return undefined
}

function callIdOf(item: JsonObject, at: string): string {
  return stringIn(item, 'call_id') ?? refuseValue(`${at}.call_id`, 'a non-empty string')
}

/** The kind of an item that only this vendor has, by its type and by who ran its tool. Source: its API reference. */
function nativeItem(type: string, execution?: unknown): NativeFeature {
  if (type === 'item_reference') return 'stored_state'
  // The conversation's beginning in a form that only the vendor can read, or the request for one.
  if (type.startsWith('compaction')) return 'context_management'
  if (!ofVendorTools.test(type)) return 'unknown_part'
  return execution === 'client' || ofClientTools.test(type) ? 'vendor_item' : 'hosted_item'
}

/** Of these the ones that the client runs, or may run. */
const ofClientTools = /^(local_shell|shell|apply_patch|computer)_call(_output)?$/

/**
 * Calls of tools that the vendor runs (`web_search_call`, `mcp_call` …) or whose kind is its own
 * (`local_shell_call`, `apply_patch_call` …), their outputs, and what goes with them.
 */
const ofVendorTools = /_call(_output)?$|^mcp_|^tool_search_|^program(_output)?$/

/** What stands between the parts of a summary, once they are one text. */
export const summarySeparator = '\n\n'

/** The text of a reasoning item: its summary, or else the reasoning itself, which some vendors show. */
function reasoningText(item: JsonObject): string {
  const summary = textsIn(item, 'summary').filter(Boolean)
  const texts = summary.length > 0 ? summary : textsIn(item, 'content').filter(Boolean)
  return texts.join(summarySeparator)
}

/** The texts of a list of parts, each at its place. */
export function textsIn(item: JsonObject, key: 'summary' | 'content'): string[] {
  return arrayIn(item, key).map((part) =>
    isJsonObject(part) && typeof part.text === 'string' ? part.text : '',
  )
}
