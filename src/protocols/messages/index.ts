import type { Codec } from '../canonical/codec.ts'
import { decodeUsage } from '../canonical/extras.ts'
import { anthropicRoot, findRootKeywords } from '../canonical/tools.ts'
import { objectIn, stringIn } from '../json.ts'
import { createPlainObserver } from '../observer.ts'
import type { ClientStream, HeartbeatPlace, Operation, Protocol } from '../protocol.ts'
import { renameModel } from '../request-facts.ts'
import { encodeComment } from '../sse.ts'
import { joinUrl, pathSegments } from '../url.ts'
import { createDecoder, decodeResponse } from './decode-answer.ts'
import { decodeRequest } from './decode-request.ts'
import { createEncoder, encodeResponse } from './encode-answer.ts'
import { encodeRequest, findRequestFault } from './encode-request.ts'
import { decodeMessagesError, encodeMessagesError, encodeMessagesStreamError } from './errors.ts'
import { checkCountTokens, checkMessages, readMessages } from './facts.ts'
import { createMessagesObserver } from './observe.ts'
import { takesSearch } from './search.ts'
import { hindrance, showsUnasked, thinkingMode } from './thinking.ts'
import { messagesReports } from './usage.ts'

/*
 * Anthropic's messages. The parts, in reading order:
 *
 *   facts.ts, observe.ts, usage.ts      schemas, and what the gateway reads of bodies that pass untouched
 *   tools.ts, search.ts, thinking.ts,
 *   schema.ts, cache.ts                 matters of a request and an answer: both ways
 *   decode-request.ts                   a client's request to the canonical form
 *   encode-request.ts                   the canonical form to a request for an upstream
 *   decode-answer.ts                    an upstream's answer, streamed or whole, to events
 *   encode-answer.ts                    events, or a whole answer, for a client
 *   errors.ts                           errors, in bodies and streams
 */

/** Anthropic's messages, to and from the canonical form. */
export const messagesCodec: Codec = {
  decodeRequest,
  encodeRequest,
  decodeResponse,
  encodeResponse,
  createDecoder,
  createEncoder,
  findFault: findRequestFault,
  takesSearch,
  droppedSettings: (request, quirks) =>
    thinkingMode(request, quirks) === 'manual' && hindrance(request) ? ['reasoning'] : [],
  showsUnasked,
  unenforcedKeywords: (request) => findRootKeywords(request, anthropicRoot),
  encodeCount: (inputTokens) => ({ input_tokens: inputTokens }),
  decodeError: decodeMessagesError,
}

const messagesOperation: Operation = {
  protocol: 'messages',
  name: 'messages',
  charged: true,
  check: checkMessages,
  read: readMessages,
  rename: renameModel,
  path: () => '/v1/messages',
  createObserver: createMessagesObserver,
}

const countTokens: Operation = {
  ...messagesOperation,
  name: 'count_tokens',
  charged: false,
  check: checkCountTokens,
  read: (body) => ({ ...readMessages(body), stream: false }),
  path: () => '/v1/messages/count_tokens',
  createObserver: createPlainObserver,
}

export const messages = {
  name: 'messages',
  url: messagesUrl,
  keyHeaders: (key) => ({ 'x-api-key': key }),
  encodeError: encodeMessagesError,
  encodeStreamError: encodeMessagesStreamError,
  heartbeat: messagesHeartbeat,
  generation: messagesOperation,
  counting: countTokens,
  demandedHeaders: { 'anthropic-version': '2023-06-01' },
  requestIdHeader: 'request-id',
  fidelity: 2,
  spelling: {
    conversation: 'messages',
    settings: {
      parallelToolCalls: 'tool_choice.disable_parallel_tool_use',
      format: 'output_config.format',
      reasoning: 'thinking',
      stop: 'stop_sequences',
      maxOutputTokens: 'max_tokens',
      userId: 'metadata.user_id',
    },
    shownReasoning: 'display',
    cacheMark: 'cache_control',
    toolSchema: 'input_schema',
    formatSchema: 'schema',
    continuesAnswers: true,
  },
  clientHeader: 'anthropic-version',
  conversationHint: (body) => stringIn(objectIn(body, 'metadata'), 'user_id'),
  unknownConversation: 'thread_not_found',
  codec: messagesCodec,
  decodeUsage: (raw) => decodeUsage(raw, messagesReports),
  operations: { messages: messagesOperation, countTokens },
} as const satisfies Protocol & { operations: Record<string, Operation> }

/** Upstream URL: the base has no `/v1`. A base that ends in it gets no second. */
function messagesUrl(base: string, path: string): string {
  const versioned = pathSegments(base).at(-1) === 'v1'
  return joinUrl(base, versioned ? path.replace(/^\/v1(?=\/)/, '') : path)
}

/** The vendor's own heartbeat event, allowed anywhere in a stream. A note is a comment. */
function messagesHeartbeat(stream: ClientStream, { note }: HeartbeatPlace): string {
  return note === undefined ? ping : encodeComment(note, stream)
}

const ping = 'event: ping\ndata: {"type": "ping"}\n\n'
