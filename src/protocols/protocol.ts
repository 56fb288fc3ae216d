import type { TSchema } from '@sinclair/typebox'
import type { Codec, EmbeddingCodec } from './canonical/codec.ts'
import type { Observation } from './canonical/observation.ts'
import type { Quirk } from './canonical/quirks.ts'
import type { Usage } from './canonical/usage.ts'
import type { Path, RequestExtras } from './request-extras.ts'
import type { HiddenWork, ToolBounds } from './request-facts.ts'
import type { Spelling } from './translation/spelling.ts'

/** The four wire protocols, by their names in configuration, records and logs. */
export const protocolNames = ['chat', 'responses', 'messages', 'gemini'] as const
export type ProtocolName = (typeof protocolNames)[number]

export type JsonObject = { readonly [key: string]: unknown }

export interface Fault {
  readonly code:
    | 'missing_parameter'
    | 'invalid_value'
    | 'conflicting_parameters'
    | 'unsupported_parameter'
  readonly param: string
  readonly message: string
}

/** Returns the first fault of a parsed body; undefined: it can be forwarded. */
export interface Check {
  (body: unknown): Fault | undefined
  readonly schema: TSchema
}

/** What the gateway needs to know about a request's body. */
export interface RequestFacts {
  /** Undefined where the path names it (gemini). */
  readonly model: string | undefined
  readonly stream: boolean
  /** Calls for a price per call: each choice, image or embedding is one. */
  readonly calls: number
  /** The largest possible number of calls, if above `calls`: sets of images. */
  readonly mostCalls?: number
  /** Upstream ids that this request builds on: only the channel that made them knows them. */
  readonly continues: readonly string[]
  /** Ids, of the upstream or client, of earlier items that are sent whole. */
  readonly wholeIds?: readonly string[]
  /** Top-level fields to add or replace in the forwarded body. */
  readonly amend: { readonly [field: string]: unknown }
  readonly answers: number
  /** The largest limit of each answer, in LLM tokens, that an upstream could read; null: none. */
  readonly maxOutputTokens: number | null
  readonly betas?: readonly string[]
  /** The longest answer without a limit, where known. */
  readonly longestAnswer?: number
  /** Some input is not in the body (a stored prompt, a cache). `media` counts files. */
  readonly hasUnseenInput: boolean
  /** Model calls per answer, at most: each one repeats the context as input. */
  readonly turns: number
  /** The vendor calls the model several times per answer (hosted tools, a shortened context): usage is the sum. */
  readonly takesTurns: boolean
  /** The upstream completes the answer without a reader, and stores it. */
  readonly background?: boolean
  /** The upstream stores the answer for later requests; absent: the answer says so. */
  readonly keepsAnswer?: boolean
  /** Billed features besides text; undefined: none requested. */
  readonly extras?: RequestExtras | undefined
  /** Bounds of vendor-run tools; undefined: none requested. */
  readonly toolBounds?: ToolBounds | undefined
  /** Vendor work that no stream shows; undefined: possibly some. */
  readonly hiddenWork?: () => HiddenWork
  /** Approximate text, computed only to estimate usage. */
  readonly text: () => string
  /** Characters of the JSON body that are not in that text. */
  readonly uncounted: () => number
  /** The non-text input, computed like it. */
  readonly media: (texts?: BodyTexts) => MediaSize
}

/** Model calls with a full context that one answer with vendor-run tools is assumed to take, at most. */
export const hostedTurns = 3

export interface BodyTexts {
  whole(text: string): string
  lengthOf(text: string): number
}

export interface MediaSize {
  readonly tokens: number
  readonly bytes: number
  /** Count and body bytes of images: their cost depends on their size, not their bytes. */
  readonly images: { readonly count: number; readonly bytes: number }
  /** Some have an unknown size: given by address or id, or compressed. */
  readonly isUnseen: boolean
}

/** Observes one answer. Synchronous, one instance per answer, never throws: it skips unknown frames. */
export interface AnswerObserver {
  readonly seen: Observation
  /** Reads one frame of a stream; `json` is the parsed object, if known. `usage-only`: the frame only has usage. */
  push(data: string, event: string, json?: JsonObject): 'pass' | 'usage-only'
  pushBody(body: unknown): void
  /** The protocol's last event, if a stream ended well without it; absent: none is needed. */
  missingEnd?(): string
}

/** An operation of a protocol: an endpoint with its request and answer. */
export interface Operation {
  readonly protocol: ProtocolName
  /** Unique within the protocol; part of records: `completions`, `embeddings`, `generate` … */
  readonly name: string
  readonly embeds?: true
  /** Charged operations leave a request record; others (count_tokens) do not. */
  readonly charged: boolean
  /** Also accepts a multipart form with the fields of the JSON body. */
  readonly takesForm?: true
  readonly check: Check
  /** Reads a body that `check` accepted. The path has gemini's model and `stream`. */
  read(body: JsonObject): RequestFacts
  /** Top-level fields to replace for the upstream's model name. */
  rename(body: JsonObject, upstreamModel: string): { readonly [field: string]: unknown }
  /** Upstream path below the channel's base URL, with the query for `framing`. */
  path(model: string, stream: boolean, framing?: Framing): string
  createObserver(): AnswerObserver
}

/** A gateway error, independent of protocols. */
export interface ProtocolError {
  readonly status: number
  /** The gateway's error code: `model_not_found`, `rate_limited` … */
  readonly code: string
  readonly message: string
  readonly param: string | undefined
  readonly requestId: string
  /** For an error inside a stream: the model as the client named it, … */
  readonly model?: string | undefined
  /** … the time of its request, in seconds since 1970, … */
  readonly createdAt?: number
  /** … and what was observed of the answer so far. */
  readonly answer?: Observation
}

export type Framing = 'sse' | 'json-array'

/** A client's stream: its framing, and its library. */
export interface ClientStream {
  readonly framing: Framing
  /** `x-goog-api-client` or `user-agent`; '' without either. */
  readonly library: string
}

export interface HeartbeatPlace {
  readonly isFirst: boolean
  readonly note?: string
}

export interface Frame {
  readonly event: string
  readonly data: string
  /** Offsets in `whole` of the same result: the frame with its separator. */
  readonly start: number
  readonly end: number
}

/** Splits a byte stream into frames. `whole` is all bytes up to the end of the last frame; the rest waits. */
export interface FrameSplitter {
  push(chunk: Uint8Array): Frames
  /** The upstream has ended: the waiting bytes are the last frame, complete or not. */
  end(): Frames
  /** A frame exceeded the limit: a part of it has passed. */
  isWithinFrame(): boolean
}

export interface Frames {
  readonly whole: Uint8Array
  readonly frames: readonly Frame[]
}

/** One wire protocol as a value: what shared folders know about it. */
export interface Protocol {
  readonly name: ProtocolName
  /** Absolute upstream URL. `base` has the form that the vendor's SDK takes; its query is kept. */
  url(base: string, path: string): string
  keyHeaders(key: string): Readonly<Record<string, string>>
  /** The body of an error answer, as JSON text in the shape that this protocol's SDKs raise. */
  encodeError(error: ProtocolError): string
  /** An error inside a stream, to append after the last whole frame. `first`: no frame has been sent. */
  encodeStreamError(error: ProtocolError, stream: ClientStream, first: boolean): string
  /** Keeps a stream alive between two frames, without changing the conversation. */
  heartbeat(stream: ClientStream, place: HeartbeatPlace): string
  readonly generation: Operation
  /** The token count that is translated; undefined: the protocol has none. */
  readonly counting: Operation | undefined
  /** Headers that an upstream requires, for clients that do not send them. */
  readonly demandedHeaders: Readonly<Record<string, string>>
  /** The header in which its clients expect the request id, besides `x-request-id`. */
  readonly requestIdHeader?: string
  /** The answer's header with its service tier; undefined: its body has it. */
  readonly tierHeader?: string
  /** Queries are settings of the vendor: a client's are not forwarded. */
  readonly hidesQueries?: true
  /** Paths of empty parts, which the vendor rejects; absent: it accepts them. */
  emptyParts?(body: JsonObject): readonly Path[]
  /** Rank among channels for clients of other protocols: the first carries the most. */
  readonly fidelity: number
  readonly spelling: Spelling
  readonly clientHeader?: string
  /** The client's name of the conversation, if a body has one. */
  conversationHint?(body: JsonObject): string | undefined
  readonly impliedRole?: 'user'
  /** Whether an upstream accepts a prompt cache key that the client has not sent; absent: none does. */
  takesCacheKey?(host: string, quirks: ReadonlySet<Quirk>): boolean
  readonly searchesAlways?: true
  /** The error code on which its clients resend a whole conversation; absent: the usual one. */
  readonly unknownConversation?: 'thread_not_found'
  /** The body of a 401, if it differs from the usual one. */
  encodeUnauthenticated?(message: string): string
  readonly operations: { readonly [name: string]: Operation }
  readonly codec: Codec
  /** The usage of a stored report; undefined without a count. */
  decodeUsage(raw: unknown): Usage | undefined
  readonly embedding?: EmbeddingCodec
}
