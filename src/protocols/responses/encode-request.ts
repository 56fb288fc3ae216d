import type { EncodeOptions } from '../canonical/codec.ts'
import type {
  CanonicalRequest,
  OutputFormat,
  Part,
  ReasoningPart,
  ReasoningSettings,
  ToolResultPart,
  Turn,
} from '../canonical/request.ts'
import { encodeEffort } from '../chat/reasoning.ts'
import { defined } from '../json.ts'
import type { JsonObject } from '../protocol.ts'
import { encodeContentPart } from './content.ts'
import { encodeSearch, encodeToolChoice, encodeTools, sourcesIncluded } from './tools.ts'

/** The vendor's minimum. Source: its error message, `integer_below_min_value`. */
const leastOutputTokens = 16

/** The vendor's maximum for users and items. Source: its error, `string_above_max_length`. */
const longestId = 64

/** The body for an upstream. The vendor stores nothing. The conversation is last: the next body has the same prefix. */
export function encodeRequest(request: CanonicalRequest, options: EncodeOptions): JsonObject {
  const { instructions, turns } = takeInstructions(request)
  const { userId, maxOutputTokens: limit, logprobs, tools, toolChoice, webSearch } = request
  const all = [...(webSearch ? [encodeSearch(webSearch)] : []), ...encodeTools(tools)]
  const include = includes(request)
  return defined({
    model: options.model,
    stream: request.stream || undefined,
    store: false,
    include: include.length === 0 ? undefined : include,
    instructions,
    tools: all.length === 0 ? undefined : all,
    tool_choice: toolChoice && all.length > 0 ? encodeToolChoice(toolChoice, request) : undefined,
    max_tool_calls: webSearch?.maxUses,
    parallel_tool_calls: request.parallelToolCalls,
    reasoning: encodeReasoning(request.reasoning, options),
    text: encodeText(request),
    max_output_tokens: limit === undefined ? undefined : Math.max(limit, leastOutputTokens),
    temperature: request.temperature,
    top_p: request.topP,
    top_logprobs: logprobs,
    metadata: request.metadata,
    safety_identifier: userId !== undefined && userId.length <= longestId ? userId : undefined,
    service_tier: request.serviceTier,
    prompt_cache_key: request.promptCacheKey,
    input: turns.flatMap(encodeTurn),
  })
}

/** A leading text-only system prompt has its own field, unless the input would be empty without it. */
function takeInstructions({ turns }: CanonicalRequest) {
  const [first] = turns
  if (turns.length === 1) return { instructions: undefined, turns }
  const texts = first?.parts.map((part) => (part.type === 'text' ? part.text : undefined)) ?? []
  return first?.role === 'system' && texts.length > 0 && !texts.includes(undefined)
    ? { instructions: texts.join('\n\n'), turns: turns.slice(1) }
    : { instructions: undefined, turns }
}

/** Requests encrypted reasoning only with reasoning: other models reject it. */
function includes({ reasoning, logprobs, webSearch }: CanonicalRequest): string[] {
  const isReasoning = reasoning !== undefined && reasoning.amount?.type !== 'off'
  return [
    ...(isReasoning ? ['reasoning.encrypted_content'] : []),
    ...(logprobs === undefined ? [] : ['message.output_text.logprobs']),
    ...(webSearch === undefined ? [] : [sourcesIncluded]),
  ]
}

function encodeReasoning(
  reasoning: ReasoningSettings | undefined,
  { quirks, showsReasoning }: EncodeOptions,
): JsonObject | undefined {
  const { amount, show } = reasoning ?? {}
  const effort = encodeEffort(amount)
  const isAsked = showsReasoning && !quirks.has('no_reasoning_summary')
  const wanted = show ?? (isAsked ? 'auto' : undefined)
  const summary = wanted === 'none' ? undefined : wanted
  return effort || summary ? defined({ effort, summary }) : undefined
}

function encodeText({ format, verbosity }: CanonicalRequest): JsonObject | undefined {
  if (format === undefined && verbosity === undefined) return undefined
  return defined({ format: format && encodeFormat(format), verbosity })
}

function encodeFormat(format: OutputFormat): JsonObject {
  if (format.type === 'json') return { type: 'json_object' }
  const { name = 'output', description, schema, strict } = format
  return defined({ type: 'json_schema', name, description, schema, strict })
}

/** A turn as input items. Content is always a list, so a growing turn keeps its prefix. */
function encodeTurn({ role, parts }: Turn): JsonObject[] {
  if (parts.length === 0) return [{ type: 'message', role, content: '' }]
  const items: JsonObject[] = []
  let message: { readonly role: string; readonly content: JsonObject[] } | undefined
  for (const part of parts) {
    const isMedia = part.type === 'image' || part.type === 'document' || part.type === 'audio'
    // The vendor accepts no media from the assistant: a model's images become the user's.
    const speaker = role === 'assistant' && isMedia ? 'user' : role
    const content = encodeContentPart(part, speaker === 'assistant')
    if (content === undefined) {
      message = undefined
      items.push(...encodePart(part))
      continue
    }
    if (message?.role !== speaker) {
      message = { role: speaker, content: [] }
      items.push({ type: 'message', ...message })
    }
    message.content.push(content)
  }
  return items
}

function encodePart(part: Part): JsonObject[] {
  switch (part.type) {
    case 'reasoning':
      return encodeReasoningItem(part)
    case 'tool-call': {
      const { callId, name, input } = part
      return part.kind === 'custom'
        ? [{ type: 'custom_tool_call', call_id: callId, name, input }]
        : [{ type: 'function_call', call_id: callId, name, arguments: input || '{}' }]
    }
    case 'tool-result': {
      const type = part.kind === 'custom' ? 'custom_tool_call_output' : 'function_call_output'
      return [{ type, call_id: part.callId, output: encodeResult(part.parts) }]
    }
    default:
      return []
  }
}

/** The vendor accepts only its own encrypted reasoning. An id above 64 characters is rejected, and optional. */
function encodeReasoningItem({ text, signature, id }: ReasoningPart): JsonObject[] {
  if (signature === undefined) return []
  const summary = text === '' ? [] : [{ type: 'summary_text', text }]
  const item = { summary, encrypted_content: signature }
  const hasId = id !== undefined && id.length <= longestId
  return [hasId ? { type: 'reasoning', id, ...item } : { type: 'reasoning', ...item }]
}

function encodeResult(parts: ToolResultPart['parts']): unknown {
  const [first] = parts
  if (first === undefined) return ''
  if (parts.length === 1 && first.type === 'text') return first.text
  return parts.map((part) => encodeContentPart(part, false))
}
