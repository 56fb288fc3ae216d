import type { Codec } from '../canonical/codec.ts'
import { decodeUsage } from '../canonical/raw-usage.ts'
import { findRootKeywords, openAiRoot } from '../canonical/tools.ts'
import type { Operation, Protocol } from '../protocol.ts'
import { renameModel } from '../request-facts.ts'
import { commentHeartbeat } from '../sse.ts'
import { bearerHeaders, joinUrl } from '../url.ts'
import { decodeChatResponse } from './decode-answer.ts'
import { decodeChatRequest } from './decode-request.ts'
import { createChatDecoder } from './decode-stream.ts'
import { chatEmbeddings } from './embeddings.ts'
import { encodeChatResponse } from './encode-answer.ts'
import { encodeChatRequest } from './encode-request.ts'
import { createChatEncoder } from './encode-stream.ts'
import { decodeOpenAiError, encodeChatStreamError, encodeOpenAiError } from './errors.ts'
import { readCompletions, readEmbeddings, readImages } from './facts.ts'
import {
  createCompletionsObserver,
  createEmbeddingsObserver,
  createImagesObserver,
} from './observe.ts'
import { readTextCompletions, textCodec } from './text-completions.ts'
import { takesSearch } from './tools.ts'
import { chatReports } from './usage.ts'
import { checkCompletions, checkEmbeddings, checkImages, checkTextCompletions } from './wire.ts'

/*
 * OpenAI's chat completions, and its imitators'. The parts, in reading order:
 *
 *   wire.ts                             schemas of requests
 *   facts.ts, hosted-tools.ts           what the gateway reads of requests that pass untouched
 *   observe.ts, usage.ts                what it reads of answers that pass untouched
 *   content.ts, tools.ts, reasoning.ts  parts of messages, tools and calls, reasoning: both ways
 *   decode-request.ts                   a client's request to the canonical form
 *   encode-request.ts                   the canonical form to a request for an upstream
 *   answer-fields.ts                    what a whole answer and a chunk have in common: both ways
 *   decode-answer.ts, decode-calls.ts   a whole answer, or one choice piece by piece, to events
 *   decode-stream.ts                    the chunks of a stream to events
 *   encode-answer.ts, encode-stream.ts  a whole answer, or events, for a client
 *   errors.ts                           errors of OpenAI's protocols
 *   embeddings.ts, text-completions.ts  the two other endpoints that are translated
 */

/** Translation of chat completions. They have no endpoint that counts: the form is that of responses. */
export const chatCodec: Codec = {
  decodeRequest: decodeChatRequest,
  encodeRequest: encodeChatRequest,
  decodeResponse: decodeChatResponse,
  encodeResponse: encodeChatResponse,
  createDecoder: createChatDecoder,
  createEncoder: createChatEncoder,
  tellsInWords: (request) => findRootKeywords(request, openAiRoot),
  takesSearch,
  encodeCount: (inputTokens) => ({ object: 'response.input_tokens', input_tokens: inputTokens }),
  decodeError: decodeOpenAiError,
}

const completions: Operation = {
  protocol: 'chat',
  name: 'completions',
  charged: true,
  takesForm: false,
  check: checkCompletions,
  read: readCompletions,
  rename: renameModel,
  path: () => '/chat/completions',
  createObserver: createCompletionsObserver,
}

/** The legacy form: a prompt is continued. */
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

/** Chat completions, with OpenAI's endpoints for embeddings and images beside them. */
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
  codec: chatCodec,
  decodeUsage: (raw) => decodeUsage(raw, chatReports),
  embedding: chatEmbeddings(embeddings),
  operations: { completions, textCompletions, embeddings, imageGenerations, imageEdits },
} as const satisfies Protocol & { operations: Record<string, Operation> }

/**
 * What clients of the legacy form speak: chat, but for its requests and answers. Upstreams that have
 * the form themselves get the bytes; all others are asked for an answer in their own.
 */
export const textChat: Protocol = {
  ...chat,
  generation: textCompletions,
  codec: { ...chatCodec, ...textCodec },
}
