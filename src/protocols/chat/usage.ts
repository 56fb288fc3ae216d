import {
  hasObserved,
  type Modalities,
  plus,
  type ReportedExtras,
  reportedExtras,
  type ToolCounts,
  type UsageReports,
} from '../canonical/extras.ts'
import type { HostedTool } from '../canonical/tools.ts'
import { disjointUsage, larger, readCount, type Usage } from '../canonical/usage.ts'
import { isJsonObject, objectIn, words } from '../json.ts'
import type { JsonObject } from '../protocol.ts'

/**
 * `prompt_tokens` includes cache reads and writes. `completion_tokens` includes reasoning, except with xAI and
 * Google's compatible endpoint, where `total_tokens` exceeds both: the surplus is output. Embeddings report
 * `prompt_tokens` or just `total_tokens` (Voyage); images `input_tokens` and `output_tokens`.
 */
export const chatReports: UsageReports = {
  read(wire) {
    const input = inputDetails(wire)
    return {
      prompt: readCount(wire.prompt_tokens) ?? readCount(wire.input_tokens),
      completion: readCount(wire.completion_tokens) ?? readCount(wire.output_tokens),
      total: readCount(wire.total_tokens),
      cached: readCached(wire, input),
      cacheWrite: readCount(input?.cache_write_tokens),
      reasoning: readCount(outputDetails(wire)?.reasoning_tokens),
    }
  },
  needed: ['prompt', 'completion', 'total'],
  readExtras: (wire) => readChatExtras(wire, inputDetails(wire), outputDetails(wire)),
  sum({ prompt, completion = 0, total = 0, ...parts }) {
    const { reasoning = 0, cached: cacheRead = 0, cacheWrite = 0 } = parts
    const input = prompt ?? Math.max(0, total - completion)
    const output = Math.max(completion, total - input)
    return disjointUsage({ input, output, reasoning, cacheRead, cacheWrite })
  },
  inputFields: ['prompt_tokens', 'input_tokens', 'total_tokens'],
  outputFields: ['completion_tokens', 'output_tokens', 'total_tokens'],
}

const inputDetails = (wire: JsonObject) =>
  objectIn(wire, 'prompt_tokens_details') ?? objectIn(wire, 'input_tokens_details')
const outputDetails = (wire: JsonObject) =>
  objectIn(wire, 'completion_tokens_details') ?? objectIn(wire, 'output_tokens_details')

function readCached(wire: JsonObject, details: JsonObject | undefined): number | undefined {
  const places = [
    details?.cached_tokens,
    wire.prompt_cache_hit_tokens,
    wire.cached_tokens,
    wire.num_cached_tokens,
  ]
  return places.map(readCount).reduce(larger, undefined)
}

/** A usage report in the vendor's full shape. Chat does not separate one-hour cache writes. */
export function encodeUsage(usage: Usage): JsonObject {
  const { inputTokens, outputTokens, reasoningTokens, cacheReadTokens } = usage
  const written = usage.cacheWriteTokens + usage.cacheWrite1hTokens
  const prompt = inputTokens + cacheReadTokens + written
  return {
    prompt_tokens: prompt,
    completion_tokens: outputTokens,
    total_tokens: prompt + outputTokens,
    prompt_tokens_details: {
      cached_tokens: cacheReadTokens,
      cache_write_tokens: written,
      audio_tokens: 0,
    },
    completion_tokens_details: {
      reasoning_tokens: reasoningTokens,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  }
}

/** Extras in OpenAI's form. All output of the images API is images unless the report names text. */
export function readChatExtras(
  wire: JsonObject,
  input: JsonObject | undefined,
  output: JsonObject | undefined,
): ReportedExtras | undefined {
  const cached = objectIn(input, 'cached_tokens_details')
  let modalities: Modalities | undefined
  modalities = plus(modalities, 'inputAudio', input?.audio_tokens)
  modalities = plus(modalities, 'inputImage', input?.image_tokens)
  modalities = plus(modalities, 'inputVideo', input?.video_tokens)
  modalities = plus(modalities, 'cacheReadAudio', cached?.audio_tokens)
  modalities = plus(modalities, 'cacheReadImage', cached?.image_tokens)
  const isImages = output === undefined && wire.completion_tokens === undefined
  modalities = plus(modalities, 'outputAudio', output?.audio_tokens)
  modalities = plus(modalities, 'outputImage', isImages ? wire.output_tokens : output?.image_tokens)
  modalities = plus(modalities, 'outputVideo', output?.video_tokens)
  return reportedExtras(wire, { tools: readToolUses(wire), modalities })
}

/** Uses of hosted tools in a report of OpenAI's protocols. */
function readToolUses(wire: JsonObject): ToolCounts | undefined {
  const keepsZero = hasObserved(wire)
  let tools: ToolCounts | undefined
  for (const field of detailFields) {
    const details = wire[field]
    if (!isJsonObject(details)) continue
    for (const [name, tool] of detailNames) tools = plus(tools, tool, details[name], keepsZero)
  }
  if (tools?.web_search) return tools
  tools = plus(tools, 'web_search', wire.num_sources_used, keepsZero)
  return plus(tools, 'web_search', wire.num_search_queries, keepsZero)
}

const detailFields = words('server_tool_use server_tool_use_details server_side_tool_usage_details')

const detailNames: readonly (readonly [name: string, tool: HostedTool])[] = [
  ['web_search_requests', 'web_search'],
  ['web_fetch_requests', 'web_fetch'],
  ['web_search_calls', 'web_search'],
  ['x_search_calls', 'x_search'],
  ['code_interpreter_calls', 'code_execution'],
  ['file_search_calls', 'file_search'],
  ['document_search_calls', 'file_search'],
  ['mcp_calls', 'mcp'],
  ['image_generation_calls', 'image_generation'],
]
