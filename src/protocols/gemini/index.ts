import { decodeUsage } from '../canonical/raw-usage.ts'
import { createPlainObserver } from '../observer.ts'
import type { Operation, Protocol } from '../protocol.ts'
import { geminiCodec } from './codec.ts'
import { geminiEmbeddings } from './embeddings.ts'
import { geminiKeyHeaders, geminiPath, geminiUrl } from './endpoint.ts'
import { encodeGeminiError, encodeGeminiStreamError } from './error.ts'
import { geminiHeartbeat } from './heartbeat.ts'
import {
  checkBatchEmbed,
  checkCountTokens,
  checkEmbed,
  checkGenerate,
  readBatchEmbed,
  readGemini,
  renameGemini,
} from './request.ts'
import { createGeminiObserver } from './stream.ts'
import { geminiReports } from './usage.ts'

const generate: Operation = {
  protocol: 'gemini',
  name: 'generate',
  charged: true,
  takesForm: false,
  check: checkGenerate,
  read: readGemini,
  rename: renameGemini,
  path: (model, stream) => geminiPath(model, stream ? 'streamGenerateContent' : 'generateContent'),
  createObserver: createGeminiObserver,
}

const countTokens: Operation = {
  protocol: 'gemini',
  name: 'count_tokens',
  charged: false,
  takesForm: false,
  check: checkCountTokens,
  read: readGemini,
  rename: renameGemini,
  path: (model) => geminiPath(model, 'countTokens'),
  createObserver: createPlainObserver,
}

const embed: Operation = {
  protocol: 'gemini',
  name: 'embed',
  charged: true,
  takesForm: false,
  check: checkEmbed,
  read: readGemini,
  rename: renameGemini,
  path: (model) => geminiPath(model, 'embedContent'),
  createObserver: createGeminiObserver,
}

const batchEmbed: Operation = {
  ...embed,
  name: 'batch_embed',
  check: checkBatchEmbed,
  read: readBatchEmbed,
  path: (model) => geminiPath(model, 'batchEmbedContents'),
}

/** Google's Gemini. */
export const gemini = {
  name: 'gemini',
  url: geminiUrl,
  keyHeaders: geminiKeyHeaders,
  encodeError: encodeGeminiError,
  encodeStreamError: encodeGeminiStreamError,
  heartbeat: geminiHeartbeat,
  generation: generate,
  counting: countTokens,
  demandedHeaders: {},
  tierHeader: 'x-gemini-service-tier',
  codec: geminiCodec,
  decodeUsage: (raw) => decodeUsage(raw, geminiReports),
  embedding: geminiEmbeddings(batchEmbed),
  operations: { generate, countTokens, embed, batchEmbed },
} as const satisfies Protocol & { operations: Record<string, Operation> }
