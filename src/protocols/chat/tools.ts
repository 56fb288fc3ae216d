import { refuseValue } from '../canonical/error.ts'
import type { NativeUse, Tool, ToolChoice } from '../canonical/request.ts'
import { openAiRoot, plainRoot } from '../canonical/root-schema.ts'
import { toolNamed } from '../canonical/tool-named.ts'
import { isJsonObject, objectIn } from '../json.ts'
import type { JsonObject } from '../protocol.ts'
import { cacheControl, cacheHint } from './cache.ts'
import {
  defined,
  eachObject,
  readFlag,
  readList,
  readName,
  readObject,
  readText,
} from './fields.ts'

/** Decodes `tools`, and `functions`, which came before them. */
export function decodeTools(body: JsonObject, native: NativeUse[]): readonly Tool[] {
  const tools = eachObject(readList(body, 'tools'), 'tools', (tool, at) => {
    if (tool.type === 'custom') return decodeCustom(tool, at)
    // Mistral's clients leave the type out.
    if (tool.type === 'function' || (tool.type ?? undefined) === undefined) {
      const wire = readObject(tool, 'function', at)
      if (wire === undefined) return refuseValue(`${at}.function`, 'an object')
      const decoded = decodeFunction(wire, at, `${at}.function`)
      return { ...decoded, cache: cacheHint(tool) ?? cacheHint(wire) }
    }
    native.push({ feature: 'hosted_tool', at })
    return undefined
  })
  const functions = eachObject(readList(body, 'functions'), 'functions', (wire, at) =>
    decodeFunction(wire, at, at),
  )
  return [...tools.filter((tool) => tool !== undefined), ...functions]
}

function decodeFunction(wire: JsonObject, at: string, fieldsAt: string): Tool {
  return {
    at,
    kind: 'function',
    name: readName(wire, 'name', fieldsAt),
    description: readText(wire, 'description', fieldsAt) || undefined,
    parameters: readObject(wire, 'parameters', fieldsAt),
    strict: readFlag(wire, 'strict', fieldsAt),
  }
}

function decodeCustom(tool: JsonObject, at: string): Tool {
  const wire = readObject(tool, 'custom', at) ?? {}
  const fieldsAt = `${at}.custom`
  const format = readObject(wire, 'format', fieldsAt)
  const isGrammar = format?.type === 'grammar'
  const grammar = isGrammar ? (objectIn(format, 'grammar') ?? format) : undefined
  const grammarAt = `${fieldsAt}.format.grammar`
  return {
    at,
    kind: 'custom',
    name: readName(wire, 'name', fieldsAt),
    description: readText(wire, 'description', fieldsAt) || undefined,
    grammar: grammar && {
      syntax: readName(grammar, 'syntax', grammarAt),
      definition: readName(grammar, 'definition', grammarAt),
    },
    cache: cacheHint(tool),
  }
}

/** A tool as chat has it; with `marksCache` also its mark for the prompt cache. */
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

/** Decodes `tool_choice`, and `function_call`, which came before it. */
export function decodeToolChoice(body: JsonObject): ToolChoice | undefined {
  const legacy = body.function_call ?? undefined
  if (isJsonObject(legacy)) return { type: 'tool', name: readName(legacy, 'name', 'function_call') }
  const choice = body.tool_choice ?? legacy
  if (choice === undefined) return undefined
  const named = modes.get(choice)
  if (named !== undefined) return { type: named }
  if (!isJsonObject(choice)) return refuseValue('tool_choice', 'none, auto, required or an object')
  if (choice.type === 'allowed_tools') return decodeAllowed(choice)
  const key = choice.type === 'custom' ? 'custom' : 'function'
  const tool = readObject(choice, key, 'tool_choice')
  if (tool === undefined) return refuseValue(`tool_choice.${key}`, 'an object')
  return { type: 'tool', name: readName(tool, 'name', `tool_choice.${key}`) }
}

/** `any` is Mistral's word for `required`. */
const modes = new Map<unknown, 'none' | 'auto' | 'required'>([
  ['none', 'none'],
  ['auto', 'auto'],
  ['required', 'required'],
  ['any', 'required'],
])

function decodeAllowed(choice: JsonObject): ToolChoice {
  const at = 'tool_choice.allowed_tools'
  const allowed = objectIn(choice, 'allowed_tools') ?? choice
  const names = eachObject(readList(allowed, 'tools', at), `${at}.tools`, (tool, toolAt) =>
    readName(objectIn(tool, 'function') ?? objectIn(tool, 'custom') ?? tool, 'name', toolAt),
  )
  return { type: 'allowed', names, isRequired: allowed.mode === 'required' }
}

/** A choice as chat has it: it names tools with their kind. */
export function encodeToolChoice(choice: ToolChoice, tools: readonly Tool[]): unknown {
  const named = (name: string) => {
    const kind = toolNamed(tools, name)?.kind ?? 'function'
    return { type: kind, [kind]: { name } }
  }
  if (choice.type === 'tool') return named(choice.name)
  // Models that search by themselves need not be told to.
  if (choice.type === 'search') return 'auto'
  if (choice.type !== 'allowed') return choice.type
  const mode = choice.isRequired ? 'required' : 'auto'
  return { type: 'allowed_tools', allowed_tools: { mode, tools: choice.names.map(named) } }
}
