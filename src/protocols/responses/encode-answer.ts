import type { CanonicalResponse, EventOf, FinishReason, StartEvent } from '../canonical/answer.ts'
import { createBlockOrder } from '../canonical/block-order.ts'
import type { EncodeContext, StreamEncoder } from '../canonical/codec.ts'
import { unfoldPart } from '../canonical/fold.ts'
import type { ServiceTier } from '../canonical/request.ts'
import { reportedUsage, type Usage } from '../canonical/usage.ts'
import { openAiError } from '../chat/errors.ts'
import { objectIn } from '../json.ts'
import type { ClientStream, JsonObject, ProtocolError } from '../protocol.ts'
import { createEventWriter, createOutputWriter, type WriteEvent } from './item-writers.ts'
import { encodeResponsesUsage } from './usage.ts'
import { ownResponseId } from './wire.ts'

/** A whole answer for a client, with the items of its stream. */
export function encodeResponse(answer: CanonicalResponse, context: EncodeContext): JsonObject {
  const [choice] = answer.choices
  const parts = choice?.parts ?? []
  const hasRefusal = parts.some(({ type }) => type === 'refusal')
  const { createdAt, usage, serviceTier = 'default', error } = answer
  const end = error
    ? failed(error.message, error.code)
    : responseEnd(choice?.finish.reason ?? 'other', hasRefusal)
  const output = createOutputWriter(context, () => '')
  for (const part of parts) {
    if (part.type === 'image') continue
    for (const event of unfoldPart(part, '', 0)) output.write(event)
  }
  output.close(end.status === 'completed' ? 'completed' : 'incomplete')
  const response = responseObject(context, {
    ...end,
    createdAt,
    usage: error === undefined ? reportedUsage(usage, context) : usage,
    serviceTier,
    output: output.items(),
  })
  context.own?.keep?.(response)
  return response
}

const failed = (message: string, code = 'server_error'): ResponseEnd => {
  return { status: 'failed', error: { code, message } }
}

interface ResponseEnd {
  readonly status: 'in_progress' | 'completed' | 'incomplete' | 'failed'
  readonly reason?: 'max_output_tokens' | 'content_filter'
  readonly error?: { readonly code: string; readonly message: string }
}

/** The end of an answer. A refusal is a complete message; `pause` becomes the limit, after which clients continue. */
function responseEnd(reason: FinishReason, hasRefusal: boolean): ResponseEnd {
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

interface ResponseFacts extends ResponseEnd {
  readonly createdAt?: number | undefined
  readonly output: readonly JsonObject[]
  readonly usage?: Usage | undefined
  readonly serviceTier?: ServiceTier | undefined
}

function responseObject(context: EncodeContext, facts: ResponseFacts): JsonObject {
  const { body, requestId, model, createdAt, own } = context
  const { status, error, reason, output, usage, serviceTier } = facts
  const text = objectIn(body, 'text')
  const reasoning = objectIn(body, 'reasoning')
  return {
    id: ownResponseId(requestId),
    object: 'response',
    created_at: facts.createdAt ?? createdAt,
    status,
    background: false,
    error: error ?? null,
    incomplete_details: reason === undefined ? null : { reason },
    instructions: body.instructions ?? null,
    max_output_tokens: body.max_output_tokens ?? null,
    max_tool_calls: body.max_tool_calls ?? null,
    model,
    output,
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

/** Encodes a response as a stream. `fail` writes its errors; images have no form here. */
export function createEncoder(context: EncodeContext): StreamEncoder {
  const emit = createEventWriter()
  const output = createOutputWriter(context, emit)
  const order = createBlockOrder((event) => output.write(event))
  let head: StartEvent | undefined
  let reason: FinishReason = 'other'
  let hasRefusal = false
  let isOver = false

  const response = (facts: ResponseFacts) => {
    return { response: responseObject(context, { createdAt: head?.createdAt, ...facts }) }
  }

  function begin(start?: StartEvent): string {
    if (head !== undefined) return ''
    head = start ?? { type: 'start' }
    const begun = response({ status: 'in_progress', output: [] })
    return emit('response.created', begun) + emit('response.in_progress', begun)
  }

  function finish({ usage: last, serviceTier = 'default' }: EventOf<'end'>): string {
    const end = responseEnd(reason, hasRefusal)
    const blocks = order.end()
    const closed = output.close(end.status === 'completed' ? 'completed' : 'incomplete')
    isOver = true
    const usage = reportedUsage(last ?? head?.usage, context)
    const facts = { ...end, output: output.items(), usage, serviceTier }
    const whole = response(facts)
    context.own?.keep?.(whole.response)
    return blocks + closed + emit(`response.${end.status}`, whole)
  }

  return {
    push(event) {
      if (isOver) return ''
      switch (event.type) {
        case 'start':
          return begin(event)
        case 'finish':
          if (event.choice === 0) reason = event.reason
          return ''
        case 'end':
          return begin() + finish(event)
        case 'image':
        case 'error':
          return ''
        default:
          if (event.type === 'refusal-start' && event.choice === 0) hasRefusal = true
          // Blocks of other choices were never begun, and are not written.
          if ('choice' in event && event.choice !== 0) return begin()
          return begin() + order.push(event)
      }
    },
    fail(error) {
      if (isOver) return ''
      const begun = begin()
      isOver = true
      // The partial answer stays: clients keep it, and it is charged.
      const facts = { status: 'failed', error: failedError(error), output: output.items() } as const
      return begun + encodeFailedEvents(error, response(facts).response, emit)
    },
  }
}

/** OpenAI's SDKs and LangChain raise on `error`, the AI SDK on either, Codex on `response.failed` alone. */
function encodeFailedEvents(
  error: ProtocolError,
  response: JsonObject,
  writeEvent: WriteEvent,
): string {
  const told = openAiError(error)
  const { message, param, code } = told
  const failed = writeEvent('error', { code, message, param, error: told })
  return failed + writeEvent('response.failed', { response })
}

/** Source: OpenAI's API reference, `ResponseError`; the code for missing funds is from its errors. */
function failedError({ status, message }: ProtocolError) {
  const usual = status >= 500 ? 'server_error' : 'invalid_prompt'
  return { code: failedCodes.get(status) ?? usual, message }
}

const failedCodes = new Map([
  [402, 'insufficient_quota'],
  [429, 'rate_limit_exceeded'],
])

/** An error after a partial stream: the response keeps its id. A stream without events begins first. */
export function encodeResponsesStreamError(
  error: ProtocolError,
  _stream: ClientStream,
  first: boolean,
): string {
  const emit = createEventWriter((error.answer?.sequence ?? -1) + 1)
  const response = {
    id: error.answer?.answerId ?? `resp_${error.requestId}`,
    object: 'response',
    created_at: error.createdAt ?? 0,
    model: error.model ?? '',
    ...usual,
  }
  const begun = { response: { ...response, status: 'in_progress', output: [] } }
  const failed = { ...response, status: 'failed', error: failedError(error) }
  return (first ? emit('response.created', begun) : '') + encodeFailedEvents(error, failed, emit)
}

const usual = {
  error: null,
  incomplete_details: null,
  instructions: null,
  metadata: {},
  parallel_tool_calls: true,
  temperature: 1,
  tool_choice: 'auto',
  tools: [],
  top_p: 1,
}
