import type { EncodeContext } from '../canonical/codec.ts'
import { unfoldPart } from '../canonical/fold.ts'
import type { ServiceTier } from '../canonical/request.ts'
import type { CanonicalResponse, FinishReason } from '../canonical/response.ts'
import { emptyUsage, type Usage } from '../canonical/usage.ts'
import { objectIn } from '../json.ts'
import type { JsonObject } from '../protocol.ts'
import { createOutputWriter } from './item-writers.ts'
import { encodeResponsesUsage } from './usage.ts'
import { ownResponseId } from './wire.ts'

/** A whole answer for a client: the items that its stream would have had. */
export function encodeResponsesAnswer(
  answer: CanonicalResponse,
  context: EncodeContext,
): JsonObject {
  const [choice] = answer.choices
  const parts = choice?.parts ?? []
  const hasRefusal = parts.some(({ type }) => type === 'refusal')
  const { createdAt, usage, serviceTier = 'default', error } = answer
  const end = error
    ? failed(error.message, error.code)
    : responseEnd(choice?.finish.reason ?? 'other', hasRefusal)
  const output = createOutputWriter(context, () => '')
  for (const part of parts) {
    // Pictures have no item of their own here.
    if (part.type === 'image') continue
    for (const event of unfoldPart(part, '', 0)) output.write(event)
  }
  output.close(end.status === 'completed' ? 'completed' : 'incomplete')
  const response = responseObject(context, {
    ...end,
    createdAt,
    usage: error === undefined ? toldUsage(usage, context) : usage,
    serviceTier,
    output: output.items(),
  })
  context.own?.keep?.(response)
  return response
}

const failed = (message: string, code = 'server_error'): ResponseEnd => {
  return { status: 'failed', error: { code, message } }
}

/** How a response ended, in the vendor's words. */
interface ResponseEnd {
  readonly status: 'in_progress' | 'completed' | 'incomplete' | 'failed'
  readonly reason?: 'max_output_tokens' | 'content_filter'
  readonly error?: { readonly code: string; readonly message: string }
}

/**
 * The end of an answer. A refusal is a message of its own here, and the response complete; without
 * one the filter is the reason that the vendor has. An answer that the upstream wants to go on with
 * (`pause`) is not whole: the reason that makes clients go on is the limit.
 */
export function responseEnd(reason: FinishReason, hasRefusal: boolean): ResponseEnd {
  switch (reason) {
    case 'length':
    case 'pause':
      return { status: 'incomplete', reason: 'max_output_tokens' }
    case 'filter':
      return filtered
    case 'refusal':
      return hasRefusal ? completed : filtered
    case 'failed':
      return failed('The model gave up before its answer was complete.')
    default:
      return completed
  }
}

const completed: ResponseEnd = { status: 'completed' }
const filtered: ResponseEnd = { status: 'incomplete', reason: 'content_filter' }

export interface ResponseFacts extends ResponseEnd {
  /** The upstream's, if it names one. */
  readonly createdAt?: number | undefined
  readonly output: readonly JsonObject[]
  readonly usage?: Usage | undefined
  readonly serviceTier?: ServiceTier | undefined
}

/** What a whole answer used. Without usage from the upstream, the input is the estimate. */
export function toldUsage(usage: Usage | undefined, context: EncodeContext): Usage {
  return usage ?? { ...emptyUsage, inputTokens: context.estimatedInputTokens }
}

/** The response as the vendor writes it, with the fields that repeat the request. */
export function responseObject(context: EncodeContext, facts: ResponseFacts): JsonObject {
  const { body, requestId, model, createdAt, own } = context
  const { status, error, reason, output, usage, serviceTier } = facts
  const text = objectIn(body, 'text')
  const reasoning = objectIn(body, 'reasoning')
  return {
    ...{
      id: ownResponseId(requestId),
      object: 'response',
      created_at: facts.createdAt ?? createdAt,
    },
    ...{ status, background: false, error: error ?? null },
    incomplete_details: reason === undefined ? null : { reason },
    instructions: body.instructions ?? null,
    max_output_tokens: body.max_output_tokens ?? null,
    max_tool_calls: body.max_tool_calls ?? null,
    ...{ model, output },
    parallel_tool_calls: body.parallel_tool_calls ?? true,
    previous_response_id: own?.previousId ?? null,
    prompt_cache_key: body.prompt_cache_key ?? null,
    reasoning: { effort: reasoning?.effort ?? null, summary: reasoning?.summary ?? null },
    safety_identifier: body.safety_identifier ?? null,
    service_tier: serviceTier ?? body.service_tier ?? 'auto',
    store: own?.keep !== undefined,
    temperature: body.temperature ?? 1,
    text: { format: text?.format ?? { type: 'text' }, verbosity: text?.verbosity ?? 'medium' },
    tool_choice: body.tool_choice ?? 'auto',
    tools: body.tools ?? [],
    top_logprobs: body.top_logprobs ?? 0,
    top_p: body.top_p ?? 1,
    truncation: 'disabled',
    usage: usage === undefined ? null : encodeResponsesUsage(usage),
    user: body.user ?? null,
    metadata: body.metadata ?? {},
  }
}
