import type {
  CanonicalRequest,
  Citation,
  Part,
  ReasoningSettings,
  Setting,
  Tool,
  ToolResultPart,
  Turn,
  WebSearch,
} from '../canonical/request.ts'
import { changeParts, countLeadingInstructions } from '../canonical/turns.ts'
import type { FeatureName } from './features.ts'
import { type Spelling, snake, spell, strictPath } from './spelling.ts'

/** A feature that a request uses, its path, and the request without it. */
export interface Use {
  readonly feature: FeatureName
  readonly at: string
}

const plainSettings = [
  ...(['maxOutputTokens', 'stop', 'temperature', 'topP', 'topK', 'presencePenalty'] as const),
  ...(['frequencyPenalty', 'seed', 'logitBias', 'logprobs', 'metadata'] as const),
  ...(['promptCacheKey', 'verbosity'] as const),
] satisfies readonly Setting[]
const plainFeatures = new Map(plainSettings.map((name) => [snake(name) as FeatureName, name]))

/** Every feature that a request uses, in the order of its fields; one per path. */
export function findUses(request: CanonicalRequest, client: Spelling): readonly Use[] {
  const uses: Use[] = []
  const note: Note = (feature, at) => void uses.push({ feature, at })
  for (const { feature, at } of request.native) note(feature, at)
  noteTurns(request.turns, client, note)
  for (const tool of request.tools) noteTool(tool, client, note)
  noteSearch(request, client, note)
  noteSettings(request, client, note)
  return uses
}

type Note = (feature: FeatureName, at: string) => void

function noteTurns(turns: readonly Turn[], client: Spelling, note: Note): void {
  const leading = countLeadingInstructions(turns)
  turns.forEach(({ role, parts }, index) => {
    const at = parts[0]?.at ?? 'messages'
    if (role === 'system' || role === 'developer') {
      note(index < leading ? 'instructions' : 'late_instructions', at)
      if (role === 'developer') note('developer_role', at)
    }
    for (const part of parts) notePart(part, client, note)
  })
  const last = turns.at(-1)
  // Other protocols allow a final answer, but do not continue it.
  const isPrefill = client.continuesAnswers && last?.role === 'assistant'
  if (isPrefill) note('prefill', last.parts[0]?.at ?? 'messages')
}

function notePart(part: Part, client: Spelling, note: Note): void {
  const at = part.at ?? 'messages'
  if (part.cache !== undefined) note('cache_hint', `${at}.${client.cacheMark}`)
  for (const feature of featuresOf(part)) note(feature, at)
  if (part.type !== 'tool-result') return
  for (const inner of part.parts) {
    notePart(inner, client, note)
    if (inner.type !== 'text') note('tool_result_media', inner.at ?? at)
  }
}

function featuresOf(part: Part): readonly FeatureName[] {
  switch (part.type) {
    case 'text': {
      const cited = (part.citations ?? []).map(({ type }) =>
        type === 'url' ? 'citation_history' : 'document_citation_history',
      )
      return part.name === undefined ? ['text', ...cited] : ['text', 'participant_name', ...cited]
    }
    case 'image': {
      const hasDetail = part.detail !== undefined && part.detail !== 'auto'
      const image = part.source.type === 'url' ? 'image_url' : 'image'
      return hasDetail ? [image, 'image_detail'] : [image]
    }
    case 'document': {
      const features: FeatureName[] = [documentFeatures[part.source.type]]
      if (part.context !== undefined) features.push('document_context')
      if (part.isCited) features.push('document_citations')
      return features
    }
    case 'audio':
      return [part.source.type === 'url' ? 'audio_url' : 'audio']
    case 'video':
      return ['video']
    case 'reasoning':
      if (part.signature !== undefined) return ['signed_reasoning']
      return [part.isOwn ? 'own_reasoning' : 'unsigned_reasoning']
    case 'refusal':
      return ['refusal_history']
    case 'tool-call':
      return ['tool_calls']
    case 'tool-result':
      return part.isError ? ['tool_error'] : []
  }
}

const documentFeatures = {
  data: 'document',
  url: 'document_url',
  text: 'document_text',
} as const satisfies Record<string, FeatureName>

function noteTool(tool: Tool, client: Spelling, note: Note): void {
  const at = tool.at ?? 'tools'
  note(tool.kind === 'custom' ? 'custom_tools' : 'tools', at)
  if (tool.strict) note('tool_strict', strictPath(client, at))
  if (tool.cache !== undefined) note('cache_hint', `${at}.${client.cacheMark}`)
}

function noteSearch(
  { webSearch, toolChoice, tools }: CanonicalRequest,
  client: Spelling,
  note: Note,
): void {
  if (webSearch === undefined) return
  const [at = 'tools'] = webSearch.places
  note('web_search', at)
  if (webSearch.location) note('search_location', `${at}.user_location`)
  if (webSearch.maxUses !== undefined) {
    note('search_limit', client.searchLimit ?? `${at}.max_uses`)
  }
  if (webSearch.contextSize !== undefined) note('search_context', `${at}.search_context_size`)
  const isForced = toolChoice?.type === 'search' || toolChoice?.type === 'required'
  if (isForced && tools.length === 0) note('search_choice', spell(client, 'toolChoice'))
}

function noteSettings(request: CanonicalRequest, client: Spelling, note: Note): void {
  for (const [feature, setting] of plainFeatures) {
    if (request[setting] !== undefined) note(feature, spell(client, setting))
  }
  const { userId, toolChoice, parallelToolCalls, format, reasoning, choices, serviceTier } = request
  if (userId !== undefined) {
    note(userId.length > 64 ? 'long_user_id' : 'user_id', spell(client, 'userId'))
  }
  if (serviceTier !== undefined) {
    const isPlain = serviceTier === 'auto' || serviceTier === 'default'
    note(isPlain ? 'service_tier' : 'special_tier', spell(client, 'serviceTier'))
  }
  if (toolChoice) {
    const feature = toolChoice.type === 'allowed' ? 'allowed_tools' : 'tool_choice'
    note(feature, spell(client, 'toolChoice'))
  }
  if (parallelToolCalls === false) note('sequential_tools', spell(client, 'parallelToolCalls'))
  if (format) {
    const at = spell(client, 'format')
    if (format.type === 'json') note('json_mode', at)
    else note('json_schema', format.at ?? at)
  }
  if ((choices ?? 1) > 1) note('choices', spell(client, 'choices'))
  if (reasoning) noteReasoning(request, reasoning, client, note)
}

function noteReasoning(
  request: CanonicalRequest,
  { amount, show }: ReasoningSettings,
  client: Spelling,
  note: Note,
): void {
  const at = spell(client, 'reasoning')
  if (amount) note(`reasoning_${amount.type}`, at)
  if (show !== undefined) note('reasoning_shown', `${at}.${client.shownReasoning}`)
  if (amount === undefined || amount.type === 'off') return
  for (const setting of samplingSettings) {
    if (request[setting] !== undefined) note('sampling_while_reasoning', spell(client, setting))
  }
}

const samplingSettings = ['temperature', 'topP', 'topK'] as const

/** The request without a feature that its target cannot express. */
export function without(request: CanonicalRequest, feature: FeatureName): CanonicalRequest {
  const setting = plainFeatures.get(feature)
  if (setting !== undefined) return { ...request, [setting]: undefined }
  const change = requestChanges[feature]
  if (change !== undefined) return change(request)
  const strip = partChanges[feature]
  return strip === undefined ? request : { ...request, turns: stripParts(request.turns, strip) }
}

function requestWithout(...settings: readonly Setting[]) {
  const gone = Object.fromEntries(settings.map((name) => [name, undefined]))
  return (request: CanonicalRequest): CanonicalRequest => ({ ...request, ...gone })
}

const searchWithout = (field: keyof WebSearch) => (request: CanonicalRequest) => ({
  ...request,
  webSearch: request.webSearch && { ...request.webSearch, [field]: undefined },
})

const requestChanges: {
  readonly [feature in FeatureName]?: (request: CanonicalRequest) => CanonicalRequest
} = {
  user_id: requestWithout('userId'),
  long_user_id: requestWithout('userId'),
  service_tier: requestWithout('serviceTier'),
  special_tier: requestWithout('serviceTier'),
  search_location: searchWithout('location'),
  search_limit: searchWithout('maxUses'),
  search_context: searchWithout('contextSize'),
  search_choice: requestWithout('toolChoice'),
  sequential_tools: requestWithout('parallelToolCalls'),
  reasoning_shown: (request) => ({
    ...request,
    reasoning: { ...request.reasoning, show: undefined },
  }),
  sampling_while_reasoning: requestWithout(...samplingSettings),
  tool_strict: (request) => ({
    ...request,
    tools: request.tools.map((tool) => ({ ...tool, strict: undefined })),
  }),
  cache_hint: (request) => ({
    ...request,
    tools: request.tools.map((tool) => ({ ...tool, cache: undefined })),
    turns: stripParts(request.turns, (part) => ({ ...part, cache: undefined })),
  }),
}

type Strip = (part: Part) => Part | undefined

const partChanges: { readonly [feature in FeatureName]?: Strip } = {
  participant_name: (part) => (part.type === 'text' ? { ...part, name: undefined } : part),
  citation_history: (part) => withoutCitations(part, 'url'),
  document_citation_history: (part) => withoutCitations(part, 'document'),
  image_detail: (part) => (part.type === 'image' ? { ...part, detail: undefined } : part),
  document_context: (part) => (part.type === 'document' ? { ...part, context: undefined } : part),
  document_citations: (part) => (part.type === 'document' ? { ...part, isCited: undefined } : part),
  tool_error: (part) => (part.type === 'tool-result' ? { ...part, isError: undefined } : part),
  signed_reasoning: (part) =>
    part.type === 'reasoning' && part.signature !== undefined ? undefined : part,
  unsigned_reasoning: (part) =>
    part.type === 'reasoning' && part.signature === undefined ? undefined : part,
}

function withoutCitations(part: Part, type: Citation['type']): Part {
  if (part.type !== 'text' || part.citations === undefined) return part
  return { ...part, citations: part.citations.filter((citation) => citation.type !== type) }
}

const stripParts = (turns: readonly Turn[], strip: Strip) =>
  changeParts(turns, ({ parts }) => parts.flatMap((part) => changed(part, strip)))

function changed(part: Part, strip: Strip): readonly Part[] {
  const kept = strip(part)
  if (kept === undefined) return []
  if (kept.type !== 'tool-result') return [kept]
  const parts = kept.parts.flatMap((inner) => strip(inner) ?? []) as ToolResultPart['parts']
  return [{ ...kept, parts }]
}
