import type { Codec } from '../canonical/codec.ts'
import { decodeUsage } from '../canonical/extras.ts'
import { findRootKeywords, openAiRoot } from '../canonical/tools.ts'
import { stringIn } from '../json.ts'
import type { Operation, Protocol } from '../protocol.ts'
import { renameModel } from '../request-facts.ts'
import { commentHeartbeat } from '../sse.ts'
import { bearerHeaders, joinUrl } from '../url.ts'
import { createDecoder, decodeResponse } from './decode-answer.ts'
import { decodeRequest } from './decode-request.ts'
import { createEncoder, encodeResponse } from './encode-answer.ts'
import { encodeRequest } from './encode-request.ts'
import { decodeOpenAiError, encodeChatStreamError, encodeOpenAiError } from './errors.ts'
import { readCompletions, readEmbeddings, readImages } from './facts.ts'
import {
  createCompletionsObserver,
  createEmbeddingsObserver,
  createImagesObserver,
} from './observe.ts'
import { chatEmbeddings, readTextCompletions, textCodec } from './other-endpoints.ts'
import { takesSearch } from './tools.ts'
import { chatReports } from './usage.ts'
import { checkCompletions, checkEmbeddings, checkImages, checkTextCompletions } from './wire.ts'

/*
 * OpenAI's chat completions, and its imitators'. The parts, in reading order:
 *
 *   wire.ts, facts.ts                   schemas of requests, and what the gateway reads of them
 *   observe.ts, usage.ts                what it reads of answers that pass untouched
 *   content.ts, tools.ts, reasoning.ts  parts of messages, tools and calls, reasoning: both ways
 *   decode-request.ts                   a client's request to the canonical form
 *   encode-request.ts                   the canonical form to a request for an upstream
 *   decode-answer.ts, decode-calls.ts   an upstream's answer, streamed or whole, to events
 *   answer-fields.ts                    what a whole answer and a chunk have in common: both ways
 *   encode-answer.ts                    events, or a whole answer, for a client
 *   errors.ts                           errors of OpenAI's protocols
 *   other-endpoints.ts                  legacy completions and embeddings
 */

/** Translation of chat completions. Counting uses the form of responses: chat has no such endpoint. */
export const chatCodec: Codec = {
  decodeRequest,
  encodeRequest,
  decodeResponse,
  encodeResponse,
  createDecoder,
  createEncoder,
  unenforcedKeywords: (request) => findRootKeywords(request, openAiRoot),
  takesSearch,
  encodeCount: (inputTokens) => ({ object: 'response.input_tokens', input_tokens: inputTokens }),
  decodeError: decodeOpenAiError,
}

const completions: Operation = {
  protocol: 'chat',
  name: 'completions',
  charged: true,
  check: checkCompletions,
  read: readCompletions,
  rename: renameModel,
  path: () => '/chat/completions',
  createObserver: createCompletionsObserver,
}

const textCompletions: Operation = {
  ...completions,
  name: 'text_completions',
  check: checkTextCompletions,
  read: readTextCompletions,
  path: () => '/completions',
}

const embeddings: Operation = {
  ...completions,
  name: 'embeddings',
  embeds: true,
  check: checkEmbeddings,
  read: readEmbeddings,
  path: () => '/embeddings',
  createObserver: createEmbeddingsObserver,
}

const imageGenerations: Operation = {
  ...completions,
  name: 'images.generations',
  check: checkImages,
  read: readImages,
  path: () => '/images/generations',
  createObserver: createImagesObserver,
}

const imageEdits: Operation = {
  ...imageGenerations,
  name: 'images.edits',
  takesForm: true,
  path: () => '/images/edits',
}

const ofOpenAi = /^api\.openai\.com$|\.openai\.azure\.com$/

/** Chat completions, with OpenAI's endpoints for embeddings and images. */
export const chat = {
  name: 'chat',
  url: joinUrl,
  keyHeaders: bearerHeaders,
  encodeError: encodeOpenAiError,
  encodeStreamError: encodeChatStreamError,
  heartbeat: commentHeartbeat,
  generation: completions,
  counting: undefined,
  demandedHeaders: {},
  fidelity: 4,
  spelling: {
    conversation: 'messages',
    settings: {
      format: 'response_format',
      reasoning: 'reasoning_effort',
      choices: 'n',
      userId: 'user',
      maxOutputTokens: 'max_completion_tokens',
    },
    shownReasoning: 'summary',
    cacheMark: 'cache_control',
    toolSchema: 'parameters',
    formatSchema: 'schema',
    functionAt: (at) => (at.startsWith('tools') ? `${at}.function` : at),
  },
  conversationHint: (body) => stringIn(body, 'prompt_cache_key'),
  // Many imitators reject unknown fields.
  takesCacheKey: (host, quirks) => quirks.has('prompt_cache_key') || ofOpenAi.test(host),
  searchesAlways: true,
  codec: chatCodec,
  decodeUsage: (raw) => decodeUsage(raw, chatReports),
  embedding: chatEmbeddings(embeddings),
  operations: { completions, textCompletions, embeddings, imageGenerations, imageEdits },
} as const satisfies Protocol & { operations: Record<string, Operation> }

/** The legacy completions protocol. Upstreams that have it get the original bytes; others a chat completion. */
export const textChat: Protocol = {
  ...chat,
  generation: textCompletions,
  codec: { ...chatCodec, ...textCodec },
}
