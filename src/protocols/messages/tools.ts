import { refuseValue } from '../canonical/error.ts'
import type { CanonicalRequest, Note, TextPart, Tool, ToolChoice } from '../canonical/request.ts'
import { anthropicRoot, customParameters, describeTool, plainRoot } from '../canonical/tools.ts'
import { arrayIn, defined, isJsonObject, objectIn, stringIn } from '../json.ts'
import type { JsonObject } from '../protocol.ts'
import * as read from '../read.ts'
import { decodeCache, encodeCache } from './cache.ts'
import { closeSchema } from './schema.ts'
import { encodeSearch, isSearch, searchName } from './search.ts'

/** Decodes the client's tools; the vendor's own are noted. */
export function decodeTools(body: JsonObject, note: Note): readonly Tool[] {
  return read
    .each(read.list(body, 'tools'), 'tools', (tool, at) => decodeTool(tool, at, note))
    .flat()
}

function decodeTool(tool: JsonObject, at: string, note: Note): readonly Tool[] {
  const { type } = tool
  if (type !== undefined && type !== null && type !== 'custom') {
    note(isClientTool(`${type}`) ? 'vendor_tool' : 'hosted_tool', at)
    return []
  }
  if (isHeldBack(tool)) note('deferred_tool', `${at}.defer_loading`)
  if (Array.isArray(tool.input_examples)) note('unknown_field', `${at}.input_examples`)
  return [
    {
      at,
      cache: decodeCache(tool),
      kind: 'function',
      name: read.name(tool, 'name', at),
      description: stringIn(tool, 'description'),
      parameters: objectIn(tool, 'input_schema'),
      strict: typeof tool.strict === 'boolean' ? tool.strict : undefined,
    },
  ]
}

/** Client-run kinds with a date in their name. Source: the SDK's `ClientToolUnion`. */
export function isClientTool(type: string): boolean {
  return /^(bash|text_editor|computer|browser|memory)_/.test(type)
}

/** Decodes `tool_choice`, with the number of parallel calls. */
export function decodeToolChoice(
  body: JsonObject,
): Pick<CanonicalRequest, 'toolChoice' | 'parallelToolCalls'> {
  const wire = read.object(body, 'tool_choice')
  if (wire === undefined) return {}
  const parallelToolCalls = wire.disable_parallel_tool_use === true ? false : undefined
  const isOfSearch = arrayIn(body, 'tools').some(
    (tool) => isSearch(tool) && tool.name === wire.name,
  )
  const isForced = wire.type === 'tool' && isOfSearch
  return { toolChoice: isForced ? { type: 'search' } : choiceOf(wire), parallelToolCalls }
}

function choiceOf(wire: JsonObject): ToolChoice {
  switch (wire.type) {
    case 'auto':
    case 'none':
      return { type: wire.type }
    case 'any':
      return { type: 'required' }
    case 'tool':
      return { type: 'tool', name: read.name(wire, 'name', 'tool_choice') }
    default:
      return refuseValue('tool_choice.type', '"auto", "any", "tool" or "none"')
  }
}

/** `tools` and `tool_choice`. A choice among some tools sends only these. */
export function encodeTools(request: CanonicalRequest): JsonObject {
  const { toolChoice, webSearch } = request
  const allowed = toolChoice?.type === 'allowed' ? new Set(toolChoice.names) : undefined
  const tools = request.tools.filter(({ name }) => allowed === undefined || allowed.has(name))
  const search = webSearch === undefined ? [] : [encodeSearch(webSearch)]
  if (tools.length + search.length === 0) return {}
  return { tools: [...search, ...tools.map(encodeTool)], tool_choice: encodeToolChoice(request) }
}

function encodeTool(tool: Tool): JsonObject {
  return defined({
    name: tool.name,
    description: describeTool(tool),
    input_schema: tool.kind === 'custom' ? customParameters : inputSchema(tool),
    strict: tool.strict,
    ...encodeCache(tool.cache),
  })
}

/** The vendor requires an object schema, and supports only a part of JSON schema for strict tools. */
function inputSchema({ parameters, strict }: Tool): JsonObject {
  if (parameters === undefined) return { type: 'object', properties: {} }
  const plain = plainRoot(parameters, anthropicRoot)
  const schema = strict === true ? closeSchema(plain) : plain
  return schema.type === undefined ? { type: 'object', ...schema } : schema
}

function encodeToolChoice(request: CanonicalRequest): JsonObject | undefined {
  const { toolChoice, parallelToolCalls } = request
  if (toolChoice?.type === 'none') return { type: 'none' }
  const one = parallelToolCalls === false ? { disable_parallel_tool_use: true } : {}
  switch (toolChoice?.type) {
    case undefined:
      return parallelToolCalls === false ? { type: 'auto', ...one } : undefined
    case 'tool':
      return { type: 'tool', name: toolChoice.name, ...one }
    case 'search':
      return { type: 'tool', name: searchName, ...one }
    case 'allowed':
      return { type: toolChoice.isRequired ? 'any' : 'auto', ...one }
    default:
      return { type: toolChoice?.type === 'required' ? 'any' : 'auto', ...one }
  }
}

// Tools with `defer_loading` reach the model only when a search refers to them (`tool_reference` in the result of a
// client's tool). Source: the SDK's `ToolReferenceBlockParam`; Claude Code.

/** A note to the model about a referenced tool: its schema is among the tools. */
export function decodeReference(block: JsonObject, at: string): TextPart {
  const text = `The tool "${read.name(block, 'tool_name', at)}" can be called now.`
  return { type: 'text', at, cache: decodeCache(block), text }
}

/** The vendor-run tool search (`tool_search_tool_regex_20251119`). */
const isToolSearch = (name: unknown) =>
  typeof name === 'string' && name.startsWith('tool_search_tool_')

/** Whether a block is a call of the vendor's tool search, or its result. */
export function isSearchBlock({ type, name }: JsonObject): boolean {
  return type === 'tool_search_tool_result' || (type === 'server_tool_use' && isToolSearch(name))
}

/** The tools known by the end of the conversation, deferred ones last. With the vendor's tool search: all. */
export function loadedTools(tools: readonly Tool[], body: JsonObject): readonly Tool[] {
  const wires = arrayIn(body, 'tools').filter(isJsonObject)
  const heldBack = new Set(wires.filter(isHeldBack).map(({ name }) => name))
  if (heldBack.size === 0 || wires.some(({ type }) => isToolSearch(type))) return tools
  const late = new Map(
    tools.filter(({ name }) => heldBack.has(name)).map((tool) => [tool.name, tool]),
  )
  return [
    ...tools.filter(({ name }) => !late.has(name)),
    ...namedTools(body).flatMap((name) => late.get(name) ?? []),
  ]
}

const isHeldBack = (tool: JsonObject): boolean => tool.defer_loading === true

function namedTools(body: JsonObject): readonly string[] {
  const names = new Set<string | undefined>()
  for (const message of arrayIn(body, 'messages').filter(isJsonObject)) {
    for (const block of arrayIn(message, 'content').filter(isJsonObject)) {
      if (block.type === 'tool_use') names.add(stringIn(block, 'name'))
      for (const { tool_name } of referencesIn(block)) {
        if (typeof tool_name === 'string') names.add(tool_name)
      }
    }
  }
  names.add(stringIn(objectIn(body, 'tool_choice'), 'name'))
  return [...names].filter((name) => name !== undefined)
}

function referencesIn(block: JsonObject): readonly JsonObject[] {
  const list =
    block.type === 'tool_search_tool_result'
      ? arrayIn(objectIn(block, 'content'), 'tool_references')
      : block.type === 'tool_result'
        ? arrayIn(block, 'content')
        : []
  return list.filter(isJsonObject).filter(({ type }) => type === 'tool_reference')
}
