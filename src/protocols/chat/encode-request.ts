import type { EncodeOptions } from '../canonical/codec.ts'
import type { Quirk } from '../canonical/quirks.ts'
import type {
  CanonicalRequest,
  OutputFormat,
  Part,
  ToolCallPart,
  ToolResultPart,
  Turn,
} from '../canonical/request.ts'
import { defined } from '../json.ts'
import type { JsonObject } from '../protocol.ts'
import { type ContentStyle, encodeContent, groupByName, splitResult } from './content.ts'
import { encodeEffort, joinReasoning } from './reasoning.ts'
import { encodeCall, encodeSearch, encodeTool, encodeToolChoice } from './tools.ts'

/** Messages come last, so that requests of one conversation share a cached prefix. Omits `metadata`, which needs `store`. */
export function encodeRequest(request: CanonicalRequest, options: EncodeOptions): JsonObject {
  const { quirks, model } = options
  const { turns, tools, toolChoice, maxOutputTokens, logprobs, stream } = request
  const limit = quirks.has('max_tokens') ? 'max_tokens' : 'max_completion_tokens'
  const includesUsage = stream && !quirks.has('no_stream_usage')
  const hasTools = tools.length > 0
  return defined({
    model,
    stream: stream ? true : undefined,
    stream_options: includesUsage ? { include_usage: true } : undefined,
    [limit]: maxOutputTokens,
    temperature: request.temperature,
    top_p: request.topP,
    top_k: request.topK,
    presence_penalty: request.presencePenalty,
    frequency_penalty: request.frequencyPenalty,
    seed: request.seed,
    logit_bias: request.logitBias,
    logprobs: logprobs === undefined ? undefined : true,
    top_logprobs: logprobs === 0 ? undefined : logprobs,
    n: request.choices,
    stop: request.stop,
    reasoning_effort: encodeEffort(request.reasoning?.amount),
    verbosity: request.verbosity,
    user: encodeUser(request.userId),
    service_tier: request.serviceTier,
    prompt_cache_key: request.promptCacheKey,
    response_format: request.format && encodeFormat(request.format),
    tools: hasTools
      ? tools.map((tool) => encodeTool(tool, quirks.has('cache_control')))
      : undefined,
    // Without tools the vendor rejects both of these.
    tool_choice: hasTools && toolChoice ? encodeToolChoice(toolChoice, tools) : undefined,
    web_search_options: request.webSearch && encodeSearch(request.webSearch),
    parallel_tool_calls: hasTools ? request.parallelToolCalls : undefined,
    messages: encodeMessages(turns, quirks),
  })
}

function encodeFormat(format: OutputFormat): JsonObject {
  if (format.type === 'json') return { type: 'json_object' }
  const { name, description, schema, strict } = format
  const json_schema = defined({ name: name ?? 'response', description, schema, strict })
  return { type: 'json_schema', json_schema }
}

/** OpenAI rejects more than 64 characters; Claude Code's ids are longer. */
const longestUser = 64

const encodeUser = (user: string | undefined) =>
  user === undefined || user.length > longestUser ? undefined : user

function encodeMessages(turns: readonly Turn[], quirks: ReadonlySet<Quirk>): readonly JsonObject[] {
  // Text-only upstreams often want content to be a string.
  const joint = quirks.has('text_only') ? '\n\n' : undefined
  const style = { marksCache: quirks.has('cache_control'), joint }
  return turns.flatMap((turn) => {
    if (turn.role === 'user') return encodeUserTurn(turn.parts, quirks, style)
    if (turn.role === 'assistant') return encodeAssistantTurn(turn.parts, quirks, style)
    const role = quirks.has('no_developer_role') ? 'system' : turn.role
    return encodeSpoken(role, turn.parts, style)
  })
}

function encodeSpoken(role: string, parts: readonly Part[], style: ContentStyle): JsonObject[] {
  return groupByName(parts).map((group) =>
    defined({ role, name: group.name, content: encodeContent(group.parts, style) }),
  )
}

/** Results first: the vendor wants them right after their calls. */
function encodeUserTurn(
  parts: readonly Part[],
  quirks: ReadonlySet<Quirk>,
  style: ContentStyle,
): JsonObject[] {
  if (parts.length === 0) return [{ role: 'user', content: '' }]
  const isTextOnly = !quirks.has('image_tool_results')
  const results: JsonObject[] = []
  const rest: Part[] = []
  for (const part of parts) {
    if (part.type !== 'tool-result') continue
    const { message, moved } = encodeResult(part, isTextOnly, style)
    results.push(message)
    rest.push(...moved)
  }
  rest.push(...parts.filter((part) => part.type !== 'tool-result'))
  return [...results, ...encodeSpoken('user', rest, style)]
}

function encodeResult(result: ToolResultPart, isTextOnly: boolean, style: ContentStyle) {
  const { kept, moved } = splitResult(result, isTextOnly)
  const content = encodeContent(kept, isTextOnly ? { ...style, joint: '\n' } : style)
  return { message: { role: 'tool', tool_call_id: result.callId, content }, moved }
}

/** One message, since results must directly follow its calls. Its images go into an adjacent user message. */
function encodeAssistantTurn(
  parts: readonly Part[],
  quirks: ReadonlySet<Quirk>,
  style: ContentStyle,
): JsonObject[] {
  const calls = parts.filter((part) => part.type === 'tool-call')
  const images = parts.filter((part) => part.type === 'image')
  const spoken = parts.filter((part) => part.type === 'text' || part.type === 'refusal')
  const last = spoken.at(-1)
  const isTail =
    last?.type === 'refusal' && spoken.every((part) => part.type === 'text' || part === last)
  const content = isTail ? spoken.slice(0, -1) : spoken
  const message = defined({
    role: 'assistant',
    name: content.find((part) => part.type === 'text')?.name,
    content:
      content.length === 0 && (calls.length > 0 || isTail) ? null : encodeContent(content, style),
    refusal: isTail ? last.text : undefined,
    reasoning_content: quirks.has('reasoning_content') ? reasoningOf(parts, calls) : undefined,
    tool_calls: calls.length === 0 ? undefined : calls.map(encodeCall),
  })
  if (images.length === 0) return [message]
  const shown = encodeSpoken('user', images, style)
  return calls.length === 0 ? [message, ...shown] : [...shown, message]
}

/** Moonshot rejects a message with calls and no reasoning; a space suffices. */
function reasoningOf(parts: readonly Part[], calls: readonly ToolCallPart[]): string | undefined {
  const text = joinReasoning(
    parts.flatMap((part) => (part.type === 'reasoning' ? [part.text] : [])),
  )
  if (text !== '') return text
  return calls.length > 0 ? ' ' : undefined
}
