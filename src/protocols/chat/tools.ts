import { refuseValue } from '../canonical/error.ts'
import { toJsonText } from '../canonical/json-text.ts'
import type {
  CanonicalRequest,
  Note,
  Tool,
  ToolCallPart,
  ToolChoice,
  WebSearch,
} from '../canonical/request.ts'
import { decodeLocation, openAiRoot, plainRoot, toolNamed } from '../canonical/tools.ts'
import { defined, isJsonObject, meanings, objectIn, stringIn } from '../json.ts'
import type { JsonObject } from '../protocol.ts'
import * as read from '../read.ts'
import { cacheControl, cacheHint } from './content.ts'

/** Decodes `tools`, and the older `functions`. */
export function decodeTools(body: JsonObject, note: Note): readonly Tool[] {
  const tools = read.each(read.list(body, 'tools'), 'tools', (tool, at) => {
    if (tool.type === 'custom') return decodeCustom(tool, at)
    // Mistral's clients omit the type.
    if (tool.type === 'function' || (tool.type ?? undefined) === undefined) {
      const wire = read.object(tool, 'function', at)
      if (wire === undefined) return refuseValue(`${at}.function`, 'an object')
      const decoded = decodeFunction(wire, at, `${at}.function`)
      return { ...decoded, cache: cacheHint(tool) ?? cacheHint(wire) }
    }
    note('hosted_tool', at)
    return undefined
  })
  const functions = read.each(read.list(body, 'functions'), 'functions', (wire, at) =>
    decodeFunction(wire, at, at),
  )
  return [...tools.filter((tool) => tool !== undefined), ...functions]
}

function decodeFunction(wire: JsonObject, at: string, fieldsAt: string): Tool {
  return {
    at,
    kind: 'function',
    name: read.name(wire, 'name', fieldsAt),
    description: read.text(wire, 'description', fieldsAt) || undefined,
    parameters: read.object(wire, 'parameters', fieldsAt),
    strict: read.flag(wire, 'strict', fieldsAt),
  }
}

function decodeCustom(tool: JsonObject, at: string): Tool {
  const wire = read.object(tool, 'custom', at) ?? {}
  const fieldsAt = `${at}.custom`
  const format = read.object(wire, 'format', fieldsAt)
  const isGrammar = format?.type === 'grammar'
  const grammar = isGrammar ? (objectIn(format, 'grammar') ?? format) : undefined
  const grammarAt = `${fieldsAt}.format.grammar`
  return {
    at,
    kind: 'custom',
    name: read.name(wire, 'name', fieldsAt),
    description: read.text(wire, 'description', fieldsAt) || undefined,
    grammar: grammar && {
      syntax: read.name(grammar, 'syntax', grammarAt),
      definition: read.name(grammar, 'definition', grammarAt),
    },
    cache: cacheHint(tool),
  }
}

/** A tool in chat's form; with `marksCache` also its prompt cache mark. */
export function encodeTool(tool: Tool, marksCache: boolean): JsonObject {
  const { kind, name, description, parameters, strict, grammar, cache } = tool
  const cache_control = marksCache && cache ? cacheControl(cache) : undefined
  if (kind === 'custom') {
    const format = grammar && { type: 'grammar', grammar }
    return defined({
      type: 'custom',
      custom: defined({ name, description, format }),
      cache_control,
    })
  }
  const plain = parameters && plainRoot(parameters, openAiRoot)
  const wire = defined({ name, description, parameters: plain, strict })
  return defined({ type: 'function', function: wire, cache_control })
}

/** Decodes `tool_choice`, and the older `function_call`. */
export function decodeToolChoice(body: JsonObject): ToolChoice | undefined {
  const legacy = body.function_call ?? undefined
  if (isJsonObject(legacy))
    return { type: 'tool', name: read.name(legacy, 'name', 'function_call') }
  const choice = body.tool_choice ?? legacy
  if (choice === undefined) return undefined
  const named = modes.get(choice)
  if (named !== undefined) return { type: named }
  if (!isJsonObject(choice)) return refuseValue('tool_choice', 'none, auto, required or an object')
  if (choice.type === 'allowed_tools') return decodeAllowed(choice)
  const key = choice.type === 'custom' ? 'custom' : 'function'
  const tool = read.object(choice, key, 'tool_choice')
  if (tool === undefined) return refuseValue(`tool_choice.${key}`, 'an object')
  return { type: 'tool', name: read.name(tool, 'name', `tool_choice.${key}`) }
}

const modes = meanings({ none: 'none', auto: 'auto', required: 'required any' })

function decodeAllowed(choice: JsonObject): ToolChoice {
  const at = 'tool_choice.allowed_tools'
  const allowed = objectIn(choice, 'allowed_tools') ?? choice
  const names = read.each(read.list(allowed, 'tools', at), `${at}.tools`, (tool, toolAt) =>
    read.name(objectIn(tool, 'function') ?? objectIn(tool, 'custom') ?? tool, 'name', toolAt),
  )
  return { type: 'allowed', names, isRequired: allowed.mode === 'required' }
}

/** A tool choice in chat's form: it names tools with their kind. */
export function encodeToolChoice(choice: ToolChoice, tools: readonly Tool[]): unknown {
  const named = (name: string) => {
    const kind = toolNamed(tools, name)?.kind ?? 'function'
    return { type: kind, [kind]: { name } }
  }
  if (choice.type === 'tool') return named(choice.name)
  // Models that always search need no request to do so.
  if (choice.type === 'search') return 'auto'
  if (choice.type !== 'allowed') return choice.type
  const mode = choice.isRequired ? 'required' : 'auto'
  return { type: 'allowed_tools', allowed_tools: { mode, tools: choice.names.map(named) } }
}

/** A tool call of an earlier answer; `invented` is its id if it has none. Undefined: of an unknown kind. */
export function decodeCall(
  wire: JsonObject,
  at: string,
  invented: string,
): ToolCallPart | undefined {
  const callId = stringIn(wire, 'id') ?? invented
  const custom = objectIn(wire, 'custom')
  if (wire.type === 'custom' && custom !== undefined) {
    const name = read.name(custom, 'name', `${at}.custom`)
    const input = typeof custom.input === 'string' ? custom.input : ''
    return { type: 'tool-call', callId, name, kind: 'custom', input, at }
  }
  const call = objectIn(wire, 'function')
  if (call === undefined) {
    return wire.type === undefined || wire.type === 'function'
      ? refuseValue(`${at}.function`, 'an object')
      : undefined
  }
  const name = read.name(call, 'name', `${at}.function`)
  const input = argumentsText(call.arguments)
  return {
    type: 'tool-call',
    callId,
    name,
    kind: 'function',
    input: input ?? refuseValue(`${at}.function.arguments`, 'a string'),
    at,
  }
}

/** Arguments as JSON text; some clients and vendors send an object. Undefined for anything else. */
function argumentsText(value: unknown): string | undefined {
  if (value === undefined || value === null || value === '') return '{}'
  if (typeof value === 'string') return value
  return isJsonObject(value) ? toJsonText(value) : undefined
}

/** A call in a message of the model. */
export function encodeCall({ callId, name, kind, input }: ToolCallPart): JsonObject {
  return kind === 'custom'
    ? { id: callId, type: 'custom', custom: { name, input } }
    : { id: callId, type: 'function', function: { name, arguments: input } }
}

/** Decodes `web_search_options`. */
export function decodeSearch({ web_search_options: wire }: JsonObject): WebSearch | undefined {
  if (!isJsonObject(wire)) return undefined
  const at = 'web_search_options'
  const place = objectIn(wire, 'user_location')
  const size = (['low', 'medium', 'high'] as const).find((one) => one === wire.search_context_size)
  return {
    places: [at],
    others: Object.keys(wire).flatMap((name) => (known.has(name) ? [] : [`${at}.${name}`])),
    location: decodeLocation(objectIn(place, 'approximate') ?? place),
    contextSize: size,
  }
}

const known = new Set(['user_location', 'search_context_size'])

/** Models that always search have no domain limits. */
export const takesSearch = ({ webSearch }: CanonicalRequest): boolean =>
  webSearch?.allowedDomains === undefined && webSearch?.blockedDomains === undefined

/** The search options of models that always search. */
export function encodeSearch({ location, contextSize }: WebSearch): JsonObject {
  const user_location = location && { type: 'approximate', approximate: defined({ ...location }) }
  return defined({ user_location, search_context_size: contextSize })
}
