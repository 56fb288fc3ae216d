import type { EncodeContext } from '../canonical/codec.ts'
import type { SearchPart } from '../canonical/request.ts'
import type { AnswerPart, CanonicalResponse, Finish, FinishReason } from '../canonical/response.ts'
import { emptyUsage } from '../canonical/usage.ts'
import type { JsonObject } from '../protocol.ts'
import { encodeInput } from './encode-request.ts'
import {
  encodeCitation,
  encodeSearchBlocks,
  foreignSearchIdOf,
  searchCount,
  searchUsage,
} from './search.ts'
import { encodeMessagesUsage, encodeServiceTier } from './usage.ts'

/** What a message begins with. The upstream's id stays if it is one of this protocol (T19). */
export function messageHead(id: string | undefined, context: EncodeContext): JsonObject {
  return {
    id: id?.startsWith('msg_') ? id : `msg_${context.requestId}`,
    type: 'message',
    role: 'assistant',
    model: context.model,
  }
}

/** A whole message. Of answers side by side it has the first: the protocol knows no others. */
export function encodeMessagesResponse(
  response: CanonicalResponse,
  context: EncodeContext,
): JsonObject {
  const { error, usage, serviceTier } = response
  if (error !== undefined) {
    const { requestId } = context
    const wire = { type: 'api_error', message: error.message }
    return { type: 'error', error: wire, request_id: requestId }
  }
  const choice = response.choices.find(({ index }) => index === 0)
  const parts = choice?.parts ?? []
  const finish = choice?.finish ?? { reason: 'other' }
  const has = (type: AnswerPart['type']) => parts.some((part) => part.type === type)
  let blocks = 0
  const nextId = () => foreignSearchIdOf(context.requestId, blocks++)
  const searches = parts.reduce(
    (sum, part) => sum + (part.type === 'search' ? searchCount(part) : 0),
    0,
  )
  const counts = usage ?? { ...emptyUsage, inputTokens: context.estimatedInputTokens }
  return {
    ...messageHead(response.id, context),
    content: parts.flatMap((part) =>
      part.type === 'search' ? encodeSearchBlocks(part, nextId) : encodeAnswerPart(part),
    ),
    ...encodeStop(finish, { calls: has('tool-call'), refusal: has('refusal') }),
    stop_details: null,
    usage: {
      ...encodeMessagesUsage(counts),
      server_tool_use: searchUsage(searches) ?? null,
      service_tier: encodeServiceTier(serviceTier),
    },
  }
}

/** A part as a block; none for what is empty, and for images, which answers here never have. */
function encodeAnswerPart(part: Exclude<AnswerPart, SearchPart>): readonly JsonObject[] {
  switch (part.type) {
    case 'text': {
      const { text } = part
      const citations = part.citations?.flatMap(encodeCitation) ?? []
      if (text === '' && citations.length === 0) return []
      return [{ type: 'text', text, ...(citations.length === 0 ? {} : { citations }) }]
    }
    case 'refusal':
      return part.text === '' ? [] : [{ type: 'text', text: part.text }]
    case 'reasoning': {
      const { text, signature, isRedacted } = part
      if (text === '' && signature === undefined) return []
      if (isRedacted && text === '') return [{ type: 'redacted_thinking', data: signature }]
      return [{ type: 'thinking', thinking: text, signature: signature ?? '' }]
    }
    case 'tool-call':
      return [{ type: 'tool_use', id: part.callId, name: part.name, input: encodeInput(part) }]
    case 'image':
      return []
  }
}

/** What a `stop_reason` says. Source: the SDK's `BetaStopReason`. */
export function decodeStopReason(wire: string): FinishReason {
  return reasons.get(wire) ?? 'other'
}

const reasons = new Map<string, FinishReason>([
  ['end_turn', 'stop'],
  ['stop_sequence', 'stop'],
  ['max_tokens', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['tool_use', 'tool-calls'],
  ['pause_turn', 'pause'],
  // Paused so that the client can look at what was summed up.
  ['compaction', 'pause'],
  ['refusal', 'refusal'],
])

/** What an answer held, as far as it changes how it is said to have ended. */
export interface Held {
  readonly calls: boolean
  readonly refusal: boolean
}

/** Why an answer ended, as members of a message. The sequence is there only where it is the reason. */
export function encodeStop(finish: Finish, held: Held) {
  const stop_reason = encodeStopReason(finish, held)
  const isSequence = stop_reason === 'stop_sequence'
  return { stop_reason, stop_sequence: (isSequence ? finish.stopSequence : undefined) ?? null }
}

/**
 * The `stop_reason` that tells how an answer ended. There is none for one that broke off: it is cut
 * short, as by a limit, which clients do not take for a whole answer.
 */
function encodeStopReason({ reason, stopSequence }: Finish, held: Held): string {
  switch (reason) {
    case 'length':
    case 'failed':
      return 'max_tokens'
    case 'pause':
      return 'pause_turn'
    case 'refusal':
    case 'filter':
      return 'refusal'
    case 'tool-calls':
      return 'tool_use'
    case 'stop':
    case 'other':
      if (held.calls) return 'tool_use'
      if (held.refusal) return 'refusal'
      return stopSequence === undefined ? 'end_turn' : 'stop_sequence'
  }
}
