import type { EncodeOptions } from '../canonical/codec.ts'
import type { CanonicalRequest, OutputFormat, ReasoningSettings } from '../canonical/request.ts'
import { encodeEffort } from '../chat/reasoning.ts'
import { defined } from '../fields.ts'
import type { JsonObject } from '../protocol.ts'
import { encodeItems } from './encode-items.ts'
import { encodeSearch, sourcesIncluded } from './search.ts'
import { encodeToolChoice } from './tool-choice.ts'
import { encodeTools } from './tools.ts'

/** The vendor refuses less. Source: its error message, `integer_below_min_value`. */
const leastOutputTokens = 16

/** The vendor refuses longer ones. Source: its error message, `string_above_max_length`. */
const longestUserId = 64

/**
 * The body for an upstream. Nothing is kept with the vendor: reasoning comes and goes in encrypted
 * form. The conversation is last, so that the next turn's body has this one's as a prefix.
 */
export function encodeResponsesRequest(
  request: CanonicalRequest,
  options: EncodeOptions,
): JsonObject {
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
    safety_identifier: userId !== undefined && userId.length <= longestUserId ? userId : undefined,
    service_tier: request.serviceTier,
    prompt_cache_key: request.promptCacheKey,
    input: encodeItems(turns),
  })
}

/**
 * A system prompt of text at the very beginning has a field of its own, unless it is all that there is: the
 * vendor wants some input.
 */
function takeInstructions({ turns }: CanonicalRequest) {
  const [first] = turns
  if (turns.length === 1) return { instructions: undefined, turns }
  const texts = first?.parts.map((part) => (part.type === 'text' ? part.text : undefined)) ?? []
  return first?.role === 'system' && texts.length > 0 && !texts.includes(undefined)
    ? { instructions: texts.join('\n\n'), turns: turns.slice(1) }
    : { instructions: undefined, turns }
}

/**
 * Encrypted reasoning is asked for where reasoning is: models that do not reason refuse it
 * ("Encrypted content is not supported with this model").
 */
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

/** The vendor demands a name. */
function encodeFormat(format: OutputFormat): JsonObject {
  if (format.type === 'json') return { type: 'json_object' }
  const { name = 'output', description, schema, strict } = format
  return defined({ type: 'json_schema', name, description, schema, strict })
}
