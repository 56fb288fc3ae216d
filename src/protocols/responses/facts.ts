import { onlyKind, tiersIn, toolOfKind } from '../chat/facts.ts'
import { arrayIn, countIn, isJsonObject, objectIn, wordSet } from '../json.ts'
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
import {
  allOfTypes,
  baseFacts,
  type HiddenWork,
  hasOnly,
  isPlain,
  largestLimit,
} from '../request-facts.ts'
import { itemIdsIn } from './wire.ts'

/** Reads a checked request. */
export function readResponses(body: JsonObject): RequestFacts {
  const { references, whole } = itemIdsIn(body)
  const { instructions, input, prompt, tools } = body
  const schema = objectIn(objectIn(body, 'text'), 'format')?.schema
  return {
    ...baseFacts(body, readExtras(body)),
    ...requestText(body, [instructions, input, prompt], [tools, schema]),
    continues: referredIds(body, references),
    wholeIds: whole,
    maxOutputTokens: largestLimit(body, countIn(body, 'max_output_tokens')),
    hiddenWork: () => hiddenWork(body),
    takesTurns: hasHostedTools(body),
    background: body.background === true,
    turns: hasHostedTools(body) ? hostedTurns : 1,
    hasUnseenInput: !hasOnlyKnown(body, contentFields),
    media: (texts) => requestMedia([instructions, input], texts),
  }
}

const contentFields = new Set(['instructions', 'input', 'previous_response_id', 'conversation'])

function referredIds(body: JsonObject, references: readonly string[]): readonly string[] {
  const { conversation } = body
  return [
    body.previous_response_id,
    isJsonObject(conversation) ? conversation.id : conversation,
    ...references,
  ].filter((id): id is string => typeof id === 'string' && id !== '')
}

/** The vendor may run all tools but functions and custom tools; a stored prompt may contain some. */
function hasHostedTools(body: JsonObject): boolean {
  if (isJsonObject(body.prompt)) return true
  return arrayIn(body, 'tools')
    .filter(isJsonObject)
    .some(({ type }) => type !== 'function' && type !== 'custom')
}

const clientKinds = new Set<unknown>(['function', 'custom', 'local_shell', 'apply_patch'])

/** What a response asks for besides text. */
export function readExtras(body: JsonObject): RequestExtras | undefined {
  const tools = allTools(body)
  const isAll = tools.every(({ kind }) => kind !== undefined)
  const choice = choiceIn(body, isAll)
  const hostedTools = tools.flatMap(({ kind, path }): readonly HostedToolAsk[] => {
    if (kind === undefined) return []
    const { isForced, mentions } = choice(kind)
    return [{ tool: toolOfKind(kind), path, isForced, mentions }]
  })
  return requestExtras(body, {
    hostedTools,
    tiers: tiersIn(body),
    outputs: outputsIn(body.modalities, ['modalities']),
  })
}

/** Tools in `tools` or in items of the input (`additional_tools`, `tool_search_output`). */
function allTools(body: JsonObject): readonly FoundTool[] {
  const added = arrayIn(body, 'input').flatMap((item, index) =>
    isJsonObject(item) ? toolsIn(arrayIn(item, 'tools'), ['input', index, 'tools']) : [],
  )
  return [...toolsIn(arrayIn(body, 'tools'), ['tools']), ...added]
}

interface FoundTool {
  readonly kind: string | undefined
  readonly path: Path
}

/** Namespaces are not nested: an inner one is an unpriced tool. */
function toolsIn(list: readonly unknown[], path: Path, isWithin = false): readonly FoundTool[] {
  return list.flatMap((tool, index): readonly FoundTool[] => {
    const at = [...path, index]
    if (!isJsonObject(tool)) return []
    if (tool.type === 'namespace' && !isWithin) {
      return toolsIn(arrayIn(tool, 'tools'), [...at, 'tools'], true)
    }
    return [{ kind: onlyKind(tool, ownKind(tool)), path: at }]
  })
}

function ownKind(tool: JsonObject): string | undefined {
  const { type } = tool
  if (clientKinds.has(type)) return undefined
  // The client runs a shell, unless it is requested in a container.
  const place = objectIn(tool, 'environment')?.type
  if (type === 'shell' && (place === undefined || place === 'local')) return undefined
  if (type === 'tool_search' && tool.execution === 'client') return undefined
  return `${type}`
}

function choiceIn(
  body: JsonObject,
  isAll: boolean,
): (kind: string) => Pick<HostedToolAsk, 'isForced' | 'mentions'> {
  const choice = body.tool_choice
  if (!isJsonObject(choice)) {
    return () => ({ isForced: isAll && choice === 'required', mentions: [] })
  }
  if (choice.type !== 'allowed_tools') {
    return (kind) => ({ isForced: choice.type === kind, mentions: [] })
  }
  const places = new Map<string, Path[]>()
  let isHostedAlone = choice.mode === 'required'
  arrayIn(choice, 'tools').forEach((tool, index) => {
    const kind = isJsonObject(tool) ? tool.type : undefined
    if (clientKinds.has(kind)) isHostedAlone = false
    const mentions = places.getOrInsertComputed(`${kind}`, () => [])
    mentions.push(['tool_choice', 'tools', index])
  })
  return (kind) => {
    const mentions = places.get(kind) ?? []
    return { isForced: isHostedAlone && mentions.length > 0, mentions }
  }
}

const shownFields = wordSet(`
  model input instructions stream stream_options max_output_tokens text temperature top_p
  top_logprobs truncation include metadata store user safety_identifier prompt_cache_key
  prompt_cache_retention service_tier tools tool_choice parallel_tool_calls reasoning background
`)

function hiddenWork(body: JsonObject): HiddenWork {
  const { reasoning, service_tier: tier } = body
  const effort = isJsonObject(reasoning) ? reasoning.effort : reasoning
  const isShown =
    hasOnly(body, shownFields) &&
    isPlain(body.background, false) &&
    isPlain(tier, 'default', 'auto') &&
    isPlain(effort, 'none') &&
    itemIdsIn(body).references.length === 0 &&
    allOfTypes(body.tools, ['function', 'custom'])
  if (!isShown) return 'some'
  return effort === 'none' ? 'none' : 'by_model'
}
