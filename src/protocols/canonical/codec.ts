import type { Fault, Framing, JsonObject, Operation, ProtocolError } from '../protocol.ts'
import type { EmbeddingFeature } from '../translation/features.ts'
import type { AnswerEvent, CanonicalResponse } from './answer.ts'
import type { CanonicalError } from './error.ts'
import type { Quirk } from './quirks.ts'
import type { CanonicalRequest, Setting } from './request.ts'

/**
 * The translating half of a protocol, synchronous and pure. Encoders get only what they can express: see `fit`.
 */
export interface Codec {
  /**
   * Reads a checked body; gemini's `target` is in the path. Throws `TranslationError` for what the vendor
   * refuses.
   */
  decodeRequest(body: JsonObject, target: RequestTarget): CanonicalRequest
  /** The body for an upstream. Equal turns give equal bytes, whatever follows them. */
  encodeRequest(request: CanonicalRequest, options: EncodeOptions): JsonObject
  /** Whether the vendor shows the reasoning of a request that does not say so; undefined: it never does. */
  readonly showsUnasked?: ((body: JsonObject) => boolean) | undefined
  decodeResponse(body: JsonObject, context: DecodeContext): CanonicalResponse
  encodeResponse(response: CanonicalResponse, context: EncodeContext): JsonObject
  createDecoder(context: DecodeContext): StreamDecoder
  createEncoder(context: EncodeContext): StreamEncoder
  /** What of a request the vendor would refuse for another reason than the table of features has. */
  readonly findFault?:
    | ((request: CanonicalRequest, conversation?: string) => Fault | undefined)
    | undefined
  /** Whether the vendor takes a search of its own beside the rest of a request; absent: never. */
  readonly takesSearch?: ((request: CanonicalRequest) => boolean) | undefined
  /** Settings that the vendor would refuse in this request, and takes in others: they are left out. */
  readonly leavesOut?:
    | ((request: CanonicalRequest, quirks: ReadonlySet<Quirk>) => readonly Setting[])
    | undefined
  /** Keywords of the request's schemas that the vendor lacks: they move into the descriptions. */
  readonly tellsInWords?: ((request: CanonicalRequest) => readonly ToldKeyword[]) | undefined
  /** The answer to a request for a count of its input. */
  encodeCount(inputTokens: number): JsonObject
  /** What the body of a 4xx or 5xx says. */
  decodeError(body: JsonObject): CanonicalError
}

/** A keyword of a JSON schema that the model reads in words, and that its vendor does not enforce. */
export interface ToldKeyword {
  /** Of the tool, or of the answer's format, as the client wrote it. */
  readonly at: string
  readonly isTool: boolean
  /** The client wants the schema enforced. */
  readonly isStrict: boolean
  /** Within the schema: `properties.x.items`; '' is the whole. */
  readonly path: string
  readonly keyword: string
}

export interface RequestTarget {
  readonly model: string
  readonly stream: boolean
}

/** What an encoder must know about the upstream. */
export interface EncodeOptions {
  readonly model: string
  readonly quirks: ReadonlySet<Quirk>
  /** For a protocol that demands a limit of the answer where the request has none; absent: its usual. */
  readonly defaultMaxOutputTokens?: number
  /** The client expects to see the reasoning that it asks for, though it does not say so. */
  readonly showsReasoning?: boolean | undefined
  /** From how many LLM tokens on the model caches what is marked; undefined: no marks are set. */
  readonly cacheMinimumTokens?: number | undefined
}

export interface DecodeContext {
  /** Unique; for ids that the upstream does not give (gemini's calls). */
  readonly requestId: string
  /** The request, as it was decoded: which of its tools are custom ones. */
  readonly request: CanonicalRequest
}

/** What the writer of an answer must know about its request. */
export interface EncodeContext extends DecodeContext {
  /** The model as the client named it. */
  readonly model: string
  /** Seconds since 1970, for answers whose upstream does not tell. */
  readonly createdAt: number
  /** Of the input, in LLM tokens: reported to the client until the upstream reports its own count. */
  readonly estimatedInputTokens: number
  /** The client's own body, where the protocol repeats some of it. */
  readonly body: JsonObject
  readonly framing: Framing
  /** What the client says of its library, as `ClientStream` has it. */
  readonly library: string
  /** Of a client of the responses protocol; absent: the answer continues none, and is not kept. */
  readonly own?: OwnResponse | undefined
}

/** What becomes of a translated response beside its being told. */
export interface OwnResponse {
  readonly previousId: string | null
  /** Takes the whole response, where the gateway keeps it; undefined: it is not kept. */
  readonly keep: ((response: JsonObject) => void) | undefined
}

/** Turns the frames of one upstream stream into events. Never throws: it skips what it does not know. */
export interface StreamDecoder {
  /** The data of one frame; `json` is the object in it, where that is known already. */
  push(data: string, event: string, json?: JsonObject): readonly AnswerEvent[]
  /** The stream came to a regular end: closes what is open, and tells the end if the last frame did not. */
  end(): readonly AnswerEvent[]
}

/** Writes one answer for a client, as text to be sent. */
export interface StreamEncoder {
  push(event: AnswerEvent): string
  /** The stream ends with this error, and without its regular end. */
  fail(error: ProtocolError): string
}

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

interface EmbeddingContext {
  readonly model: string
  readonly inputTokens: number
}

/** The translating half of a protocol that has embeddings. `decodeRequest` throws `TranslationError`. */
export interface EmbeddingCodec {
  /** How an upstream is asked, for one text as for many. */
  readonly operation: Operation
  /** So many texts the vendor takes at once. */
  readonly mostTexts: number
  /** The member of a body that holds them. */
  readonly textsAt: string
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
