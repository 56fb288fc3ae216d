import type { JsonObject } from '../protocol.ts'
import type { NativeFeature } from '../translation/features.ts'

/**
 * A request between all protocols. What is undefined was not asked for. `at` is the field's path as the client
 * wrote it, for messages to it.
 */
export interface CanonicalRequest {
  readonly model: string
  readonly stream: boolean
  /**
   * The conversation in order: neighbours of the role user are one turn, and so are those of the assistant.
   * Instructions before them are the system prompt.
   */
  readonly turns: readonly Turn[]
  readonly tools: readonly Tool[]
  /** The vendor's own search, beside what `native` says of it: only one of them is acted by. */
  readonly webSearch?: WebSearch | undefined
  readonly toolChoice?: ToolChoice | undefined
  /** Undefined: the vendor's default, which is true everywhere. */
  readonly parallelToolCalls?: boolean | undefined
  readonly format?: OutputFormat | undefined
  readonly reasoning?: ReasoningSettings | undefined
  /** Of one answer, in LLM tokens, reasoning included. */
  readonly maxOutputTokens?: number | undefined
  readonly stop?: readonly string[] | undefined
  readonly temperature?: number | undefined
  readonly topP?: number | undefined
  readonly topK?: number | undefined
  readonly presencePenalty?: number | undefined
  readonly frequencyPenalty?: number | undefined
  readonly seed?: number | undefined
  /** The vendor's token id → bias. */
  readonly logitBias?: Readonly<Record<string, number>> | undefined
  /** How many alternatives to tell with each token's probability; 0: its own only. */
  readonly logprobs?: number | undefined
  readonly choices?: number | undefined
  readonly metadata?: Readonly<Record<string, string>> | undefined
  /** Who asks, on the client's side: `user`, `safety_identifier`, `metadata.user_id`. */
  readonly userId?: string | undefined
  readonly serviceTier?: ServiceTier | undefined
  readonly promptCacheKey?: string | undefined
  readonly verbosity?: 'low' | 'medium' | 'high' | undefined
  /** What only the client's own protocol can say, by feature. */
  readonly native: readonly NativeUse[]
}

/** The settings of a request that stand alone. */
export type Setting = Exclude<
  keyof CanonicalRequest,
  'model' | 'stream' | 'turns' | 'tools' | 'webSearch' | 'native'
>

/** A use of something that only one protocol has. */
export interface NativeUse {
  readonly feature: NativeFeature
  readonly at: string
}

/** Notes such a use, by its path. */
export type Note = (feature: NativeFeature, at: string) => void

export type Role = 'system' | 'developer' | 'user' | 'assistant'

export interface Turn {
  readonly role: Role
  /** Never empty, but for an assistant or user turn that the client sent empty. */
  readonly parts: readonly Part[]
}

export type Part =
  | TextPart
  | ImagePart
  | DocumentPart
  | AudioPart
  | VideoPart
  | ReasoningPart
  | RefusalPart
  | ToolCallPart
  | ToolResultPart

/** How long the prompt up to and with this part is to be cached. */
export type CacheHint = '5m' | '1h'

interface PartBase {
  readonly at?: string | undefined
  readonly cache?: CacheHint | undefined
}

export interface TextPart extends PartBase {
  readonly type: 'text'
  readonly text: string
  /** Sources that an answer names. */
  readonly citations?: readonly Citation[] | undefined
  /** In answers, when they were asked for. */
  readonly logprobs?: readonly TokenLogprob[] | undefined
  readonly name?: string | undefined
}

/** Bytes in base64, or where they are. */
export type MediaSource =
  | { readonly type: 'data'; readonly mediaType: string; readonly data: string }
  | { readonly type: 'url'; readonly url: string; readonly mediaType?: string | undefined }

export interface ImagePart extends PartBase {
  readonly type: 'image'
  readonly source: MediaSource
  readonly detail?: 'low' | 'high' | 'auto' | 'original' | undefined
}

export interface DocumentPart extends PartBase {
  readonly type: 'document'
  readonly source: MediaSource | { readonly type: 'text'; readonly text: string }
  readonly title?: string | undefined
  /** What the model is told about the document (messages). */
  readonly context?: string | undefined
  /** The answer shall cite it (messages). */
  readonly isCited?: boolean | undefined
}

export interface AudioPart extends PartBase {
  readonly type: 'audio'
  readonly source: MediaSource
}

export interface VideoPart extends PartBase {
  readonly type: 'video'
  readonly source: MediaSource
}

/** One stretch of reasoning of the model, as it was shown and as its vendor wants it back. */
export interface ReasoningPart extends PartBase {
  readonly type: 'reasoning'
  /** The text or its summary; '' where it is hidden. */
  readonly text: string
  /** A signature, or the encrypted reasoning; on the client's side a seal (`translation/seal.ts`). */
  readonly signature?: string | undefined
  /** The vendor withheld the text; the signature is all there is (messages: `redacted_thinking`). */
  readonly isRedacted?: boolean | undefined
  /** The vendor's id of the item (responses). */
  readonly id?: string | undefined
  /** The signature belongs to this call, which follows (gemini). */
  readonly callId?: string | undefined
  /** Without a signature, and yet surely of the vendor that the request goes to (a seal says so). */
  readonly isOwn?: boolean | undefined
}

/** The model declined to answer, in its words. */
export interface RefusalPart extends PartBase {
  readonly type: 'refusal'
  readonly text: string
}

export interface ToolCallPart extends PartBase {
  readonly type: 'tool-call'
  readonly callId: string
  readonly name: string
  /** `function`: JSON text of the arguments' object. `custom`: free text. */
  readonly kind: ToolKind
  readonly input: string
}

export interface ToolResultPart extends PartBase {
  readonly type: 'tool-result'
  readonly callId: string
  /** Of the tool, filled in by the call where a protocol does not tell it. */
  readonly name: string
  readonly kind: ToolKind
  readonly isError?: boolean | undefined
  readonly parts: readonly (TextPart | ImagePart | DocumentPart)[]
}

export type ToolKind = 'function' | 'custom'

export interface Tool {
  readonly at?: string | undefined
  readonly cache?: CacheHint | undefined
  readonly kind: ToolKind
  readonly name: string
  readonly description?: string | undefined
  /** JSON schema of the arguments; undefined: none are told. Only for functions. */
  readonly parameters?: JsonObject | undefined
  readonly strict?: boolean | undefined
  /** Of a custom tool's input; undefined: any text. */
  readonly grammar?: { readonly syntax: string; readonly definition: string } | undefined
  /** The set of tools that this one belongs to (responses' `namespace`). */
  readonly namespace?: string | undefined
}

/** A search of the web that the vendor runs, where the model finds it right. */
export interface WebSearch {
  /** Where the client asks for it: first the tool itself, then all else that is said by these fields. */
  readonly places: readonly string[]
  /** Fields of the tool that no other protocol has. */
  readonly others: readonly string[]
  readonly allowedDomains?: readonly string[] | undefined
  readonly blockedDomains?: readonly string[] | undefined
  readonly location?: SearchLocation | undefined
  readonly maxUses?: number | undefined
  /** How much of what is found the model is shown. */
  readonly contextSize?: 'low' | 'medium' | 'high' | undefined
}

/** Where the user is, roughly. */
export interface SearchLocation {
  readonly city?: string | undefined
  readonly region?: string | undefined
  /** Two letters of ISO 3166-1. */
  readonly country?: string | undefined
  /** An IANA name. */
  readonly timezone?: string | undefined
}

export type ToolChoice =
  | { readonly type: 'auto' | 'none' | 'required' }
  | { readonly type: 'tool'; readonly name: string }
  /** The vendor's search of the web must be used. */
  | { readonly type: 'search' }
  /** Only these; `isRequired`: one of them must be called. */
  | { readonly type: 'allowed'; readonly names: readonly string[]; readonly isRequired: boolean }

export type OutputFormat =
  /** `isAny`: an array is as good as an object. */
  | { readonly type: 'json'; readonly isAny?: true | undefined }
  | {
      readonly type: 'schema'
      readonly at?: string | undefined
      readonly name?: string | undefined
      readonly description?: string | undefined
      readonly schema: JsonObject
      readonly strict?: boolean | undefined
    }

export const efforts = ['minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const
export type Effort = (typeof efforts)[number]

export interface ReasoningSettings {
  /** How much; undefined: the vendor's default. `auto`: as much as the model finds right. */
  readonly amount?:
    | { readonly type: 'off' | 'auto' }
    | { readonly type: 'effort'; readonly effort: Effort }
    /** LLM tokens. */
    | { readonly type: 'budget'; readonly tokens: number }
    | undefined
  /** Whether its text, or a summary of it, is part of the answer; undefined: the vendor's default. */
  readonly show?: 'none' | 'auto' | 'concise' | 'detailed' | undefined
}

export type ServiceTier = 'auto' | 'default' | 'flex' | 'priority'

/** A search that the vendor has run for an answer. */
export interface SearchPart {
  readonly type: 'search'
  readonly queries: readonly string[]
  readonly results: readonly SearchResult[]
  /** Why it found nothing, in the vendor's word; undefined: it went well. */
  readonly error?: string | undefined
}

/** A page that was found. */
export interface SearchResult {
  readonly url: string
  readonly title?: string | undefined
  /** How old the page is, in the vendor's words. */
  readonly age?: string | undefined
}

/** A source that an answer names. */
export type Citation =
  | {
      readonly type: 'url'
      readonly url: string
      readonly title?: string | undefined
      /** What of the answer's text it stands behind: UTF-16 offsets, end exclusive. */
      readonly start?: number | undefined
      readonly end?: number | undefined
      readonly citedText?: string | undefined
    }
  | {
      /** A place in a document of the request, in the vendor's own form (messages). */
      readonly type: 'document'
      readonly title?: string | undefined
      readonly citedText?: string | undefined
      readonly raw: JsonObject
    }

export interface TokenLogprob {
  readonly token: string
  readonly logprob: number
  readonly bytes?: readonly number[] | null | undefined
  readonly top: readonly Omit<TokenLogprob, 'top'>[]
}
