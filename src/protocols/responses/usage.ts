import type { UsageReports } from '../canonical/extras.ts'
import { disjointUsage, readCount, type Usage } from '../canonical/usage.ts'
import { readChatExtras } from '../chat/usage.ts'
import { objectIn } from '../json.ts'
import type { JsonObject } from '../protocol.ts'

/** `input_tokens` includes cache reads and writes, `output_tokens` includes reasoning. */
export const responsesReports: UsageReports = {
  read(wire) {
    const details = objectIn(wire, 'input_tokens_details')
    return {
      input: readCount(wire.input_tokens),
      output: readCount(wire.output_tokens),
      cached: readCount(details?.cached_tokens),
      cacheWrite: readCount(details?.cache_write_tokens),
      reasoning: readCount(objectIn(wire, 'output_tokens_details')?.reasoning_tokens),
    }
  },
  needed: ['input', 'output'],
  // The names are those of chat; output without details is text.
  readExtras: (wire) =>
    readChatExtras(
      wire,
      objectIn(wire, 'input_tokens_details'),
      objectIn(wire, 'output_tokens_details') ?? {},
    ),
  sum: ({ input = 0, output = 0, reasoning = 0, cached: cacheRead = 0, cacheWrite = 0 }) =>
    disjointUsage({ input, output, reasoning, cacheRead, cacheWrite }),
  inputFields: ['input_tokens'],
  outputFields: ['output_tokens'],
}

/** Usage in the vendor's form. It includes one-hour cache writes in its only count. */
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
