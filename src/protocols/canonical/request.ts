import type { JsonObject } from '../protocol.ts'
import type { NativeFeature } from '../translation/features.ts'

/**
 * A request independent of protocols. Undefined fields were not set. `at` is a field's path as the client wrote
 * it, for error messages.
 */
export interface CanonicalRequest {
  readonly model: string
  readonly stream: boolean
  /** Consecutive messages of one role are one turn. Leading instructions are the system prompt. */
  readonly turns: readonly Turn[]
  readonly tools: readonly Tool[]
  /** The vendor's web search, also listed in `native`; only one of the two is used. */
  readonly webSearch?: WebSearch | undefined
  readonly toolChoice?: ToolChoice | undefined
  /** Undefined: the vendor's default, true everywhere. */
  readonly parallelToolCalls?: boolean | undefined
  readonly format?: OutputFormat | undefined
  readonly reasoning?: ReasoningSettings | undefined
  /** Per answer, in LLM tokens, reasoning included. */
  readonly maxOutputTokens?: number | undefined
  readonly stop?: readonly string[] | undefined
  readonly temperature?: number | undefined
  readonly topP?: number | undefined
  readonly topK?: number | undefined
  readonly presencePenalty?: number | undefined
  readonly frequencyPenalty?: number | undefined
  readonly seed?: number | undefined
  readonly logitBias?: Readonly<Record<string, number>> | undefined
  /** Alternatives per token; 0: the chosen token only. */
  readonly logprobs?: number | undefined
  readonly choices?: number | undefined
  readonly metadata?: Readonly<Record<string, string>> | undefined
  /** The client's end user: `user`, `safety_identifier`, `metadata.user_id`. */
  readonly userId?: string | undefined
  readonly serviceTier?: ServiceTier | undefined
  readonly promptCacheKey?: string | undefined
  readonly verbosity?: 'low' | 'medium' | 'high' | undefined
  readonly native: readonly NativeUse[]
}

export type Setting = Exclude<
  keyof CanonicalRequest,
  'model' | 'stream' | 'turns' | 'tools' | 'webSearch' | 'native'
>

export interface NativeUse {
  readonly feature: NativeFeature
  readonly at: string
}

export type Note = (feature: NativeFeature, at: string) => void

/** A note function and what it collects. */
export function createNotes(): { readonly note: Note; readonly uses: readonly NativeUse[] } {
  const uses: NativeUse[] = []
  return { uses, note: (feature, at) => void uses.push({ feature, at }) }
}

export type Role = 'system' | 'developer' | 'user' | 'assistant'

export interface Turn {
  readonly role: Role
  /** Never empty, except for an assistant or user turn that the client sent empty. */
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

/** How long the prompt up to this part is cached. */
export type CacheHint = '5m' | '1h'

interface PartBase {
  readonly at?: string | undefined
  readonly cache?: CacheHint | undefined
}

export interface TextPart extends PartBase {
  readonly type: 'text'
  readonly text: string
  readonly citations?: readonly Citation[] | undefined
  readonly logprobs?: readonly TokenLogprob[] | undefined
  readonly name?: string | undefined
}

/** Base64 bytes, or an address. */
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

/** A stretch of reasoning: its visible text, and the form its vendor wants back. */
export interface ReasoningPart extends PartBase {
  readonly type: 'reasoning'
  /** The text or its summary; '' where it is hidden. */
  readonly text: string
  /** A signature, or encrypted reasoning; on the client's side a seal (`translation/seal.ts`). */
  readonly signature?: string | undefined
  /** The vendor withheld the text; only the signature remains (messages: `redacted_thinking`). */
  readonly isRedacted?: boolean | undefined
  readonly id?: string | undefined
  /** The signature belongs to the call that follows (gemini). */
  readonly callId?: string | undefined
  /** Unsigned, but a seal proves that it is of the target's vendor. */
  readonly isOwn?: boolean | undefined
}

export interface RefusalPart extends PartBase {
  readonly type: 'refusal'
  readonly text: string
}

export interface ToolCallPart extends PartBase {
  readonly type: 'tool-call'
  readonly callId: string
  readonly name: string
  readonly kind: ToolKind
  readonly input: string
}

export interface ToolResultPart extends PartBase {
  readonly type: 'tool-result'
  readonly callId: string
  /** Copied from the call where a protocol omits it. */
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
  /** JSON schema of the arguments; undefined: none. Functions only. */
  readonly parameters?: JsonObject | undefined
  readonly strict?: boolean | undefined
  /** Grammar of a custom tool's input; undefined: any text. */
  readonly grammar?: { readonly syntax: string; readonly definition: string } | undefined
  /** Its set of tools (responses' `namespace`). */
  readonly namespace?: string | undefined
}

export interface WebSearch {
  /** Paths of the search: first the tool, then all other fields about it. */
  readonly places: readonly string[]
  readonly others: readonly string[]
  readonly allowedDomains?: readonly string[] | undefined
  readonly blockedDomains?: readonly string[] | undefined
  readonly location?: SearchLocation | undefined
  readonly maxUses?: number | undefined
  readonly contextSize?: 'low' | 'medium' | 'high' | undefined
}

/** The user's approximate location. */
export interface SearchLocation {
  readonly city?: string | undefined
  readonly region?: string | undefined
  /** ISO 3166-1, two letters. */
  readonly country?: string | undefined
  readonly timezone?: string | undefined
}

export type ToolChoice =
  | { readonly type: 'auto' | 'none' | 'required' }
  | { readonly type: 'tool'; readonly name: string }
  | { readonly type: 'search' }
  /** Only these tools; `isRequired`: one of them must be called. */
  | { readonly type: 'allowed'; readonly names: readonly string[]; readonly isRequired: boolean }

export type OutputFormat =
  /** `isAny`: arrays are allowed besides objects. */
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
  /** Undefined: the vendor's default. `auto`: the model decides. */
  readonly amount?:
    | { readonly type: 'off' | 'auto' }
    | { readonly type: 'effort'; readonly effort: Effort }
    | { readonly type: 'budget'; readonly tokens: number }
    | undefined
  /** Whether the answer includes its text or a summary; undefined: the vendor's default. */
  readonly show?: 'none' | 'auto' | 'concise' | 'detailed' | undefined
}

export type ServiceTier = 'auto' | 'default' | 'flex' | 'priority'

/** A search that the vendor ran for an answer. */
export interface SearchPart {
  readonly type: 'search'
  readonly queries: readonly string[]
  readonly results: readonly SearchResult[]
  /** The vendor's error word; undefined: the search succeeded. */
  readonly error?: string | undefined
}

export interface SearchResult {
  readonly url: string
  readonly title?: string | undefined
  readonly age?: string | undefined
}

/** A source that an answer cites. */
export type Citation =
  | {
      readonly type: 'url'
      readonly url: string
      readonly title?: string | undefined
      /** The cited part of the answer's text: UTF-16 offsets, end exclusive. */
      readonly start?: number | undefined
      readonly end?: number | undefined
      readonly citedText?: string | undefined
    }
  | {
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
