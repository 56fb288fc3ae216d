import type { Codec } from '../canonical/codec.ts'
import { decodeUsage } from '../canonical/extras.ts'
import { encodeOpenAiError } from '../chat/errors.ts'
import { chatCodec } from '../chat/index.ts'
import { objectIn, stringIn } from '../json.ts'
import { createPlainObserver } from '../observer.ts'
import type { Operation, Protocol } from '../protocol.ts'
import { renameModel } from '../request-facts.ts'
import { commentHeartbeat } from '../sse.ts'
import { bearerHeaders, joinUrl } from '../url.ts'
import { createDecoder, decodeResponse } from './decode-answer.ts'
import { decodeRequest } from './decode-request.ts'
import { createEncoder, encodeResponse, encodeResponsesStreamError } from './encode-answer.ts'
import { encodeRequest } from './encode-request.ts'
import { readResponses } from './facts.ts'
import { createResponsesObserver } from './observe.ts'
import { takesSearch } from './tools.ts'
import { responsesReports } from './usage.ts'
import { checkResponses } from './wire.ts'

/*
 * OpenAI's responses. The parts, in reading order:
 *
 *   wire.ts                             schema of a request, ids of items and responses
 *   facts.ts, observe.ts, usage.ts      what the gateway reads of bodies that pass untouched
 *   content.ts, tools.ts                parts of messages, tools and the web search: both ways
 *   decode-request.ts                   a client's request to the canonical form
 *   encode-request.ts                   the canonical form to a request for an upstream
 *   decode-answer.ts, item-readers.ts   an upstream's answer, streamed or whole, to events
 *   encode-answer.ts, item-writers.ts   events, or a whole answer, and errors for a client
 */

const generate: Operation = {
  protocol: 'responses',
  name: 'responses',
  charged: true,
  check: checkResponses,
  read: readResponses,
  rename: renameModel,
  path: () => '/responses',
  createObserver: createResponsesObserver,
}

/** It returns one body, whatever the request says about streaming. */
const compact: Operation = {
  ...generate,
  name: 'compact',
  read: (body) => ({ ...readResponses(body), stream: false }),
  path: () => '/responses/compact',
}

const inputTokens: Operation = {
  ...compact,
  name: 'input_tokens',
  charged: false,
  path: () => '/responses/input_tokens',
  createObserver: createPlainObserver,
}

const responsesCodec: Codec = {
  ...chatCodec,
  decodeRequest,
  encodeRequest,
  decodeResponse,
  encodeResponse,
  createDecoder,
  createEncoder,
  takesSearch,
}

/** OpenAI's responses: same address, key and error bodies as chat completions. */
export const responses = {
  name: 'responses',
  url: joinUrl,
  keyHeaders: bearerHeaders,
  encodeError: encodeOpenAiError,
  encodeStreamError: encodeResponsesStreamError,
  heartbeat: commentHeartbeat,
  generation: generate,
  counting: inputTokens,
  demandedHeaders: {},
  decodeUsage: (raw) => decodeUsage(raw, responsesReports),
  fidelity: 1,
  spelling: {
    conversation: 'input',
    settings: {
      format: 'text.format',
      verbosity: 'text.verbosity',
      userId: 'user',
      logprobs: 'top_logprobs',
    },
    shownReasoning: 'summary',
    cacheMark: 'prompt_cache_breakpoint',
    searchLimit: 'max_tool_calls',
    toolSchema: 'parameters',
    formatSchema: 'schema',
  },
  conversationHint: (body) =>
    stringIn(body, 'prompt_cache_key') ??
    stringIn(body, 'conversation') ??
    stringIn(objectIn(body, 'conversation'), 'id'),
  takesCacheKey: (_host, quirks) => !quirks.has('no_prompt_cache_key'),
  codec: responsesCodec,
  operations: { responses: generate, compact, inputTokens },
} as const satisfies Protocol & { operations: Record<string, Operation> }
