import type { Fault, Framing, JsonObject, Operation, ProtocolError } from '../protocol.ts'
import type { EmbeddingFeature } from '../translation/features.ts'
import type { AnswerEvent, CanonicalResponse } from './answer.ts'
import type { CanonicalError } from './error.ts'
import type { Quirk } from './quirks.ts'
import type { CanonicalRequest, Setting } from './request.ts'

export interface Codec {
  /** Decodes a checked body; gemini's `target` is in the path. Throws `TranslationError`. */
  decodeRequest(body: JsonObject, target: RequestTarget): CanonicalRequest
  /** The body for an upstream. Equal turns encode to equal bytes, whatever follows. */
  encodeRequest(request: CanonicalRequest, options: EncodeOptions): JsonObject
  /** Whether the vendor shows reasoning that a request does not ask to see; undefined: never. */
  showsUnasked?(body: JsonObject): boolean
  decodeResponse(body: JsonObject, context: DecodeContext): CanonicalResponse
  encodeResponse(response: CanonicalResponse, context: EncodeContext): JsonObject
  createDecoder(context: DecodeContext): StreamDecoder
  createEncoder(context: EncodeContext): StreamEncoder
  /** A fault for which the vendor would reject the request, beyond the table of features. */
  findFault?(request: CanonicalRequest, conversation?: string): Fault | undefined
  /** Whether the vendor accepts its search together with the rest of a request; absent: never. */
  takesSearch?(request: CanonicalRequest): boolean
  /** Settings that the vendor rejects in this request only: they are dropped. */
  droppedSettings?(request: CanonicalRequest, quirks: ReadonlySet<Quirk>): readonly Setting[]
  /** Schema keywords that the vendor lacks: they move into descriptions. */
  unenforcedKeywords?(request: CanonicalRequest): readonly UnenforcedKeyword[]
  encodeCount(inputTokens: number): JsonObject
  decodeError(body: JsonObject): CanonicalError
}

/** A JSON schema keyword that moved into a description, so that the vendor does not enforce it. */
export interface UnenforcedKeyword {
  /** Path of the tool or response format, as the client wrote it. */
  readonly at: string
  readonly isTool: boolean
  readonly isStrict: boolean
  /** Path within the schema: `properties.x.items`; '' is the root. */
  readonly path: string
  readonly keyword: string
}

export interface RequestTarget {
  readonly model: string
  readonly stream: boolean
}

/** What an encoder needs to know about the upstream. */
export interface EncodeOptions {
  readonly model: string
  readonly quirks: ReadonlySet<Quirk>
  /** The output limit where the protocol requires one and the request has none; absent: the usual. */
  readonly defaultMaxOutputTokens?: number
  /** The client expects to see the reasoning it asks for by default. */
  readonly showsReasoning?: boolean | undefined
  readonly cacheMinimumTokens?: number | undefined
}

export interface DecodeContext {
  /** Unique; for ids that the upstream lacks (gemini's calls). */
  readonly requestId: string
  readonly request: CanonicalRequest
}

export interface EncodeContext extends DecodeContext {
  readonly model: string
  /** Seconds since 1970, for answers without a time. */
  readonly createdAt: number
  /** Estimated input in LLM tokens: reported until the upstream reports its count. */
  readonly estimatedInputTokens: number
  /** The client's own body, for protocols that repeat parts of it. */
  readonly body: JsonObject
  readonly framing: Framing
  readonly library: string
  /** For clients of the responses protocol; absent: the answer continues none, and is not stored. */
  readonly own?: OwnResponse | undefined
}

/** How a translated response is stored. */
export interface OwnResponse {
  readonly previousId: string | null
  /** Receives the whole response for storage; undefined: it is not stored. */
  readonly keep: ((response: JsonObject) => void) | undefined
}

/** Decodes the frames of one upstream stream. Never throws: it skips unknown frames. */
export interface StreamDecoder {
  push(data: string, event: string, json?: JsonObject): readonly AnswerEvent[]
  /** The stream ended regularly: closes open blocks, and ends the answer if no frame did. */
  end(): readonly AnswerEvent[]
}

/** Encodes one answer for a client, as text. */
export interface StreamEncoder {
  push(event: AnswerEvent): string
  fail(error: ProtocolError): string
}

/** A request for embeddings, independent of vendors. */
export interface EmbeddingRequest {
  readonly texts: readonly string[]
  /** The length of each vector; undefined: the model's default. */
  readonly dimensions: number | undefined
  /** Other settings, with their path as the client wrote it. */
  readonly others: readonly { readonly feature: EmbeddingFeature; readonly path: string }[]
  /** `bytes`: vectors as base64 of float32, little-endian. `one`: not in a list. */
  readonly form: 'list' | 'bytes' | 'one'
}

/** The translating half of a protocol with embeddings. `decodeRequest` throws `TranslationError`. */
export interface EmbeddingCodec {
  readonly operation: Operation
  readonly mostTexts: number
  readonly textsAt: string
  /** Decodes a body that the operation's `check` accepted; `model` is in gemini's path. */
  decodeRequest(body: JsonObject, model: string): EmbeddingRequest
  encodeRequest(request: EmbeddingRequest, model: string): JsonObject
  /** The vectors of an answer, unchecked, in the order of their texts. */
  decodeVectors(body: JsonObject): readonly unknown[]
  encodeAnswer(
    vectors: readonly (readonly number[])[],
    request: EmbeddingRequest,
    context: { readonly model: string; readonly inputTokens: number },
  ): JsonObject
}

/** The checked vectors of an answer; undefined unless each text has one of numbers. */
export function readVectors(
  found: readonly unknown[],
  texts: number,
): readonly (readonly number[])[] | undefined {
  const isVector = (one: unknown): one is readonly number[] =>
    Array.isArray(one) && one.length > 0 && one.every((value) => typeof value === 'number')
  return found.length === texts && found.every(isVector) ? found : undefined
}
