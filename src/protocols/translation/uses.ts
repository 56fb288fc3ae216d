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
import type { ProtocolName } from '../protocol.ts'
import type { FeatureName } from './features.ts'
import { cachePath, spell, strictPath } from './spelling.ts'

/** A feature that a request uses, where it does, and how the request is without it. */
export interface Use {
  readonly feature: FeatureName
  /** The field's path as the client wrote it. */
  readonly at: string
}

/** Settings that are a feature each, and nothing more. */
const settingFeatures: { readonly [setting in Setting]?: FeatureName } = {
  maxOutputTokens: 'max_output_tokens',
  stop: 'stop',
  temperature: 'temperature',
  topP: 'top_p',
  topK: 'top_k',
  presencePenalty: 'presence_penalty',
  frequencyPenalty: 'frequency_penalty',
  seed: 'seed',
  logitBias: 'logit_bias',
  logprobs: 'logprobs',
  metadata: 'metadata',
  promptCacheKey: 'prompt_cache_key',
  verbosity: 'verbosity',
}
const settings = Object.keys(settingFeatures) as readonly Setting[]

/** Every feature that a request uses, in the order of its fields; one at each place. */
export function findUses(request: CanonicalRequest, client: ProtocolName): readonly Use[] {
  const uses: Use[] = []
  const note = (feature: FeatureName, at: string) => {
    uses.push({ feature, at })
  }
  for (const { feature, at } of request.native) note(feature, at)
  noteTurns(request.turns, client, note)
  for (const tool of request.tools) noteTool(tool, client, note)
  noteSearch(request, client, note)
  noteSettings(request, client, note)
  return uses
}

type Note = (feature: FeatureName, at: string) => void

function noteTurns(turns: readonly Turn[], client: ProtocolName, note: Note): void {
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
  // Elsewhere a conversation may end with an answer, but is not continued from there.
  const isPrefill = client === 'messages' && last?.role === 'assistant'
  if (isPrefill) note('prefill', last.parts[0]?.at ?? 'messages')
}

function notePart(part: Part, client: ProtocolName, note: Note): void {
  const at = part.at ?? 'messages'
  if (part.cache !== undefined) note('cache_hint', cachePath(client, at))
  for (const feature of featuresOf(part)) note(feature, at)
  if (part.type !== 'tool-result') return
  for (const inner of part.parts) {
    notePart(inner, client, note)
    if (inner.type !== 'text') note('tool_result_media', inner.at ?? at)
  }
}

function featuresOf(part: Part): readonly FeatureName[] {
  const found: FeatureName[] = []
  switch (part.type) {
    case 'text':
      found.push('text')
      if (part.name !== undefined) found.push('participant_name')
      for (const { type } of part.citations ?? []) {
        found.push(type === 'url' ? 'citation_history' : 'document_citation_history')
      }
      break
    case 'image':
      found.push(part.source.type === 'url' ? 'image_url' : 'image')
      if (part.detail !== undefined && part.detail !== 'auto') found.push('image_detail')
      break
    case 'document':
      found.push(documentFeatures[part.source.type])
      if (part.context !== undefined) found.push('document_context')
      if (part.isCited) found.push('document_citations')
      break
    case 'audio':
      found.push(part.source.type === 'url' ? 'audio_url' : 'audio')
      break
    case 'video':
      found.push('video')
      break
    case 'reasoning':
      if (part.signature !== undefined) found.push('signed_reasoning')
      else found.push(part.isOwn ? 'own_reasoning' : 'unsigned_reasoning')
      break
    case 'refusal':
      found.push('refusal_history')
      break
    case 'tool-call':
      found.push('tool_calls')
      break
    case 'tool-result':
      if (part.isError) found.push('tool_error')
      break
  }
  return found
}

const documentFeatures = {
  data: 'document',
  url: 'document_url',
  text: 'document_text',
} as const satisfies Record<string, FeatureName>

function noteTool(tool: Tool, client: ProtocolName, note: Note): void {
  const at = tool.at ?? 'tools'
  note(tool.kind === 'custom' ? 'custom_tools' : 'tools', at)
  if (tool.strict) note('tool_strict', strictPath(client, at))
  if (tool.cache !== undefined) note('cache_hint', cachePath(client, at))
}

function noteSearch(
  { webSearch, toolChoice, tools }: CanonicalRequest,
  client: ProtocolName,
  note: Note,
): void {
  if (webSearch === undefined) return
  const [at = 'tools'] = webSearch.places
  note('web_search', at)
  if (webSearch.location) note('search_location', `${at}.user_location`)
  if (webSearch.maxUses !== undefined) {
    note('search_limit', client === 'responses' ? 'max_tool_calls' : `${at}.max_uses`)
  }
  if (webSearch.contextSize !== undefined) note('search_context', `${at}.search_context_size`)
  const isForced = toolChoice?.type === 'search' || toolChoice?.type === 'required'
  if (isForced && tools.length === 0) note('search_choice', spell(client, 'toolChoice'))
}

function noteSettings(request: CanonicalRequest, client: ProtocolName, note: Note): void {
  for (const setting of settings) {
    const feature = settingFeatures[setting]
    if (feature !== undefined && request[setting] !== undefined)
      note(feature, spell(client, setting))
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
    note(
      toolChoice.type === 'allowed' ? 'allowed_tools' : 'tool_choice',
      spell(client, 'toolChoice'),
    )
  }
  if (parallelToolCalls === false) note('sequential_tools', spell(client, 'parallelToolCalls'))
  if (format) {
    const at = spell(client, 'format')
    if (format.type === 'json') note('json_mode', at)
    else note('json_schema', format.at ?? at)
  }
  if ((choices ?? 1) > 1) note('choices', spell(client, 'choices'))
  noteReasoning(request, reasoning, client, note)
}

function noteReasoning(
  request: CanonicalRequest,
  reasoning: ReasoningSettings | undefined,
  client: ProtocolName,
  note: Note,
): void {
  if (reasoning === undefined) return
  const at = spell(client, 'reasoning')
  const { amount, show } = reasoning
  if (amount) note(`reasoning_${amount.type}`, at)
  if (show !== undefined) note('reasoning_shown', `${at}.${shownField[client]}`)
  if (amount === undefined || amount.type === 'off') return
  for (const setting of samplingSettings) {
    if (request[setting] !== undefined) note('sampling_while_reasoning', spell(client, setting))
  }
}

const shownField: { readonly [protocol in ProtocolName]: string } = {
  chat: 'summary',
  responses: 'summary',
  messages: 'display',
  gemini: 'includeThoughts',
}

const samplingSettings = ['temperature', 'topP', 'topK'] as const

/** The request without a feature: what can't be said in its target is left out. */
export function without(request: CanonicalRequest, feature: FeatureName): CanonicalRequest {
  const setting = settings.find((name) => settingFeatures[name] === feature)
  if (setting !== undefined) return { ...request, [setting]: undefined }
  const change = requestChanges[feature]
  if (change !== undefined) return change(request)
  const strip = partChanges[feature]
  return strip === undefined ? request : { ...request, turns: stripParts(request.turns, strip) }
}

const withoutUser = (request: CanonicalRequest) => ({ ...request, userId: undefined })
const withoutTier = (request: CanonicalRequest) => ({ ...request, serviceTier: undefined })

/** The search with one of its fields left out. */
const searchWithout = (field: keyof WebSearch) => (request: CanonicalRequest) => ({
  ...request,
  webSearch: request.webSearch && { ...request.webSearch, [field]: undefined },
})

const requestChanges: {
  readonly [feature in FeatureName]?: (request: CanonicalRequest) => CanonicalRequest
} = {
  user_id: withoutUser,
  long_user_id: withoutUser,
  service_tier: withoutTier,
  special_tier: withoutTier,
  search_location: searchWithout('location'),
  search_limit: searchWithout('maxUses'),
  search_context: searchWithout('contextSize'),
  search_choice: (request) => ({ ...request, toolChoice: undefined }),
  sequential_tools: (request) => ({ ...request, parallelToolCalls: undefined }),
  reasoning_shown: (request) => ({
    ...request,
    reasoning: { ...request.reasoning, show: undefined },
  }),
  sampling_while_reasoning: (request) => ({
    ...request,
    temperature: undefined,
    topP: undefined,
    topK: undefined,
  }),
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

/** Turns with each part changed, or taken out; also those inside of results. */
const stripParts = (turns: readonly Turn[], strip: Strip) =>
  changeParts(turns, ({ parts }) => parts.flatMap((part) => changed(part, strip)))

function changed(part: Part, strip: Strip): readonly Part[] {
  const kept = strip(part)
  if (kept === undefined) return []
  if (kept.type !== 'tool-result') return [kept]
  const parts = kept.parts.flatMap((inner) => strip(inner) ?? []) as ToolResultPart['parts']
  return [{ ...kept, parts }]
}
