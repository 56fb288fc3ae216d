import type { EncodeOptions } from '../canonical/codec.ts'
import type { CanonicalRequest, OutputFormat } from '../canonical/request.ts'
import type { JsonObject } from '../protocol.ts'
import { encodeEffort } from './effort.ts'
import { encodeMessages } from './encode-messages.ts'
import { defined } from './fields.ts'
import { encodeSearch } from './search.ts'
import { encodeTool, encodeToolChoice } from './tools.ts'

/**
 * The body of a chat completion request. The conversation comes last, so that a longer one begins
 * with the same bytes. `metadata` is not sent: OpenAI refuses it unless the answer is stored.
 */
export function encodeChatRequest(request: CanonicalRequest, options: EncodeOptions): JsonObject {
  const { quirks, model } = options
  const { turns, tools, toolChoice, maxOutputTokens, logprobs, stream } = request
  const limit = quirks.has('max_tokens') ? 'max_tokens' : 'max_completion_tokens'
  const tellsUsage = stream && !quirks.has('no_stream_usage')
  const hasTools = tools.length > 0
  return defined({
    model,
    stream: stream ? true : undefined,
    stream_options: tellsUsage ? { include_usage: true } : undefined,
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
    // Without tools the vendor refuses both of these.
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

/** OpenAI refuses more than 64 characters, and Claude Code's are longer. */
const longestUser = 64

const encodeUser = (user: string | undefined) =>
  user === undefined || user.length > longestUser ? undefined : user
