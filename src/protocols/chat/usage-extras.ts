import {
  hasObserved,
  type Modalities,
  plus,
  type ReportedExtras,
  reportedExtras,
  type ToolCounts,
} from '../canonical/extras.ts'
import type { HostedTool } from '../canonical/hosted-tools.ts'
import { isJsonObject, objectIn } from '../json.ts'
import type { JsonObject } from '../protocol.ts'

/**
 * What a usage report of OpenAI's kind tells beside text tokens. Audio, images and video are parts of
 * the counts around them. All output of the images API is images, where it does not say what of it is
 * text. Tools are told by OpenRouter (`server_tool_use_details`), xAI (`server_side_tool_usage_details`,
 * and sources that are billed one by one, `num_sources_used`) and Perplexity (`num_search_queries`).
 */
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

/** Uses of hosted tools in a report of OpenAI's kind, in either of its protocols. */
export function readToolUses(wire: JsonObject): ToolCounts | undefined {
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

const detailFields = [
  'server_tool_use',
  'server_tool_use_details',
  'server_side_tool_usage_details',
] as const

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
