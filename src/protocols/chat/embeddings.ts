import type { EmbeddingCodec, EmbeddingRequest } from '../canonical/codec.ts'
import { refuseValue } from '../canonical/error.ts'
import { arrayIn, countIn, isJsonObject } from '../json.ts'
import type { JsonObject, Operation } from '../protocol.ts'

/**
 * Translation of OpenAI's embeddings. Source: OpenAI's API reference, "Create embeddings". The vendor
 * takes more texts at once, but no client of another protocol asks for more.
 */
export const chatEmbeddings = (operation: Operation): EmbeddingCodec => ({
  operation,
  mostTexts: 100,
  decodeRequest,
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

const known = new Set(['model', 'input', 'dimensions', 'encoding_format'])

function decodeRequest(body: JsonObject): EmbeddingRequest {
  const { input, dimensions = null, encoding_format: format = null } = body
  if (dimensions !== null && !(Number.isSafeInteger(dimensions) && Number(dimensions) > 0))
    refuseValue('dimensions', 'an integer of 1 or more')
  if (format !== null && format !== 'float' && format !== 'base64')
    refuseValue('encoding_format', 'float or base64')
  const inputs = Array.isArray(input) ? input : [input]
  if (inputs.length === 0) refuseValue('input', 'a text, or a list of at least one')
  const texts = inputs.filter((one) => typeof one === 'string')
  const others = Object.keys(body)
    .filter((name) => !known.has(name) && body[name] !== null)
    .map((path) => ({ path, feature: path === 'user' ? 'user_id' : 'unknown_field' }) as const)
  return {
    texts,
    dimensions: dimensions === null ? undefined : Number(dimensions),
    others: [...(texts.length < inputs.length ? [notText(inputs)] : []), ...others],
    form: format === 'base64' ? 'bytes' : 'list',
  }
}

/** What of the input is no text: numbers of LLM tokens, or something of another vendor's. */
function notText(inputs: readonly unknown[]) {
  const at = inputs.findIndex((one) => typeof one !== 'string')
  const one = inputs[at]
  if (typeof one === 'number') return { path: 'input', feature: 'tokens' } as const
  if (Array.isArray(one)) return { path: `input[${at}]`, feature: 'tokens' } as const
  return refuseValue(`input[${at}]`, 'a text')
}

/**
 * OpenAI's vectors have the length 1, and clients compare them by that. Others' may not, where they are
 * shortened. Source: Google's Gemini API, "Embeddings", of dimensions below 3,072.
 */
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
