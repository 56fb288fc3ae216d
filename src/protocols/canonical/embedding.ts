import type { JsonObject, Operation } from '../protocol.ts'
import type { EmbeddingFeature } from '../translation/features.ts'

/** A request for vectors of texts, in no vendor's form. */
export interface EmbeddingRequest {
  readonly texts: readonly string[]
  /** How long each vector is to be; undefined: as long as the model makes them. */
  readonly dimensions: number | undefined
  /** What else it asks for, with its place as the client wrote it. */
  readonly others: readonly { readonly feature: EmbeddingFeature; readonly path: string }[]
  /** `bytes`: vectors are wanted as base64 of float32, little-endian. `one`: outside of a list. */
  readonly form: 'list' | 'bytes' | 'one'
}

/** What the writer of an answer must know. */
export interface EmbeddingContext {
  /** The model as the client named it. */
  readonly model: string
  readonly inputTokens: number
}

/**
 * The translating half of a protocol that has embeddings: two of them meet in the form above. Pure;
 * `decodeRequest` throws `TranslationError` for what the vendor would refuse, or nobody else takes.
 */
export interface EmbeddingCodec {
  /** How an upstream is asked, for one text as for many. */
  readonly operation: Operation
  /** So many texts the vendor takes at once. */
  readonly mostTexts: number
  /** Reads a body that the operation's `check` has passed; `model` is what gemini has in the path. */
  decodeRequest(body: JsonObject, model: string): EmbeddingRequest
  /** The body for an upstream, by its name of the model. */
  encodeRequest(request: EmbeddingRequest, model: string): JsonObject
  /** What should be the vectors of an answer, in the order of their texts. */
  decodeVectors(body: JsonObject): readonly unknown[]
  encodeAnswer(
    vectors: readonly (readonly number[])[],
    request: EmbeddingRequest,
    context: EmbeddingContext,
  ): JsonObject
}

/** The vectors of an answer, checked; undefined unless there is one of numbers for each text. */
export function readVectors(
  found: readonly unknown[],
  texts: number,
): readonly (readonly number[])[] | undefined {
  const isVector = (one: unknown): one is readonly number[] =>
    Array.isArray(one) && one.length > 0 && one.every((value) => typeof value === 'number')
  return found.length === texts && found.every(isVector) ? found : undefined
}
