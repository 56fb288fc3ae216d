import { tierName } from '../canonical/extras.ts'
import type { HostedTool } from '../canonical/tools.ts'
import { isJsonObject, meanings, objectIn, wordSet, words } from '../json.ts'
import { hasOnlyKnown } from '../known-parts.ts'
import { hostedTurns, type JsonObject, type RequestFacts } from '../protocol.ts'
import { requestMedia, requestText } from '../request-content.ts'
import {
  type HostedToolAsk,
  outputsIn,
  type Path,
  type RequestExtras,
  requestExtras,
} from '../request-extras.ts'
import { baseFacts, type HiddenWork, hasOnly, isPlain, largestOf } from '../request-facts.ts'
import { camelNames, countNames, limitNames, withOneConfig, written } from './wire.ts'

/** Reads a checked request. The path holds the model and whether to stream. */
export function readGemini(wire: JsonObject): RequestFacts {
  const { asked: body, amend } = withOneConfig(wire)
  // The system instruction has two names: an upstream may read either.
  const { systemInstruction, system_instruction, contents, content, requests } = body
  const prompts = [systemInstruction, system_instruction, contents, content, requests]
  const config = objectIn(body, 'generationConfig') ?? objectIn(body, 'generation_config')
  const limit = largestOf(config, limitNames).most
  // Embeddings generate nothing; their bodies hold `content` or `requests`.
  const isGenerating = body.contents !== undefined
  const answers = largestOf(config, countNames).most || 1
  const schemas = [body.tools, ...schemaNames.map((name) => config?.[name])]
  return {
    ...baseFacts(body, readExtras(body)),
    ...requestText(body, prompts, schemas),
    model: undefined,
    stream: false,
    calls: answers,
    amend,
    answers,
    maxOutputTokens: isGenerating ? (limit ?? null) : 0,
    hiddenWork: () => hiddenWork(body),
    takesTurns: hasHostedTools(body.tools),
    turns: hasHostedTools(body.tools) ? hostedTurns : 1,
    hasUnseenInput: !hasOnlyKnown(body, contentFields),
    media: (texts) => requestMedia(prompts, texts),
  }
}

/** Cached contents are not in the body. */
const contentFields = wordSet(`
  systemInstruction system_instruction contents content requests generateContentRequest
  generate_content_request
`)

/** Reads a checked batch of embeddings: each is a call. */
export function readBatchEmbed(body: JsonObject): RequestFacts {
  const { requests } = body
  return { ...readGemini(body), calls: Array.isArray(requests) ? requests.length : 1 }
}

const schemaNames = words('responseSchema response_schema responseJsonSchema response_json_schema')

/** Nested requests repeat the path's model: the vendor rejects other names. */
export function renameGemini(
  body: JsonObject,
  upstreamModel: string,
): { readonly [field: string]: unknown } {
  const name = upstreamModel.includes('/') ? upstreamModel : `models/${upstreamModel}`
  const isOther = (value: unknown): value is JsonObject =>
    isJsonObject(value) && value.model !== undefined && value.model !== name
  const renamed = (value: unknown) => (isOther(value) ? { ...value, model: name } : value)
  const changes: Record<string, unknown> = {}
  if (isOther(body)) changes.model = name
  for (const field of ['requests', 'generateContentRequest', 'generate_content_request']) {
    const value = body[field]
    if (Array.isArray(value) ? value.some(isOther) : isOther(value))
      changes[field] = Array.isArray(value) ? value.map(renamed) : renamed(value)
  }
  return changes
}

function hasHostedTools(tools: unknown): boolean {
  return (Array.isArray(tools) ? tools : [tools])
    .filter(isJsonObject)
    .some((tool) => Object.keys(tool).some((key) => !/^function_?declarations$/i.test(key)))
}

const tools = meanings<HostedTool>({
  web_search: 'googleSearch googleSearchRetrieval',
  maps_grounding: 'googleMaps',
  url_context: 'urlContext',
  file_search: 'fileSearch',
  code_execution: 'codeExecution',
  computer_use: 'computerUse',
  mcp: 'mcpServers',
})

function readExtras(body: JsonObject): RequestExtras | undefined {
  const fields = camelNames(body)
  const tier = tierName(fields.serviceTier)
  const config = isJsonObject(fields.generationConfig) ? fields.generationConfig : {}
  const at = [written(body, 'generationConfig'), written(config, 'responseModalities')]
  return requestExtras(withoutOwnNames(body), {
    hostedTools: toolsIn(fields.tools),
    tiers: tier ? [{ tier, path: [written(body, 'serviceTier')] }] : [],
    outputs: outputsIn(camelNames(config).responseModalities, at),
  })
}

function toolsIn(wire: unknown): readonly HostedToolAsk[] {
  const isList = Array.isArray(wire)
  return (isList ? wire : [wire]).flatMap((set: unknown, index) => {
    if (!isJsonObject(set)) return []
    const path = isList ? ['tools', index] : ['tools']
    return Object.keys(set).flatMap((name): readonly HostedToolAsk[] => {
      const [camel = name] = Object.keys(camelNames({ [name]: 0 }))
      if (camel === 'functionDeclarations' || (set[name] ?? undefined) === undefined) return []
      // The calling mode affects functions only.
      return [{ tool: tools.get(camel), path: [...path, name], isForced: false, mentions: [] }]
    })
  })
}

/** Renames the model that nested requests repeat. */
function withoutOwnNames(body: JsonObject): JsonObject {
  const { requests, generateContentRequest, generate_content_request, ...rest } = body
  const inner = [requests, generateContentRequest, generate_content_request]
    .flat()
    .filter(isJsonObject)
    .map(({ model: _, ...request }) => request)
  return inner.length === 0 ? rest : { ...rest, requests: inner }
}

const shownFields = wordSet(`
  contents systemInstruction tools toolConfig safetySettings labels model generationConfig
  serviceTier
`)
const shownSettings = wordSet(`
  temperature topP topK candidateCount maxOutputTokens stopSequences seed responseMimeType
  responseSchema responseJsonSchema responseModalities presencePenalty frequencyPenalty
  responseLogprobs logprobs mediaResolution thinkingConfig
`)

const shownThinking = new Set(['thinkingBudget', 'includeThoughts'])

function hiddenWork(wire: JsonObject): HiddenWork {
  const body = onceNamed(wire)
  const config = onceNamed(body?.generationConfig ?? {})
  const thinking = onceNamed(config?.thinkingConfig ?? {})
  if (!body || !config || !thinking) return 'some'
  const { responseModalities: modalities } = config
  const { thinkingBudget } = thinking
  const isShown =
    hasOnly(body, shownFields) &&
    hasOnly(config, shownSettings) &&
    hasOnly(thinking, shownThinking) &&
    isPlain(body.serviceTier, 'standard') &&
    isPlain(thinkingBudget, 0) &&
    (isPlain(modalities) || (Array.isArray(modalities) && modalities.every(isText))) &&
    allFunctions(body.tools)
  if (!isShown) return 'some'
  return thinkingBudget === 0 ? 'none' : 'by_model'
}

/** An object in camelCase; undefined if it has a field in both spellings. */
function onceNamed(value: unknown): JsonObject | undefined {
  if (!isJsonObject(value)) return undefined
  const named = camelNames(value)
  return Object.keys(named).length === Object.keys(value).length ? named : undefined
}

const isText = (modality: unknown) => typeof modality === 'string' && /^text$/i.test(modality)

const allFunctions = (tools: unknown): boolean =>
  isPlain(tools) ||
  (Array.isArray(tools) ? tools : [tools]).every(
    (tool) => isJsonObject(tool) && hasOnly(camelNames(tool), functions),
  )

const functions = new Set(['functionDeclarations'])

const systemNames = ['systemInstruction', 'system_instruction']

/** Paths of empty parts and contents, which the vendor rejects. If no content would be left, all stay. */
export function emptyParts(body: JsonObject): readonly Path[] {
  const { contents } = body
  const list = Array.isArray(contents) ? contents : undefined
  const said = list
    ? list.flatMap((content, index) => emptyIn(content, ['contents', index]))
    : emptyIn(contents, ['contents'])
  const isAll = list
    ? said.filter((path) => path.length === 2).length === list.length
    : said.some((path) => path.length === 1)
  const system = systemNames.flatMap((name) => emptyIn(body[name], [name]))
  return isAll ? system : [...system, ...said]
}

function emptyIn(content: unknown, path: Path): readonly Path[] {
  if (!isJsonObject(content)) return []
  const { parts } = content
  if (!Array.isArray(parts)) return []
  const empty = parts.flatMap((part, index) => (isEmpty(part) ? [index] : []))
  const isWhole = empty.length > 0 && empty.length === parts.length
  return isWhole ? [path] : empty.map((index) => [...path, 'parts', index])
}

const isEmpty = (part: unknown) => isJsonObject(part) && Object.keys(part).length === 0
