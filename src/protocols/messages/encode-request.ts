import type { EncodeOptions } from '../canonical/codec.ts'
import type { CanonicalRequest, Part, ServiceTier } from '../canonical/request.ts'
import { countLeadingInstructions, expectsNextTurn } from '../canonical/turns.ts'
import type { JsonObject } from '../protocol.ts'
import { markCache } from './cache-marks.ts'
import { encodeTurns } from './encode-turns.ts'
import { closeSchema } from './schema.ts'
import { encodeThinking } from './thinking.ts'
import { encodeTools } from './tools.ts'

/** The body for an upstream. The conversation comes last: what is before it stays from turn to turn. */
export function encodeMessagesRequest(
  request: CanonicalRequest,
  options: EncodeOptions,
): JsonObject {
  const { stop, topP, topK, temperature, userId } = request
  const { maxTokens, thinking, effort } = encodeThinking(
    request,
    options.quirks,
    options.defaultMaxOutputTokens,
  )
  const { system, messages } = encodeTurns(withJsonWords(request))
  const fields = {
    model: options.model,
    max_tokens: maxTokens,
    stream: request.stream ? true : undefined,
    ...encodeTools(request),
    thinking,
    output_config: encodeOutput(request, effort),
    temperature: temperature === undefined ? undefined : Math.min(Math.max(temperature, 0), 1),
    top_p: topP,
    top_k: topK,
    stop_sequences: stop,
    metadata: userId === undefined ? undefined : { user_id: userId },
    service_tier: tierWord(request.serviceTier),
    system,
    messages,
  }
  const body = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
  const { cacheMinimumTokens: minimum } = options
  return minimum !== undefined && isMarkedHere(request, options) ? markCache(body, minimum) : body
}

/**
 * Whether marks for the prompt cache are set here: only where the client sets none of its own, and a
 * next turn is likely to read what is written at more than the price of input.
 */
function isMarkedHere(request: CanonicalRequest, { quirks }: EncodeOptions): boolean {
  if (quirks.has('no_cache_control') || !expectsNextTurn(request)) return false
  return (
    !request.tools.some(({ cache }) => cache) && !request.turns.some(({ parts }) => hasMark(parts))
  )
}

const hasMark = (parts: readonly Part[]): boolean =>
  parts.some((part) => part.cache || (part.type === 'tool-result' && hasMark(part.parts)))

/** JSON without a schema is only asked for: the answer is looked at (translation/json-answer.ts). */
function withJsonWords(request: CanonicalRequest): Pick<CanonicalRequest, 'turns'> {
  const { turns, format } = request
  if (format?.type !== 'json') return request
  const what = format.isAny ? 'JSON' : 'one JSON object'
  const text = `Answer with ${what} and nothing else: no text before or after it, no code fence.`
  const words = { role: 'system', parts: [{ type: 'text', text }] } as const
  return { turns: turns.toSpliced(countLeadingInstructions(turns), 0, words) }
}

function encodeOutput({ format }: CanonicalRequest, effort: string | undefined) {
  const schema = format?.type === 'schema' ? closeSchema(format.schema) : undefined
  if (schema === undefined && effort === undefined) return undefined
  return {
    ...(effort === undefined ? {} : { effort }),
    ...(schema === undefined ? {} : { format: { type: 'json_schema', schema } }),
  }
}

/** `auto` uses priority capacity where the account has some. */
function tierWord(tier: ServiceTier | undefined): string | undefined {
  if (tier === 'auto' || tier === 'priority') return 'auto'
  return tier === 'default' ? 'standard_only' : undefined
}
