import type { Codec } from '../canonical/codec.ts'
import { decodeUsage } from '../canonical/extras.ts'
import { createPlainObserver } from '../observer.ts'
import type { Operation, Protocol } from '../protocol.ts'
import { joinUrl, modelPath, pathSegments } from '../url.ts'
import { createDecoder, decodeResponse } from './decode-answer.ts'
import { decodeRequest } from './decode-request.ts'
import { geminiEmbeddings } from './embeddings.ts'
import { createEncoder, encodeResponse } from './encode-answer.ts'
import { encodeRequest } from './encode-request.ts'
import {
  decodeError,
  encodeGeminiError,
  encodeGeminiStreamError,
  geminiHeartbeat,
} from './errors.ts'
import { emptyParts, readBatchEmbed, readGemini, renameGemini } from './facts.ts'
import { createGeminiObserver } from './observe.ts'
import { findSchemaFault, findUnenforcedKeywords } from './schema/to-gemini.ts'
import { takesSearch } from './tools.ts'
import { geminiReports } from './usage.ts'
import { checkBatchEmbed, checkCountTokens, checkEmbed, checkGenerate } from './wire.ts'

/*
 * Google's Gemini. The parts, in reading order:
 *
 *   wire.ts                             schemas of requests, names in camelCase and snake_case
 *   facts.ts, observe.ts, usage.ts      what the gateway reads of bodies that pass untouched
 *   tools.ts, thinking.ts, citations.ts one subject each, both ways
 *   schema/                             JSON schemas to the vendor's form, and from it
 *   decode-request.ts, decode-parts.ts  a client's request to the canonical form
 *   encode-request.ts                   the canonical form to a request for an upstream
 *   decode-answer.ts, partial-args.ts   an upstream's answer, streamed or whole, to events
 *   encode-answer.ts                    events, or a whole answer, for a client
 *   errors.ts                           errors and heartbeats, by the client's library
 *   json-array.ts, embeddings.ts        the other framing of a stream; embeddings
 */

const version = /^v\d+((alpha|beta)\d*)?$/

/** Upstream URL: the base has no version. A base with one (Vertex) gets no second. */
function geminiUrl(base: string, path: string): string {
  const versioned = pathSegments(base).some((segment) => version.test(segment))
  return joinUrl(base, versioned ? path.replace(/^\/v1beta(?=\/)/, '') : path)
}

function geminiPath(model: string, action: string): string {
  const name = model.startsWith('models/') ? model.slice('models/'.length) : model
  const folder = name.startsWith('tunedModels/') ? '' : 'models/'
  return `/v1beta/${folder}${modelPath(name)}:${action}`
}

const generate: Operation = {
  protocol: 'gemini',
  name: 'generate',
  charged: true,
  check: checkGenerate,
  read: readGemini,
  rename: renameGemini,
  path(model, stream, framing) {
    if (!stream) return geminiPath(model, 'generateContent')
    // Without the query the vendor streams a JSON array.
    return geminiPath(model, 'streamGenerateContent') + (framing === 'sse' ? '?alt=sse' : '')
  },
  createObserver: createGeminiObserver,
}

const countTokens: Operation = {
  ...generate,
  name: 'count_tokens',
  charged: false,
  check: checkCountTokens,
  path: (model) => geminiPath(model, 'countTokens'),
  createObserver: createPlainObserver,
}

const embed: Operation = {
  ...generate,
  name: 'embed',
  embeds: true,
  check: checkEmbed,
  path: (model) => geminiPath(model, 'embedContent'),
}

const batchEmbed: Operation = {
  ...generate,
  name: 'batch_embed',
  embeds: true,
  check: checkBatchEmbed,
  read: readBatchEmbed,
  path: (model) => geminiPath(model, 'batchEmbedContents'),
}

/** Operations by the action in the path. */
export const geminiActions: ReadonlyMap<string, Operation> = new Map([
  ['generateContent', generate],
  ['streamGenerateContent', generate],
  ['countTokens', countTokens],
  ['embedContent', embed],
  ['batchEmbedContents', batchEmbed],
])

/** Splits a call's last path segment. Model ids may contain colons: the action follows the last one. */
export function geminiTarget(target: string): { model: string; action: string | undefined } {
  const colon = target.lastIndexOf(':')
  if (colon < 0) return { model: target, action: undefined }
  return { model: target.slice(0, colon), action: target.slice(colon + 1) }
}

const geminiCodec: Codec = {
  decodeRequest,
  encodeRequest,
  decodeResponse,
  encodeResponse,
  createDecoder,
  createEncoder,
  findFault: findSchemaFault,
  unenforcedKeywords: findUnenforcedKeywords,
  takesSearch,
  encodeCount: (inputTokens) => ({ totalTokens: inputTokens }),
  decodeError,
}

/** Google's Gemini. */
export const gemini = {
  name: 'gemini',
  url: geminiUrl,
  keyHeaders: (key: string) => ({ 'x-goog-api-key': key }),
  encodeError: encodeGeminiError,
  encodeStreamError: encodeGeminiStreamError,
  heartbeat: geminiHeartbeat,
  generation: generate,
  counting: countTokens,
  demandedHeaders: {},
  tierHeader: 'x-gemini-service-tier',
  // `alt`, `fields`, `$httpMethod`: only the gateway's own are sent.
  hidesQueries: true,
  emptyParts,
  fidelity: 3,
  spelling: {
    conversation: 'contents',
    within: 'generationConfig',
    settings: {
      toolChoice: 'toolConfig.functionCallingConfig',
      metadata: 'labels',
      serviceTier: 'serviceTier',
      format: 'generationConfig.responseMimeType',
      reasoning: 'generationConfig.thinkingConfig',
      stop: 'generationConfig.stopSequences',
      logprobs: 'generationConfig.responseLogprobs',
      choices: 'generationConfig.candidateCount',
    },
    shownReasoning: 'includeThoughts',
    cacheMark: 'cache_control',
    toolSchema: 'parameters',
    formatSchema: '',
  },
  clientHeader: 'x-goog-api-key',
  impliedRole: 'user',
  encodeUnauthenticated: (message) =>
    JSON.stringify({ error: { code: 401, message, status: 'UNAUTHENTICATED' } }),
  codec: geminiCodec,
  decodeUsage: (raw) => decodeUsage(raw, geminiReports),
  embedding: geminiEmbeddings(batchEmbed),
  operations: { generate, countTokens, embed, batchEmbed },
} as const satisfies Protocol & { operations: Record<string, Operation> }
