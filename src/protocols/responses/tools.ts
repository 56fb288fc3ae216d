import { refuseValue } from '../canonical/error.ts'
import type { CanonicalRequest, NativeUse, Tool, ToolChoice } from '../canonical/request.ts'
import { openAiRoot, plainRoot, toolNamed } from '../canonical/tools.ts'
import { defined } from '../fields.ts'
import { arrayIn, isJsonObject, objectIn, stringIn } from '../json.ts'
import type { JsonObject } from '../protocol.ts'

/** Tools of the vendor's own kind that the client runs. All unknown kinds are run by the vendor. */
const clientTools = new Set<unknown>([
  ...['local_shell', 'shell', 'apply_patch', 'computer', 'computer_use_preview'],
])

const nativeTool = ({ type }: JsonObject, at: string): NativeUse => {
  return { feature: clientTools.has(type) ? 'vendor_tool' : 'hosted_tool', at }
}

/** The functions and custom tools of a list; what else it holds is noted in `native`. */
export function decodeTools(tools: readonly unknown[], at: string, native: NativeUse[]): Tool[] {
  return tools.flatMap((tool, index) => decodeTool(tool, `${at}[${index}]`, native))
}

function decodeTool(tool: unknown, at: string, native: NativeUse[]): Tool[] {
  if (!isJsonObject(tool)) return refuseValue(at, 'an object')
  if (tool.type === 'namespace') return decodeNamespace(tool, at, native)
  if (tool.type === 'function' || tool.type === 'custom') {
    const own = tool.type === 'custom' ? decodeCustom(tool) : decodeFunction(tool, at)
    return [{ at, name: nameOf(tool, at), description: stringIn(tool, 'description'), ...own }]
  }
  native.push(nativeTool(tool, at))
  return []
}

function decodeFunction({ parameters, strict }: JsonObject, at: string) {
  if (parameters !== undefined && parameters !== null && !isJsonObject(parameters)) {
    return refuseValue(`${at}.parameters`, 'an object')
  }
  const isStrict = typeof strict === 'boolean' ? strict : undefined
  return { kind: 'function', parameters: parameters ?? undefined, strict: isStrict } as const
}

function decodeCustom(tool: JsonObject) {
  const format = objectIn(tool, 'format')
  const definition = stringIn(format, 'definition')
  const isGrammar = format?.type === 'grammar' && definition !== undefined
  const syntax = stringIn(format, 'syntax') ?? 'lark'
  return { kind: 'custom', grammar: isGrammar ? { syntax, definition } : undefined } as const
}

/** Other protocols have no sets of tools: what is said of the set goes before its first tool. */
function decodeNamespace(set: JsonObject, at: string, native: NativeUse[]): Tool[] {
  const namespace = nameOf(set, at)
  const about = stringIn(set, 'description')
  const tools = decodeTools(arrayIn(set, 'tools'), `${at}.tools`, native)
  return tools.map((tool, index) => {
    const intro = index === 0 && about ? `Tools ${namespace}__…: ${about}` : undefined
    const told = [intro, tool.description].filter((text) => text !== undefined)
    const description = told.length === 0 ? undefined : told.join('\n\n')
    return { ...tool, name: `${namespace}__${tool.name}`, namespace, description }
  })
}

function nameOf(tool: JsonObject, at: string): string {
  return stringIn(tool, 'name') ?? refuseValue(`${at}.name`, 'a non-empty string')
}

/**
 * The name under which a call's tool is in the request. The vendor names the tool itself as the
 * namespace of one that was loaded later and belongs to none.
 */
export function flatName(
  tools: readonly Tool[],
  name: string,
  namespace: string | undefined,
): string {
  if (namespace === undefined) return name
  const flat = `${namespace}__${name}`
  const knows = (wanted: string) => toolNamed(tools, wanted) !== undefined
  return !knows(flat) && (namespace === name || knows(name)) ? name : flat
}

/** The fields by which a client of this protocol knows a tool. */
export function splitName(tools: readonly Tool[], name: string): JsonObject {
  const namespace = toolNamed(tools, name)?.namespace
  return namespace === undefined ? { name } : { name: name.slice(namespace.length + 2), namespace }
}

/**
 * Tools for an upstream. Without `strict` this vendor would try to be strict, which changes
 * schemas; with all others it means not strict.
 */
export function encodeTools(tools: readonly Tool[]): JsonObject[] {
  return tools.map(({ kind, name, description, parameters, strict, grammar }) => {
    if (kind === 'custom') {
      const format = grammar && { type: 'grammar', ...grammar }
      return defined({ type: 'custom', name, description, format })
    }
    const schema = plainRoot(parameters ?? { type: 'object', properties: {} }, openAiRoot)
    return defined({ type: 'function', name, description, parameters: schema, strict: !!strict })
  })
}

/** Which tools the model may or must call. A choice of the vendor's own tools is noted in `native`. */
export function decodeToolChoice(
  choice: unknown,
  tools: readonly Tool[],
  native: NativeUse[],
): ToolChoice | undefined {
  if (choice === undefined || choice === null) return undefined
  if (choice === 'none' || choice === 'auto' || choice === 'required') return { type: choice }
  if (!isJsonObject(choice)) return refuseValue('tool_choice', 'none, auto, required or an object')
  if (choice.type === 'allowed_tools') {
    const names = arrayIn(choice, 'tools').flatMap((tool, index) => {
      const at = `tool_choice.tools[${index}]`
      if (!isJsonObject(tool)) return refuseValue(at, 'an object')
      return decodeChosen(tool, at, tools, native) ?? []
    })
    return { type: 'allowed', names, isRequired: choice.mode === 'required' }
  }
  const name = decodeChosen(choice, 'tool_choice', tools, native)
  return name === undefined ? undefined : { type: 'tool', name }
}

function decodeChosen(
  choice: JsonObject,
  at: string,
  tools: readonly Tool[],
  native: NativeUse[],
): string | undefined {
  if (choice.type === 'function' || choice.type === 'custom') {
    const name = stringIn(choice, 'name') ?? refuseValue(`${at}.name`, 'a non-empty string')
    return flatName(tools, name, stringIn(choice, 'namespace'))
  }
  native.push(nativeTool(choice, at))
  return undefined
}

/** The choice as the vendor takes it: a tool is named with its kind. */
export function encodeToolChoice(
  choice: ToolChoice,
  { tools, webSearch }: Pick<CanonicalRequest, 'tools' | 'webSearch'>,
): unknown {
  const chosen = (name: string) => {
    const type = toolNamed(tools, name)?.kind ?? 'function'
    return { type, name }
  }
  switch (choice.type) {
    case 'tool':
      return chosen(choice.name)
    case 'allowed': {
      const mode = choice.isRequired ? 'required' : 'auto'
      const search = webSearch === undefined ? [] : [{ type: 'web_search' }]
      return { type: 'allowed_tools', mode, tools: [...choice.names.map(chosen), ...search] }
    }
    case 'search':
      return { type: 'web_search' }
    default:
      return choice.type
  }
}
