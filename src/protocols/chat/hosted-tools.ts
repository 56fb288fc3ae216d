import { tierName } from '../canonical/extras.ts'
import { type Observation, observeTier, type ToolTally } from '../canonical/observation.ts'
import type { HostedTool } from '../canonical/tools.ts'
import { arrayIn, isJsonObject, objectIn, stringIn } from '../json.ts'
import type { JsonObject } from '../protocol.ts'
import {
  type HostedToolAsk,
  hasTwoKinds,
  namedTool,
  outputsIn,
  type Path,
  type RequestExtras,
  requestExtras,
  type TierAsk,
} from '../request-extras.ts'

/** Kinds of tools that vendors of OpenAI's protocols run themselves. */
const kinds: readonly (readonly [kind: RegExp, tool: HostedTool])[] = [
  [/^web_search_preview/, 'web_search_preview'],
  [/^(web_search|browser_search|live_search|google_?search)/i, 'web_search'],
  [/^x_search/, 'x_search'],
  [/^(web_fetch|url_context|open_url)/, 'web_fetch'],
  [/^(code_interpreter|code_execution|shell|programmatic_tool_calling)/, 'code_execution'],
  [/^(file_search|document_search|collections_search|retrieval)/, 'file_search'],
  [/^image_generation/, 'image_generation'],
  [/^computer/, 'computer_use'],
  [/^mcp/, 'mcp'],
  [/^tool_search/, 'tool_search'],
]

/** The tool that a kind of OpenAI's protocols is; OpenRouter puts its own name before it. */
export const toolOfKind = (kind: string) => namedTool(kinds, kind.replace(/^[a-z]+:/, ''))

/** Members that tools of any kind have, the client's own among them: no kinds of tools themselves. */
const plainMembers = new Set([
  ...['type', 'function', 'name', 'description', 'parameters', 'strict', 'cache_control'],
  ...['defer_loading', 'allowed_callers'],
])

/** Whether a tool has a member by which some upstream would find another tool in it than its kind. */
export function holdsOtherTool(tool: JsonObject, kind: string | undefined): boolean {
  const own = kind === undefined ? undefined : toolOfKind(kind)
  for (const name in tool) {
    if (plainMembers.has(name)) continue
    const other = toolOfKind(name)
    if (other !== undefined && other !== own) return true
  }
  return false
}

/** The tier that a request of OpenAI's protocols names. */
export function tiersIn(body: JsonObject): readonly TierAsk[] {
  const tier = openAiTier(body.service_tier)
  return tier ? [{ tier, path: ['service_tier'] }] : []
}

/** What a chat completion shall have besides text. */
export function readExtras(body: JsonObject): RequestExtras | undefined {
  return requestExtras(body, {
    hostedTools: toolsIn(body).concat(fieldsIn(body), pluginsIn(body)),
    tiers: tiersIn(body),
    outputs: outputsIn(body.modalities, ['modalities']),
  })
}

const nothing: readonly HostedToolAsk[] = []

function toolsIn(body: JsonObject): readonly HostedToolAsk[] {
  const tools = arrayIn(body, 'tools')
  const hosted: { readonly kind: string; readonly index: number }[] = []
  tools.forEach((tool, index) => {
    const kind = isJsonObject(tool) ? kindOf(tool) : undefined
    if (kind !== undefined) hosted.push({ kind, index })
  })
  if (hosted.length === 0) return nothing
  const isAll = hosted.length === tools.length && arrayIn(body, 'functions').length === 0
  const choice = body.tool_choice
  return hosted.map(({ kind, index }) => ({
    tool: toolOfKind(kind),
    path: ['tools', index],
    isForced: isJsonObject(choice)
      ? choice.type === kind
      : isAll && (choice === 'required' || choice === 'any'),
    mentions: [],
  }))
}

/** The kind of a tool that the vendor runs; '': of several; undefined: the client runs it. */
function kindOf(tool: JsonObject): string | undefined {
  const kind = ownKind(tool)
  return hasTwoKinds(tool) || holdsOtherTool(tool, kind) ? '' : kind
}

function ownKind(tool: JsonObject): string | undefined {
  const { type } = tool
  if (type === 'custom') return undefined
  // Moonshot's own functions are known by their names.
  const name = stringIn(objectIn(tool, 'function'), 'name')
  if (type === 'builtin_function') return name?.replace(/^\$/, '') ?? type
  const isPlain = type === 'function' || type === undefined || type === null
  if (isPlain)
    return isJsonObject(tool.function) || type === 'function' ? undefined : onlyName(tool)
  return `${type}`
}

/** What has no type is named by its one member. */
function onlyName(tool: JsonObject): string | undefined {
  const names = Object.keys(tool)
  return names.length > 1 ? '' : names[0]
}

/**
 * Searches that a field of its own asks for: OpenAI's and Perplexity's, xAI's, Alibaba's and others'.
 * Of the last ones no answer tells.
 */
function fieldsIn(body: JsonObject): readonly HostedToolAsk[] {
  const found: HostedToolAsk[] = []
  const note = (path: Path, isForced: boolean, isAlways = false) =>
    found.push({ tool: 'web_search', path, isForced, isAlways, mentions: [] })
  if (isJsonObject(body.web_search_options)) note(['web_search_options'], true, true)
  const mode = objectIn(body, 'search_parameters')?.mode
  if (isJsonObject(body.search_parameters) && mode !== 'off') {
    note(['search_parameters'], mode === 'on')
  }
  if (isOn(body.enable_search)) {
    note(['enable_search'], objectIn(body, 'search_options')?.forced_search === true, true)
  }
  if (isOn(body.web_search)) note(['web_search'], false, true)
  return found
}

/** Some readers take words for yes and no. */
function isOn(value: unknown): boolean {
  if (isJsonObject(value)) return isOn(value.enable ?? value.enabled ?? true)
  return value !== undefined && value !== null && value !== false && value !== 'false'
}

/** OpenRouter's plugins; these of them cost nothing. */
const freePlugins = new Set<unknown>(['response-healing', 'context-compression'])
const freeEngines = new Set<unknown>(['pdf-text', 'native', 'cloudflare-ai'])

function pluginsIn(body: JsonObject): readonly HostedToolAsk[] {
  return arrayIn(body, 'plugins').flatMap((plugin, index) => {
    const id = isJsonObject(plugin) ? plugin.id : plugin
    if (freePlugins.has(id)) return []
    const engine = isJsonObject(plugin) ? objectIn(plugin, 'pdf')?.engine : undefined
    if (id === 'file-parser' && freeEngines.has(engine)) return []
    const tool = id === 'web' ? ('web_search' as const) : undefined
    return [{ tool, path: ['plugins', index], isForced: true, isAlways: true, mentions: [] }]
  })
}

/** OpenAI answers `priority` to a request for either. */
const tierNames: ReadonlyMap<string, string> = new Map([['fast', 'priority']])

/** The tier of OpenAI's two protocols, in a request or an answer. */
export const openAiTier = (wire: unknown) => tierName(wire, tierNames)

/** Groq's words for the tools that its systems have used. */
const executedTools = new Map<unknown, HostedTool>([
  ['search', 'web_search'],
  ['web_search', 'web_search'],
  ['browser_search', 'web_search'],
  ['visit', 'web_fetch'],
  ['visit_website', 'web_fetch'],
  ['python', 'code_execution'],
  ['code_interpreter', 'code_execution'],
])

const found = ['citations', 'search_results', 'web_search']

/**
 * Notes what a chunk or a whole completion tells of its tier and of the vendor's own tools. Where no
 * report counts searches, addresses that are cited are the sign of one (OpenAI's search models,
 * `citations` of Perplexity and xAI, `web_search` of Zhipu).
 */
export function observeExtras(seen: Observation, tally: ToolTally, answer: JsonObject): void {
  observeTier(seen, openAiTier(answer.service_tier))
  if (found.some((field) => arrayIn(answer, field).length > 0)) tally.note('web_search', '')
  for (const choice of arrayIn(answer, 'choices')) {
    if (!isJsonObject(choice)) continue
    const message = choice.delta ?? choice.message
    if (isJsonObject(message)) observeMessage(tally, message)
  }
}

function observeMessage(tally: ToolTally, message: JsonObject): void {
  if (Array.isArray(message.annotations)) {
    const isCited = (entry: unknown) => isJsonObject(entry) && entry.type === 'url_citation'
    if (message.annotations.some(isCited)) tally.note('web_search', '')
  }
  for (const call of arrayIn(message, 'tool_calls')) {
    // Moonshot runs the functions whose names begin so.
    if (!isJsonObject(call) || objectIn(call, 'function')?.name !== '$web_search') continue
    tally.note('web_search', `${call.id ?? call.index}`)
  }
  if (!Array.isArray(message.executed_tools)) return
  message.executed_tools.forEach((entry: unknown, index) => {
    const tool = isJsonObject(entry) ? executedTools.get(entry.type) : undefined
    if (tool !== undefined) tally.note(tool, `${(entry as JsonObject).index ?? index}`)
  })
}
