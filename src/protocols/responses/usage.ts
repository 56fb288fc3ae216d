import {
  mergeExtras,
  type ReportedExtras,
  type UsageReports,
  withExtras,
} from '../canonical/extras.ts'
import { disjointUsage, larger, readCount, type Usage } from '../canonical/usage.ts'
import { readChatExtras } from '../chat/usage.ts'
import { isJsonObject, objectIn } from '../json.ts'
import type { JsonObject } from '../protocol.ts'

/** The largest counts seen in one answer, in the vendor's own terms. */
export interface ResponsesCounts {
  input?: number | undefined
  output?: number | undefined
  cached?: number | undefined
  cacheWrite?: number | undefined
  reasoning?: number | undefined
  extras?: ReportedExtras | undefined
}

/**
 * Folds one usage report into `counts`; undefined when it has no count in it. The larger count wins.
 * `input_tokens` includes cache reads and writes, `output_tokens` includes reasoning.
 */
export function foldResponsesUsage(counts: ResponsesCounts, wire: unknown): Usage | undefined {
  if (!isJsonObject(wire)) return undefined
  const input = readCount(wire.input_tokens)
  const output = readCount(wire.output_tokens)
  if (input === undefined && output === undefined) return undefined

  const inputDetails = objectIn(wire, 'input_tokens_details')
  const outputDetails = objectIn(wire, 'output_tokens_details')
  counts.input = larger(counts.input, input)
  counts.output = larger(counts.output, output)
  counts.cached = larger(counts.cached, readCount(inputDetails?.cached_tokens))
  counts.cacheWrite = larger(counts.cacheWrite, readCount(inputDetails?.cache_write_tokens))
  counts.reasoning = larger(counts.reasoning, readCount(outputDetails?.reasoning_tokens))
  // The words are those of chat; output that no details take apart is text here.
  const extras = readChatExtras(wire, inputDetails, outputDetails ?? noDetails)
  counts.extras = mergeExtras(counts.extras, extras)
  const usage = disjointUsage({
    input: counts.input ?? 0,
    output: counts.output ?? 0,
    reasoning: counts.reasoning ?? 0,
    cacheRead: counts.cached ?? 0,
    cacheWrite: counts.cacheWrite ?? 0,
  })
  return withExtras(usage, counts.extras)
}

const noDetails = {}

/** The usage reports of this protocol. */
export const responsesReports: UsageReports<ResponsesCounts> = {
  createCounts: () => ({}),
  fold: foldResponsesUsage,
  inputFields: ['input_tokens'],
  outputFields: ['output_tokens'],
}

/** Usage as this vendor writes it. It knows one kind of cache writes: those for an hour are among them. */
export function encodeResponsesUsage(usage: Usage): JsonObject {
  const { cacheReadTokens, outputTokens, reasoningTokens } = usage
  const cacheWrites = usage.cacheWriteTokens + usage.cacheWrite1hTokens
  const input = usage.inputTokens + cacheReadTokens + cacheWrites
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: cacheReadTokens, cache_write_tokens: cacheWrites },
    output_tokens: outputTokens,
    output_tokens_details: { reasoning_tokens: reasoningTokens },
    total_tokens: input + outputTokens,
  }
}
