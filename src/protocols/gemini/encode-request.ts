import type { EncodeOptions } from '../canonical/codec.ts'
import type { CanonicalRequest, OutputFormat } from '../canonical/request.ts'
import { countLeadingInstructions } from '../canonical/turns.ts'
import type { JsonObject } from '../protocol.ts'
import { encodeContents, encodeInstructions } from './encode-turns.ts'
import { toGeminiSchema } from './schema.ts'
import { encodeThinking } from './thinking.ts'
import { encodeTools } from './tools.ts'

/**
 * The body for an upstream of this protocol. The conversation comes last, so that the body of the
 * next turn begins with the same bytes.
 */
export function encodeRequest(request: CanonicalRequest, options: EncodeOptions): JsonObject {
  const leading = countLeadingInstructions(request.turns)
  const contents = encodeContents(request.turns.slice(leading), options)
  const parts = encodeInstructions(request.turns.slice(0, leading))
  const generationConfig = encodeConfig(request, options)
  return {
    ...(parts.length === 0 ? {} : { systemInstruction: { parts } }),
    ...encodeTools(request),
    ...(Object.keys(generationConfig).length === 0 ? {} : { generationConfig }),
    ...encodeTier(request),
    ...(request.metadata === undefined ? {} : { labels: request.metadata }),
    // Instructions alone are no conversation: the vendor wants someone to say something.
    contents: contents.length === 0 ? [{ role: 'user', parts: [{ text: '' }] }] : contents,
  }
}

function encodeTier({ serviceTier }: CanonicalRequest): JsonObject {
  if (serviceTier === undefined || serviceTier === 'auto') return {}
  return { serviceTier: serviceTier === 'default' ? 'standard' : serviceTier }
}

function encodeConfig(request: CanonicalRequest, options: EncodeOptions): JsonObject {
  const { logprobs } = request
  const settings = {
    maxOutputTokens: request.maxOutputTokens,
    temperature: request.temperature,
    topP: request.topP,
    topK: request.topK,
    candidateCount: request.choices,
    stopSequences: request.stop,
    seed: request.seed,
    presencePenalty: request.presencePenalty,
    frequencyPenalty: request.frequencyPenalty,
    responseLogprobs: logprobs === undefined ? undefined : true,
    logprobs: logprobs === undefined || logprobs === 0 ? undefined : logprobs,
    thinkingConfig: encodeThinking(request.reasoning, options),
    ...(request.format === undefined ? {} : encodeFormat(request.format)),
  }
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined))
}

/** Structured output. A schema that fit has not seen goes as it is, for the vendor to judge. */
function encodeFormat(format: OutputFormat): JsonObject {
  const responseMimeType = 'application/json'
  if (format.type === 'json') return { responseMimeType }
  const adapted = toGeminiSchema(format.schema)
  const schema = 'schema' in adapted ? adapted.schema : format.schema
  return { responseMimeType, responseJsonSchema: schema }
}
