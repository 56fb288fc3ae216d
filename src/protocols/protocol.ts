import type { TSchema } from '@sinclair/typebox'
import type { Codec, EmbeddingCodec } from './canonical/codec.ts'
import type { Observation } from './canonical/observation.ts'
import type { Quirk } from './canonical/quirks.ts'
import type { Usage } from './canonical/usage.ts'
import type { Path, RequestExtras } from './request-extras.ts'
import type { HiddenWork, ToolBounds } from './request-facts.ts'
import type { Spelling } from './translation/spelling.ts'

/** The four wire protocols, by the names that configuration, records and logs use. */
export const protocolNames = ['chat', 'responses', 'messages', 'gemini'] as const
export type ProtocolName = (typeof protocolNames)[number]

export type JsonObject = { readonly [key: string]: unknown }

/** Why a body is refused. `param` is the field's path as a person would write it (`messages[2].content`). */
export interface Fault {
  readonly code:
    | 'missing_parameter'
    | 'invalid_value'
    | 'conflicting_parameters'
    | 'unsupported_parameter'
  readonly param: string
  readonly message: string
}

/** Gives the first fault of a parsed body; undefined: it can be forwarded. */
export interface Check {
  (body: unknown): Fault | undefined
  /** What it checks by; the API's documentation shows it. */
  readonly schema: TSchema
}

/** What the gateway needs to know of a request's body. */
export interface RequestFacts {
  /** The model the client asked for; undefined where the path names it (gemini). */
  readonly model: string | undefined
  readonly stream: boolean
  /** How many calls a price per call counts: each answer side by side, image or embedding is one. */
  readonly calls: number
  /** How many it may get, where that can be more: sets of images. */
  readonly mostCalls?: number
  /** The upstream's ids of what this request builds on: only the channel that made it knows them. */
  readonly continues: readonly string[]
  /** Ids, an upstream's or the client's own, of what came before and is sent whole. */
  readonly wholeIds?: readonly string[]
  /** Top-level fields that must be added or replaced before the body goes upstream. */
  readonly amend: { readonly [field: string]: unknown }
  /** How many answers are generated side by side. */
  readonly answers: number
  /** The largest limit of each answer, in LLM tokens, that an upstream could read in it; null: it sets none. */
  readonly maxOutputTokens: number | null
  /** Names of what it wants to try out, where its body has them: they may change what the model can hold. */
  readonly betas?: readonly string[]
  /** What an answer without a limit has at the most, where that is known. */
  readonly longestAnswer?: number
  /** Some of its input is not in its bytes (a stored prompt, a cache). Files are counted by `media`. */
  readonly hasUnseenInput: boolean
  /** How often the model may be asked for one answer: each time what came before is input again. */
  readonly turns: number
  /** The model is asked several times for one answer (hosted tools, a shortened context): usage is the sum. */
  readonly takesTurns: boolean
  /** The answer is made upstream whether or not anyone reads it, and is fetched later. */
  readonly background?: boolean
  /** The upstream keeps the answer, so that a later request can refer to it; absent: the answer tells. */
  readonly keepsAnswer?: boolean
  /** What is billed beside its text, or otherwise; undefined: nothing of it is asked for. */
  readonly extras?: RequestExtras | undefined
  /** How much its tools that the vendor runs may be used; undefined: it asks for none. */
  readonly toolBounds?: ToolBounds | undefined
  /** What its vendor does for it that no stream shows; undefined: there may be some. */
  readonly hiddenWork?: () => HiddenWork
  /** Rough text of the request, asked for only when usage has to be estimated. */
  readonly text: () => string
  /** How many characters of the body, as JSON, are not in that text. */
  readonly uncounted: () => number
  /** What of the request is no text, asked for like it. */
  readonly media: (texts?: BodyTexts) => MediaSize
}

/**
 * So often a vendor that runs tools is taken to ask its model for one answer, with a full context at the most.
 */
export const hostedTurns = 3

/** Of the texts in a body, which may stand shortened in it. */
export interface BodyTexts {
  whole(text: string): string
  lengthOf(text: string): number
}

/** Images, documents and sounds of a request. */
export interface MediaSize {
  readonly tokens: number
  readonly bytes: number
  /** Images, and how much of the body they take: what they cost goes by their size, not their bytes. */
  readonly images: { readonly count: number; readonly bytes: number }
  /** There are some whose size only the vendor knows: told by address or id, or compressed. */
  readonly isUnseen: boolean
}

/**
 * Watches one answer pass. Synchronous, one instance per answer, never throws: it skips what it does not know.
 */
export interface AnswerObserver {
  readonly seen: Observation
  /**
   * One frame of a stream; `json` is the object in it, where known. `usage-only`: it carries nothing but usage.
   */
  push(data: string, event: string, json?: JsonObject): 'pass' | 'usage-only'
  pushBody(body: unknown): void
  /** The protocol's last event, where a stream has ended well without it; absent: none is missed. */
  missingEnd?(): string
}

/** One thing a client can ask for in a protocol: an endpoint with its request and answer. */
export interface Operation {
  readonly protocol: ProtocolName
  /** Unique within the protocol; appears in records: `completions`, `embeddings`, `generate` … */
  readonly name: string
  /** Its answer is vectors of texts. */
  readonly embeds?: true
  /** Charged operations leave a request record; the others (count_tokens) leave nothing. */
  readonly charged: boolean
  /** Also takes a multipart form, whose fields are those of the JSON body. */
  readonly takesForm?: true
  readonly check: Check
  /** Reads a body that `check` has passed. Gemini's model and `stream` are in the path instead. */
  read(body: JsonObject): RequestFacts
  /** The top-level fields to replace when the upstream calls the model by another name. */
  rename(body: JsonObject, upstreamModel: string): { readonly [field: string]: unknown }
  /** Upstream path below the channel's base URL, with the query that asks for `framing`. */
  path(model: string, stream: boolean, framing?: Framing): string
  createObserver(): AnswerObserver
}

/** A gateway error, ready to be put in a protocol's own shape. */
export interface ProtocolError {
  readonly status: number
  /** CONTRACT's machine word: `model_not_found`, `rate_limited` … */
  readonly code: string
  readonly message: string
  /** Path of the field at fault, where there is one. */
  readonly param: string | undefined
  readonly requestId: string
  /** For an error inside a stream: the model as the client named it, … */
  readonly model?: string | undefined
  /** … when it asked, in seconds since 1970, … */
  readonly createdAt?: number
  /** … and what was seen of the answer that it breaks off. */
  readonly answer?: Observation
}

/** How a streamed answer is cut into frames. */
export type Framing = 'sse' | 'json-array'

/** One client's stream: how it is written, and what its library can read. */
export interface ClientStream {
  readonly framing: Framing
  /** What the client says of its library (`x-goog-api-client`, `user-agent`); '' where it says nothing. */
  readonly library: string
}

/** Where a heartbeat is put. */
export interface HeartbeatPlace {
  /** Nothing has been sent to the client yet. */
  readonly isFirst: boolean
  /** A note for the client that came too late for a header. */
  readonly note?: string
}

/** One frame of a stream, with its place in the bytes it came in. */
export interface Frame {
  readonly event: string
  readonly data: string
  /** Offsets in `whole` of the same result: the frame with its separator. */
  readonly start: number
  readonly end: number
}

/** Cuts a byte stream into frames. `whole` is every byte up to the end of the last frame; the rest waits. */
export interface FrameSplitter {
  push(chunk: Uint8Array): Frames
  /** The upstream has ended: what was waiting is the last frame, complete or not. */
  end(): Frames
  /** A frame was too long to wait for its end: a part of it has been passed on. */
  isWithinFrame(): boolean
}

export interface Frames {
  readonly whole: Uint8Array
  readonly frames: readonly Frame[]
}

/** One wire protocol as a value: what shared rooms know about it. */
export interface Protocol {
  readonly name: ProtocolName
  /** Absolute upstream URL. `base` is as the vendor's SDK wants it; its query is kept. */
  url(base: string, path: string): string
  keyHeaders(key: string): Readonly<Record<string, string>>
  /** Body of an error answer, as JSON text in the shape that this protocol's SDKs raise. */
  encodeError(error: ProtocolError): string
  /** The error inside a stream, to append after the last whole frame. `first`: no frame has been sent yet. */
  encodeStreamError(error: ProtocolError, stream: ClientStream, first: boolean): string
  /**
   * What tells the client between two frames that its stream is alive, and changes nothing of its conversation.
   */
  heartbeat(stream: ClientStream, place: HeartbeatPlace): string
  /** What is translated from and to other protocols: requests for an answer, … */
  readonly generation: Operation
  /** … and for a count of their input; undefined: the protocol has none. */
  readonly counting: Operation | undefined
  /** Headers that an upstream demands, for requests of clients that do not know of them. */
  readonly demandedHeaders: Readonly<Record<string, string>>
  /** The header in which its clients look for the id of their request, beside `x-request-id`. */
  readonly requestIdHeader?: string
  /** The header of an answer that names its service tier; undefined: its body does. */
  readonly tierHeader?: string
  /** Queries are settings of the vendor's servers: a client's are not sent on. */
  readonly hidesQueries?: true
  /** The places of empty parts, which the vendor refuses; absent: it takes them. */
  emptyParts?(body: JsonObject): readonly Path[]
  /** In this order channels are asked for clients of other protocols: the first carries the most. */
  readonly fidelity: number
  readonly spelling: Spelling
  /** A header that only its clients send. */
  readonly clientHeader?: string
  /** The client's own name of the conversation, where a body has one. */
  conversationHint?(body: JsonObject): string | undefined
  /** Who speaks in a message without a role. */
  readonly impliedRole?: 'user'
  /** Whether an upstream takes a key for the prompt cache that the client has not sent; absent: none does. */
  takesCacheKey?(host: string, quirks: ReadonlySet<Quirk>): boolean
  /** Models that search do so for each answer, by themselves. */
  readonly searchesAlways?: true
  /** The code by which its clients send a conversation whole that is not known; absent: the usual one. */
  readonly unknownConversation?: 'thread_not_found'
  /** Body of a 401, where it is not the one that all others have. */
  encodeUnauthenticated?(message: string): string
  readonly operations: { readonly [name: string]: Operation }
  readonly codec: Codec
  /** What the usage that its observers keep amounts to; undefined when it has no count in it. */
  decodeUsage(raw: unknown): Usage | undefined
  /** Translation of embeddings; undefined: the protocol has none. */
  readonly embedding?: EmbeddingCodec
}
