import type { Usage } from '../../src/protocols/canonical/usage.ts'
import type { Random } from './random.ts'

type Wire = (usage: Usage, random: Random) => object

/** Usage as vendors write it, from canonical counts: the other way round than the gateway reads. */
const wires: { readonly [protocol: string]: Wire } = {
  chat: (usage) => ({
    prompt_tokens: usage.inputTokens + usage.cacheReadTokens,
    completion_tokens: usage.outputTokens,
    total_tokens: usage.inputTokens + usage.cacheReadTokens + usage.outputTokens,
    prompt_tokens_details: { cached_tokens: usage.cacheReadTokens, audio_tokens: 0 },
    completion_tokens_details: {
      reasoning_tokens: usage.reasoningTokens,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  }),
  responses: (usage) => ({
    input_tokens: usage.inputTokens + usage.cacheReadTokens,
    input_tokens_details: { cached_tokens: usage.cacheReadTokens },
    output_tokens: usage.outputTokens,
    output_tokens_details: { reasoning_tokens: usage.reasoningTokens },
    total_tokens: usage.inputTokens + usage.cacheReadTokens + usage.outputTokens,
  }),
  messages: (usage) => ({
    input_tokens: usage.inputTokens,
    cache_creation_input_tokens: usage.cacheWriteTokens + usage.cacheWrite1hTokens,
    cache_read_input_tokens: usage.cacheReadTokens,
    cache_creation: {
      ephemeral_5m_input_tokens: usage.cacheWriteTokens,
      ephemeral_1h_input_tokens: usage.cacheWrite1hTokens,
    },
    output_tokens: usage.outputTokens,
    output_tokens_details: { thinking_tokens: usage.reasoningTokens },
    service_tier: 'standard',
  }),
  gemini: (usage, random) => {
    const last = {
      promptTokenCount: usage.inputTokens + usage.cacheReadTokens,
      cachedContentTokenCount: usage.cacheReadTokens,
      candidatesTokenCount: usage.outputTokens - usage.reasoningTokens,
      thoughtsTokenCount: usage.reasoningTokens,
      promptTokensDetails: [{ modality: 'TEXT', tokenCount: usage.inputTokens }],
    }
    // A stream that takes counts back: two reports.
    return random() < 0.02 ? [last, { ...last, promptTokenCount: 0 }] : last
  },
}

const upTo = (random: Random, most: number) => Math.floor(random() ** 3 * most)

/** Made-up usage with its report, JSON text as the gateway stores it. */
export function wireUsage(
  protocol: string,
  operation: string,
  random: Random,
): { readonly usage: Usage; readonly raw: string } {
  if (operation === 'embeddings') {
    const usage = { ...none, inputTokens: upTo(random, 8_000) }
    return { usage, raw: JSON.stringify({ prompt_tokens: usage.inputTokens }) }
  }
  const outputTokens = upTo(random, 6_000)
  const writes = protocol === 'messages' && random() < 0.4
  const usage: Usage = {
    inputTokens: upTo(random, random() < 0.1 ? 400_000 : 20_000),
    outputTokens,
    reasoningTokens: random() < 0.3 ? Math.floor(outputTokens * random()) : 0,
    cacheReadTokens: random() < 0.5 ? upTo(random, 100_000) : 0,
    cacheWriteTokens: writes ? upTo(random, 20_000) : 0,
    cacheWrite1hTokens: writes && random() < 0.3 ? upTo(random, 20_000) : 0,
  }
  return { usage, raw: JSON.stringify(wires[protocol]?.(usage, random)) }
}

const none: Usage = {
  inputTokens: 0,
  outputTokens: 0,
  reasoningTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  cacheWrite1hTokens: 0,
}
