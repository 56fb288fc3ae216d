import { refuseValue } from '../canonical/error.ts'
import type {
  CanonicalRequest,
  Note,
  SearchPart,
  Tool,
  ToolChoice,
  WebSearch,
} from '../canonical/request.ts'
import { decodeLocation, openAiRoot, plainRoot, textsIn, toolNamed } from '../canonical/tools.ts'
import { arrayIn, countIn, defined, isJsonObject, objectIn, stringIn, wordSet } from '../json.ts'
import type { JsonObject } from '../protocol.ts'
import * as read from '../read.ts'

const clientTools = wordSet<unknown>('local_shell shell apply_patch computer computer_use_preview')

const nativeTool = ({ type }: JsonObject) => (clientTools.has(type) ? 'vendor_tool' : 'hosted_tool')

/** Decodes the functions and custom tools of a list; others are noted. */
export function decodeTools(tools: readonly unknown[], at: string, note: Note): Tool[] {
  return read.each(tools, at, (tool, toolAt) => decodeTool(tool, toolAt, note)).flat()
}

function decodeTool(tool: JsonObject, at: string, note: Note): Tool[] {
  if (tool.type === 'namespace') return decodeNamespace(tool, at, note)
  if (tool.type === 'function' || tool.type === 'custom') {
    const own = tool.type === 'custom' ? decodeCustom(tool) : decodeFunction(tool, at)
    return [
      { at, name: read.name(tool, 'name', at), description: stringIn(tool, 'description'), ...own },
    ]
  }
  note(nativeTool(tool), at)
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

/** Other protocols have no namespaces: its description goes before its first tool. */
function decodeNamespace(set: JsonObject, at: string, note: Note): Tool[] {
  const namespace = read.name(set, 'name', at)
  const about = stringIn(set, 'description')
  const tools = decodeTools(arrayIn(set, 'tools'), `${at}.tools`, note)
  return tools.map((tool, index) => {
    const intro = index === 0 && about ? `Tools ${namespace}__…: ${about}` : undefined
    const description = [intro, tool.description].filter(Boolean).join('\n\n') || undefined
    return { ...tool, name: `${namespace}__${tool.name}`, namespace, description }
  })
}

/** A call's tool name in the request. A tool that was loaded later, outside of a set, is its own namespace. */
export function flatName(tools: readonly Tool[], name: string, namespace?: string): string {
  if (namespace === undefined) return name
  const flat = `${namespace}__${name}`
  const knows = (wanted: string) => toolNamed(tools, wanted) !== undefined
  return !knows(flat) && (namespace === name || knows(name)) ? name : flat
}

/** The fields by which a client of this protocol identifies a tool. */
export function splitName(tools: readonly Tool[], name: string): JsonObject {
  const namespace = toolNamed(tools, name)?.namespace
  return namespace === undefined ? { name } : { name: name.slice(namespace.length + 2), namespace }
}

/** Tools for an upstream. Without `strict` this vendor would try to be strict, which changes schemas. */
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

/** Decodes the tool choice. A choice of vendor-run tools is noted. */
export function decodeToolChoice(
  choice: unknown,
  tools: readonly Tool[],
  note: Note,
): ToolChoice | undefined {
  if (choice === undefined || choice === null) return undefined
  if (choice === 'none' || choice === 'auto' || choice === 'required') return { type: choice }
  if (!isJsonObject(choice)) return refuseValue('tool_choice', 'none, auto, required or an object')
  if (choice.type === 'allowed_tools') {
    const chosen = read.each(arrayIn(choice, 'tools'), 'tool_choice.tools', (tool, at) =>
      decodeChosen(tool, at, tools, note),
    )
    const names = chosen.filter((name) => name !== undefined)
    return { type: 'allowed', names, isRequired: choice.mode === 'required' }
  }
  const name = decodeChosen(choice, 'tool_choice', tools, note)
  return name === undefined ? undefined : { type: 'tool', name }
}

function decodeChosen(
  choice: JsonObject,
  at: string,
  tools: readonly Tool[],
  note: Note,
): string | undefined {
  if (choice.type === 'function' || choice.type === 'custom') {
    return flatName(tools, read.name(choice, 'name', at), stringIn(choice, 'namespace'))
  }
  note(nativeTool(choice), at)
  return undefined
}

/** The tool choice in the vendor's form: it names tools with their kind. */
export function encodeToolChoice(
  choice: ToolChoice,
  { tools, webSearch }: Pick<CanonicalRequest, 'tools' | 'webSearch'>,
): unknown {
  const chosen = (name: string) => ({ type: toolNamed(tools, name)?.kind ?? 'function', name })
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

/** The value of `include` that requests found pages. */
export const sourcesIncluded = 'web_search_call.action.sources'

const isSearch = (tool: unknown): tool is JsonObject =>
  isJsonObject(tool) && stringIn(tool, 'type')?.startsWith('web_search') === true

const known = wordSet('type filters user_location search_context_size external_web_access')
const knownFilters = new Set(['allowed_domains', 'blocked_domains'])

/** The first search among the tools; undefined: none, not allowed, or only in the vendor's cache (Codex). */
export function decodeSearch(body: JsonObject): WebSearch | undefined {
  const tools = arrayIn(body, 'tools')
  const index = tools.findIndex(isSearch)
  const tool = tools[index]
  if (!isSearch(tool) || !isAllowed(body.tool_choice)) return undefined
  if (tool.external_web_access === false) return undefined
  const at = `tools[${index}]`
  const filters = objectIn(tool, 'filters')
  const size = sizes.find((one) => one === tool.search_context_size)
  return {
    places: [at, ...choicePlaces(body.tool_choice), 'max_tool_calls', ...includePlaces(body)],
    others: [
      ...othersIn(tool, known, at),
      ...othersIn(filters ?? {}, knownFilters, `${at}.filters`),
    ],
    allowedDomains: textsIn(filters, 'allowed_domains'),
    blockedDomains: textsIn(filters, 'blocked_domains'),
    location: decodeLocation(objectIn(tool, 'user_location')),
    maxUses: countIn(body, 'max_tool_calls'),
    contextSize: size,
  }
}

const sizes = ['low', 'medium', 'high'] as const

const othersIn = (holder: JsonObject, names: ReadonlySet<string>, at: string): string[] =>
  Object.keys(holder).flatMap((name) =>
    names.has(name) || (holder[name] ?? undefined) === undefined ? [] : [`${at}.${name}`],
  )

/** A choice among some tools may exclude the search. */
function isAllowed(choice: unknown): boolean {
  if (!isJsonObject(choice) || choice.type !== 'allowed_tools') return true
  return arrayIn(choice, 'tools').some(isSearch)
}

function choicePlaces(choice: unknown): string[] {
  if (!isJsonObject(choice)) return []
  if (isSearch(choice)) return ['tool_choice']
  return arrayIn(choice, 'tools').flatMap((tool, index) =>
    isSearch(tool) ? [`tool_choice.tools[${index}]`] : [],
  )
}

const includePlaces = (body: JsonObject): string[] =>
  arrayIn(body, 'include').flatMap((word, index) =>
    word === sourcesIncluded ? [`include[${index}]`] : [],
  )

/** The tool choice of a request, if it is its search. */
export const searchChoice = (
  choice: unknown,
  search: WebSearch | undefined,
): ToolChoice | undefined =>
  search !== undefined && isSearch(choice) ? { type: 'search' } : undefined

/** The vendor supports allowed domains only, and rejects a search with minimal effort. */
export const takesSearch = ({ webSearch, reasoning }: CanonicalRequest): boolean =>
  webSearch?.blockedDomains === undefined &&
  !(reasoning?.amount?.type === 'effort' && reasoning.amount.effort === 'minimal')

/** The search as the vendor's tool. */
export function encodeSearch(search: WebSearch): JsonObject {
  const { allowedDomains, location, contextSize } = search
  return defined({
    type: 'web_search',
    filters: allowedDomains && { allowed_domains: allowedDomains },
    user_location: location && defined({ type: 'approximate', ...location }),
    search_context_size: contextSize,
  })
}

/** The search of an item; undefined for another action: only the finished item has one. */
export function decodeSearchCall(item: JsonObject): SearchPart | undefined {
  const action = objectIn(item, 'action')
  if (action !== undefined && (action.type ?? 'search') !== 'search') return undefined
  const queries = textsIn(action, 'queries') ?? [stringIn(action, 'query') ?? []].flat()
  const results = arrayIn(action, 'sources').flatMap((source) => {
    const url = isJsonObject(source) ? stringIn(source, 'url') : undefined
    if (url === undefined || !isJsonObject(source)) return []
    return [{ url, title: stringIn(source, 'title') }]
  })
  const error = item.status === 'failed' ? 'unavailable' : undefined
  return { type: 'search', queries, results, error }
}
