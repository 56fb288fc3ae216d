import { tierName } from '../canonical/extras.ts'
import type { HostedTool } from '../canonical/tools.ts'
import { arrayIn, countIn, isJsonObject, objectIn, stringIn, wordSet, words } from '../json.ts'
import { hasOnlyKnown } from '../known-parts.ts'
import { hostedTurns, type JsonObject, type RequestFacts } from '../protocol.ts'
import { requestMedia, requestPictures, requestText } from '../request-content.ts'
import {
  type HostedToolAsk,
  hasTwoKinds,
  namedTool,
  outputsIn,
  type RequestExtras,
  requestExtras,
  type TierAsk,
} from '../request-extras.ts'
import {
  allOfTypes,
  baseFacts,
  type HiddenWork,
  hasOnly,
  isPlain,
  largestLimit,
  largestOf,
} from '../request-facts.ts'

/** Reads a checked chat completion request. */
export function readCompletions(body: JsonObject): RequestFacts {
  const stream = body.stream === true
  const limit = largestOf(body, ['max_completion_tokens', 'max_tokens'])
  const hasSearch = isJsonObject(body.web_search_options)
  const answers = largestOf(body, ['n', 'best_of']).most ?? 1
  const format = objectIn(body, 'response_format')
  return {
    ...baseFacts(body, readExtras(body)),
    ...requestText(body, [body.messages], [body.tools, body.functions, format?.json_schema]),
    calls: answers,
    answers,
    hiddenWork: () => hiddenWork(body),
    maxOutputTokens: withThinking(body, largestLimit(body, limit.most)),
    takesTurns: hasSearch,
    turns: hasSearch ? hostedTurns : 1,
    // An id refers to the audio of an earlier answer.
    hasUnseenInput:
      !hasOnlyKnown(body, messagesField) || arrayIn(body, 'messages').some(refersToSound),
    media: (texts) => requestMedia([body.messages], texts),
    amend: { ...limit.others, ...(stream && amendUsage(body.stream_options)) },
  }
}

const messagesField = new Set(['messages'])

/** Some upstreams add a reasoning budget to the answer's limit. */
function withThinking(body: JsonObject, limit: number | null): number | null {
  if (limit === null) return null
  return (
    limit +
    (countIn(body, 'thinking_budget') ?? 0) +
    (countIn(objectIn(body, 'thinking'), 'budget_tokens') ?? 0) +
    (countIn(objectIn(body, 'reasoning'), 'max_tokens') ?? 0)
  )
}

const refersToSound = (message: unknown) =>
  isJsonObject(message) && isJsonObject(message.audio) && message.audio.id !== undefined

/** Without `include_usage` a stream has no usage to charge. */
export function amendUsage(options: unknown): RequestFacts['amend'] {
  const existing = isJsonObject(options) ? options : {}
  if (existing.include_usage === true) return {}
  return { stream_options: { ...existing, include_usage: true } }
}

/** Reads a checked embeddings request. */
export function readEmbeddings(body: JsonObject): RequestFacts {
  return {
    ...baseFacts(body, requestExtras(body, { tiers: tiersIn(body) })),
    ...requestText(body, [body.input]),
    stream: false,
    calls: inputsIn(body.input),
    maxOutputTokens: 0,
    hasUnseenInput: !hasOnlyKnown(body, inputField),
    media: (texts) => requestMedia([body.input], texts),
  }
}

const inputField = new Set(['input'])

/** Each text and each array of LLM tokens is one input; a bare array of tokens is a single input. */
const inputsIn = (input: unknown): number =>
  Array.isArray(input) && typeof input[0] !== 'number' ? Math.max(1, input.length) : 1

/** Reads a checked request for images: `n` images are `n` calls. */
export function readImages(body: JsonObject): RequestFacts {
  const calls = typeof body.n === 'number' ? body.n : 1
  return {
    ...baseFacts(body, requestExtras(body, { tiers: tiersIn(body) })),
    ...requestText(body, [body.prompt]),
    calls,
    answers: mostImages(body, calls),
    mostCalls: mostImages(body, calls),
    longestAnswer: longestImage,
    media: (texts) => requestPictures(body, imageSettings, texts),
  }
}

const imageCount = /^(?!partial_)(\w*_)?(images|outputs)$|^batch_size$/
/** Largest set whose size the model chooses. Source: Volcengine, "Seedream". */
const largestSet = 15

function mostImages(body: JsonObject, asked: number): number {
  const set = objectIn(body, 'sequential_image_generation_options')
  const counts = [body, set].flatMap((holder = {}) =>
    Object.keys(holder).flatMap((name) => (imageCount.test(name) ? numberOf(holder[name]) : [])),
  )
  const isSet = (body.sequential_image_generation ?? 'disabled') !== 'disabled'
  return Math.max(asked, ...counts, isSet && counts.length === 0 ? largestSet : 1)
}

function numberOf(value: unknown): readonly number[] {
  const isDigits = typeof value === 'string' && /^\d{1,9}$/.test(value)
  return typeof value === 'number' || isDigits ? [Math.ceil(Number(value))] : []
}

/** Fields of an image request, with any vendor, that hold no pictures. */
const imageSettings = wordSet(`
  model prompt negative_prompt size quality style background moderation output_format
  response_format input_fidelity user aspect_ratio resolution sequential_image_generation
  sequential_image_generation_options image_size optimize_prompt_options image_config provider
  metadata service_tier
`)

/** Output tokens of one image with its partial ones. Source: OpenAI, "Image generation": 6,208 and 100 for each. */
const longestImage = 8_192

const shownFields = wordSet(`
  model messages stream stream_options max_tokens max_completion_tokens n temperature top_p top_k
  stop presence_penalty frequency_penalty seed logit_bias logprobs top_logprobs response_format
  verbosity metadata store user safety_identifier prompt_cache_key prompt_cache_retention
  service_tier tools tool_choice parallel_tool_calls functions function_call modalities
  reasoning_effort
`)

/** Work that a request causes and no stream shows. */
export function hiddenWork(body: JsonObject): HiddenWork {
  const { modalities, reasoning_effort: effort, service_tier: tier } = body
  const isShown =
    hasOnly(body, shownFields) &&
    isPlain(tier, 'default', 'auto') &&
    isPlain(effort, 'none') &&
    (isPlain(modalities) || (Array.isArray(modalities) && modalities.every((m) => m === 'text'))) &&
    allOfTypes(body.tools, ['function', 'custom'])
  if (!isShown) return 'some'
  return effort === 'none' ? 'none' : 'by_model'
}

/** Tool types that vendors of OpenAI's protocols run themselves. */
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

/** The tool of a type in OpenAI's protocols; OpenRouter prefixes its own name. */
export const toolOfKind = (kind: string) => namedTool(kinds, kind.replace(/^[a-z]+:/, ''))

/** Members that tools of any type have, also the client's: they name no type. */
const plainMembers = new Set(
  words(
    'type function name description parameters strict cache_control defer_loading allowed_callers',
  ),
)

/** A vendor-run tool's type; '' where upstreams could see several. */
export const onlyKind = (tool: JsonObject, kind: string | undefined): string | undefined =>
  hasTwoKinds(tool) || holdsOtherTool(tool, kind) ? '' : kind

/** Whether a member could make an upstream see another tool than the type says. */
function holdsOtherTool(tool: JsonObject, kind: string | undefined): boolean {
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

/** What a chat completion asks for besides text. */
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
  for (const [index, tool] of tools.entries()) {
    const kind = isJsonObject(tool) ? onlyKind(tool, ownKind(tool)) : undefined
    if (kind !== undefined) hosted.push({ kind, index })
  }
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

/** Undefined: the client runs it. */
function ownKind(tool: JsonObject): string | undefined {
  const { type } = tool
  if (type === 'custom') return undefined
  // Moonshot's own functions are identified by name.
  const name = stringIn(objectIn(tool, 'function'), 'name')
  if (type === 'builtin_function') return name?.replace(/^\$/, '') ?? type
  const isPlain = type === 'function' || type === undefined || type === null
  if (isPlain)
    return isJsonObject(tool.function) || type === 'function' ? undefined : onlyName(tool)
  return `${type}`
}

/** Without a type, its only member names it. */
function onlyName(tool: JsonObject): string | undefined {
  const names = Object.keys(tool)
  return names.length > 1 ? '' : names[0]
}

/** Searches requested by a field: OpenAI's and Perplexity's, xAI's, Alibaba's and others'. */
function fieldsIn(body: JsonObject): readonly HostedToolAsk[] {
  const found: HostedToolAsk[] = []
  if (isJsonObject(body.web_search_options)) found.push(searchAt('web_search_options', true, true))
  const mode = objectIn(body, 'search_parameters')?.mode
  if (isJsonObject(body.search_parameters) && mode !== 'off') {
    found.push(searchAt('search_parameters', mode === 'on'))
  }
  if (isOn(body.enable_search)) {
    const isForced = objectIn(body, 'search_options')?.forced_search === true
    found.push(searchAt('enable_search', isForced, true))
  }
  if (isOn(body.web_search)) found.push(searchAt('web_search', false, true))
  return found
}

const searchAt = (field: string, isForced: boolean, isAlways = false): HostedToolAsk => {
  return { tool: 'web_search', path: [field], isForced, isAlways, mentions: [] }
}

/** Some upstreams accept words for booleans. */
function isOn(value: unknown): boolean {
  if (isJsonObject(value)) return isOn(value.enable ?? value.enabled ?? true)
  return value !== undefined && value !== null && value !== false && value !== 'false'
}

/** OpenRouter's free plugins. */
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
