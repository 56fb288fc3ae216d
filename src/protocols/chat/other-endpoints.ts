import type {
  Codec,
  EmbeddingCodec,
  EmbeddingRequest,
  EncodeContext,
  RequestTarget,
  StreamEncoder,
} from '../canonical/codec.ts'
import { refuseValue, TranslationError } from '../canonical/error.ts'
import type { CanonicalRequest } from '../canonical/request.ts'
import {
  arrayIn,
  countIn,
  isJsonObject,
  objectIn,
  parseJsonObject,
  stringIn,
  words,
} from '../json.ts'
import { hasOnlyKnown } from '../known-parts.ts'
import type { JsonObject, Operation, RequestFacts } from '../protocol.ts'
import { noMedia, requestText } from '../request-content.ts'
import { baseFacts, largestLimit, largestOf } from '../request-facts.ts'
import { type LegacyFeature, legacyFeatures } from '../translation/features.ts'
import { decodeRequest } from './decode-request.ts'
import * as answers from './encode-answer.ts'
import { amendUsage, hiddenWork, readExtras } from './facts.ts'

/** Reads a checked legacy completion request. Source: OpenAI's API reference, "Completions". */
export function readTextCompletions(body: JsonObject): RequestFacts {
  const stream = body.stream === true
  const limit = largestOf(body, ['max_tokens', 'max_completion_tokens'])
  const answers = largestOf(body, ['n', 'best_of']).most ?? 1
  return {
    ...baseFacts(body, readExtras(body)),
    ...requestText(body, [body.prompt, body.suffix]),
    calls: answers,
    answers,
    hiddenWork: () => hiddenWork({ ...body, prompt: undefined }),
    maxOutputTokens: largestLimit(body, limit.most ?? usualLimit),
    hasUnseenInput: !hasOnlyKnown(body, promptFields),
    media: () => noMedia,
    // Upstreams with another default would write more than was reserved.
    amend: {
      ...(limit.most === undefined && { max_tokens: usualLimit }),
      ...limit.others,
      ...(stream && amendUsage(body.stream_options)),
    },
  }
}

const promptFields = new Set(['prompt', 'suffix', 'echo', 'best_of'])

/** Settings that chat completions share. Nothing else of the body is read. */
const shared = words(`
  model stream stream_options max_tokens temperature top_p n stop presence_penalty frequency_penalty
  seed logit_bias user service_tier
`)
const known = new Set([...shared, 'prompt', 'suffix', 'echo', 'best_of', 'logprobs'])

/** Decodes it as a chat completion with the prompt as the only user message. */
function decodeTextRequest(body: JsonObject, target: RequestTarget): CanonicalRequest {
  const prompt = refuseOwn(body)
  const settings = Object.fromEntries(shared.map((name) => [name, body[name]]))
  const request = decodeRequest(
    {
      ...settings,
      max_tokens: body.max_tokens ?? usualLimit,
      messages: [{ role: 'user', content: prompt }],
    },
    target,
  )
  const others = Object.keys(body).filter((name) => !known.has(name) && body[name] !== null)
  const native = others.map((at) => ({ feature: 'unknown_field', at }) as const)
  return { ...request, native: [...request.native, ...native] }
}

/** Translation for clients: upstreams get chat completions, or the original bytes. */
export const textCodec: Pick<Codec, 'decodeRequest' | 'encodeResponse' | 'createEncoder'> = {
  decodeRequest: decodeTextRequest,
  encodeResponse: (response, context) =>
    toTextCompletion(answers.encodeResponse(response, context)),
  createEncoder: createTextEncoder,
}

/** The vendor's default limit of an answer. */
export const usualLimit = 16

function refuseOwn(body: JsonObject): string {
  const { prompt, suffix, echo, best_of: best, logprobs, n } = body
  const [text = prompt] = Array.isArray(prompt) ? prompt : [prompt]
  if (typeof text !== 'string') throw refused('prompt', 'prompt_tokens')
  if (text === '') refuseValue('prompt', 'a text that is not empty')
  if (typeof suffix === 'string' && suffix !== '') throw refused('suffix', 'suffix')
  if (echo === true) throw refused('echo', 'echo')
  if (typeof best === 'number' && best > (typeof n === 'number' ? n : 1))
    throw refused('best_of', 'best_of')
  if (logprobs !== undefined && logprobs !== null && logprobs !== false)
    throw refused('logprobs', 'logprobs')
  return text
}

function refused(param: string, feature: LegacyFeature): TranslationError {
  const { title, note } = legacyFeatures[feature] as { title: string; note?: string }
  return new TranslationError({
    code: 'unsupported_parameter',
    param,
    message: `${param}: this model is not asked in the legacy form, and no other has this (${title}${note ? `: ${note}` : ''}). Leave it out.`,
  })
}

/** A whole chat completion, or a chunk, in the legacy form. Reasoning has no place there. */
function toTextCompletion(chat: JsonObject): JsonObject {
  const { id, object: _, choices: __, ...rest } = chat
  return {
    id: String(id).replace(/^chatcmpl-/, 'cmpl-'),
    object: 'text_completion',
    ...rest,
    choices: arrayIn(chat, 'choices').filter(isJsonObject).map(toTextChoice),
  }
}

function toTextChoice(choice: JsonObject): JsonObject {
  const { index, finish_reason } = choice
  return { text: textOf(choice), index, logprobs: null, finish_reason }
}

function textOf(choice: JsonObject): string {
  const message = objectIn(choice, 'message') ?? objectIn(choice, 'delta')
  return stringIn(message, 'content') ?? stringIn(message, 'refusal') ?? ''
}

/** Encodes chunks of a legacy completion: those with text, an end, or usage. */
function createTextEncoder(context: EncodeContext): StreamEncoder {
  const chat = answers.createEncoder(context)
  return {
    push: (event) => chat.push(event).split('\n\n').map(toTextFrame).join(''),
    fail: (error) => chat.fail(error),
  }
}

function toTextFrame(frame: string): string {
  if (frame === '') return ''
  const chunk = parseJsonObject(frame.slice('data: '.length))
  if (chunk === undefined || chunk.error !== undefined) return `${frame}\n\n`
  const choices = arrayIn(chunk, 'choices').filter(isJsonObject)
  const says = (choice: JsonObject) => textOf(choice) !== '' || choice.finish_reason !== null
  if (choices.length > 0 && !choices.some(says)) return ''
  return `data: ${JSON.stringify(toTextCompletion(chunk))}\n\n`
}

/** Translation of OpenAI's embeddings. Source: OpenAI's API reference, "Create embeddings". */
export const chatEmbeddings = (operation: Operation): EmbeddingCodec => ({
  operation,
  mostTexts: 100,
  textsAt: 'input',
  decodeRequest: decodeEmbeddings,
  encodeRequest: ({ texts, dimensions }, model) => ({
    model,
    input: texts,
    ...(dimensions !== undefined && { dimensions }),
    encoding_format: 'float',
  }),
  decodeVectors: (body) =>
    arrayIn(body, 'data')
      .filter(isJsonObject)
      .toSorted((a, b) => (countIn(a, 'index') ?? 0) - (countIn(b, 'index') ?? 0))
      .map(({ embedding }) => embedding),
  encodeAnswer: (vectors, { form }, { model, inputTokens }) => ({
    object: 'list',
    data: vectors.map(unitLength).map((vector, index) => ({
      object: 'embedding',
      index,
      embedding: form === 'bytes' ? asBytes(vector) : vector,
    })),
    model,
    usage: { prompt_tokens: inputTokens, total_tokens: inputTokens },
  }),
})

const embeddingFields = new Set(['model', 'input', 'dimensions', 'encoding_format'])

function decodeEmbeddings(body: JsonObject): EmbeddingRequest {
  const { input, dimensions = null, encoding_format: format = null } = body
  if (dimensions !== null && !(Number.isSafeInteger(dimensions) && Number(dimensions) > 0))
    refuseValue('dimensions', 'an integer of 1 or more')
  if (format !== null && format !== 'float' && format !== 'base64')
    refuseValue('encoding_format', 'float or base64')
  const inputs = Array.isArray(input) ? input : [input]
  if (inputs.length === 0) refuseValue('input', 'a text, or a list of at least one')
  const texts = inputs.filter((one) => typeof one === 'string')
  const others = Object.keys(body)
    .filter((name) => !embeddingFields.has(name) && body[name] !== null)
    .map((path) => ({ path, feature: path === 'user' ? 'user_id' : 'unknown_field' }) as const)
  return {
    texts,
    dimensions: dimensions === null ? undefined : Number(dimensions),
    others: [...(texts.length < inputs.length ? [notText(inputs)] : []), ...others],
    form: format === 'base64' ? 'bytes' : 'list',
  }
}

function notText(inputs: readonly unknown[]) {
  const at = inputs.findIndex((one) => typeof one !== 'string')
  const one = inputs[at]
  if (typeof one === 'number') return { path: 'input', feature: 'tokens' } as const
  if (Array.isArray(one)) return { path: `input[${at}]`, feature: 'tokens' } as const
  return refuseValue(`input[${at}]`, 'a text')
}

/** OpenAI's vectors have length 1; Google's do not when shortened. */
function unitLength(vector: readonly number[]): readonly number[] {
  const length = Math.hypot(...vector)
  if (length === 0 || Math.abs(length - 1) < 1e-3) return vector
  return vector.map((value) => value / length)
}

function asBytes(vector: readonly number[]): string {
  const view = new DataView(new ArrayBuffer(vector.length * 4))
  for (const [at, value] of vector.entries()) view.setFloat32(at * 4, value, true)
  return new Uint8Array(view.buffer).toBase64()
}
