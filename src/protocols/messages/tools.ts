import { customParameters, describeTool } from '../canonical/custom-tool.ts'
import { refuseValue } from '../canonical/error.ts'
import type { CanonicalRequest, Tool, ToolChoice } from '../canonical/request.ts'
import { anthropicRoot, plainRoot } from '../canonical/root-schema.ts'
import { arrayIn, isJsonObject, objectIn, stringIn } from '../json.ts'
import type { JsonObject } from '../protocol.ts'
import { decodeCache, type Note, nameOf } from './content.ts'
import { encodeCache } from './encode-parts.ts'
import { closeSchema } from './schema.ts'
import { encodeSearch, isSearch, searchName } from './search.ts'
import { isHeldBack } from './tool-search.ts'

/** The client's own tools; those of the vendor's kinds are noted. */
export function decodeTools(wire: unknown, note: Note): readonly Tool[] {
  if (wire === undefined || wire === null) return []
  if (!Array.isArray(wire)) refuseValue('tools', 'an array')
  return wire.flatMap((tool: unknown, index) => {
    const at = `tools[${index}]`
    return isJsonObject(tool) ? decodeTool(tool, at, note) : refuseValue(at, 'an object')
  })
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
      name: nameOf(tool, 'name', at),
      description: stringIn(tool, 'description'),
      parameters: objectIn(tool, 'input_schema'),
      strict: typeof tool.strict === 'boolean' ? tool.strict : undefined,
    },
  ]
}

/** Kinds with a date in their name that the client runs. Source: the SDK's `ClientToolUnion`. */
export function isClientTool(type: string): boolean {
  return /^(bash|text_editor|computer|browser|memory)_/.test(type)
}

/** What `tool_choice` says of the calls, and of how many there may be at once. */
export function decodeToolChoice(
  body: JsonObject,
): Pick<CanonicalRequest, 'toolChoice' | 'parallelToolCalls'> {
  const wire = body.tool_choice
  if (wire === undefined || wire === null) return {}
  if (!isJsonObject(wire)) refuseValue('tool_choice', 'an object')
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
      return { type: 'tool', name: nameOf(wire, 'name', 'tool_choice') }
    default:
      return refuseValue('tool_choice.type', '"auto", "any", "tool" or "none"')
  }
}

/**
 * `tools` and `tool_choice`. A choice among some tools sends only these: this protocol has no other
 * way to keep the rest back. Without tools there is nothing to choose.
 */
export function encodeTools(request: CanonicalRequest): JsonObject {
  const { toolChoice, webSearch } = request
  const allowed = toolChoice?.type === 'allowed' ? new Set(toolChoice.names) : undefined
  const tools = request.tools.filter(({ name }) => allowed === undefined || allowed.has(name))
  const search = webSearch === undefined ? [] : [encodeSearch(webSearch)]
  if (tools.length + search.length === 0) return {}
  const choice = encodeToolChoice(request)
  return {
    tools: [...search, ...tools.map(encodeTool)],
    ...(choice === undefined ? {} : { tool_choice: choice }),
  }
}

function encodeTool(tool: Tool): JsonObject {
  const description = describeTool(tool)
  return {
    name: tool.name,
    ...(description === undefined ? {} : { description }),
    input_schema: tool.kind === 'custom' ? customParameters : inputSchema(tool),
    ...(tool.strict === undefined ? {} : { strict: tool.strict }),
    ...encodeCache(tool.cache),
  }
}

/** The vendor demands an object's schema, and takes only some of JSON schema where it is strict. */
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
