import type { CanonicalError } from './error.ts'
import type {
  Citation,
  ImagePart,
  ReasoningPart,
  RefusalPart,
  SearchPart,
  ServiceTier,
  TextPart,
  TokenLogprob,
  ToolCallPart,
  ToolKind,
} from './request.ts'
import type { Usage } from './usage.ts'

export interface CanonicalResponse {
  readonly id?: string | undefined
  readonly model?: string | undefined
  /** Seconds since 1970. */
  readonly createdAt?: number | undefined
  readonly choices: readonly Choice[]
  readonly usage?: Usage | undefined
  readonly serviceTier?: ServiceTier | undefined
  readonly error?: CanonicalError | undefined
}

export interface Choice {
  readonly index: number
  readonly parts: readonly AnswerPart[]
  readonly finish: Finish
}

export type AnswerPart =
  | TextPart
  | ReasoningPart
  | RefusalPart
  | ToolCallPart
  | SearchPart
  | ImagePart

export interface Finish {
  readonly reason: FinishReason
  readonly stopSequence?: string | undefined
}

/** `filter`: withheld by the vendor. `pause`: the client continues (messages). `failed`: the vendor gave up. */
export type FinishReason =
  | 'stop'
  | 'length'
  | 'tool-calls'
  | 'refusal'
  | 'filter'
  | 'pause'
  | 'failed'
  | 'other'

/**
 * A streamed answer between all protocols, event by event:
 *
 *     start (block)* finish+ end        or, at any place after start, error
 *     block = X-start X-delta* X-end    X: text, reasoning, refusal, tool-call
 *           | search-start search-end   a search that the vendor runs
 *           | image
 *
 * `id` names the block from its start to its end, unique within the answer. Blocks may overlap
 * (parallel tool calls, answers side by side); the writer of a protocol where they can't puts them
 * one after the other (`block-order.ts`). There is one `finish` for each choice.
 */
export type AnswerEvent =
  | StartEvent
  | (BlockEvent & { readonly id: string })
  | { readonly type: 'image'; readonly choice: number; readonly image: ImagePart }
  | ({ readonly type: 'finish'; readonly choice: number } & Finish)
  | {
      readonly type: 'end'
      readonly usage?: Usage | undefined
      readonly serviceTier?: ServiceTier | undefined
    }
  | { readonly type: 'error'; readonly error: CanonicalError }

export type EventOf<Type extends AnswerEvent['type']> = Extract<
  AnswerEvent,
  { readonly type: Type }
>

export interface StartEvent {
  readonly type: 'start'
  readonly id?: string | undefined
  readonly model?: string | undefined
  readonly createdAt?: number | undefined
  readonly usage?: Usage | undefined
}

type BlockEvent =
  | { readonly type: 'text-start'; readonly choice: number }
  | {
      readonly type: 'text-delta'
      readonly text: string
      readonly logprobs?: readonly TokenLogprob[] | undefined
    }
  | { readonly type: 'text-end'; readonly citations?: readonly Citation[] | undefined }
  | { readonly type: 'reasoning-start'; readonly choice: number }
  | { readonly type: 'reasoning-delta'; readonly text: string }
  | {
      readonly type: 'reasoning-end'
      readonly signature?: string | undefined
      readonly isRedacted?: boolean | undefined
      readonly itemId?: string | undefined
      /** The signature belongs to the call that follows (gemini). */
      readonly callId?: string | undefined
    }
  | { readonly type: 'refusal-start'; readonly choice: number }
  | { readonly type: 'refusal-delta'; readonly text: string }
  | { readonly type: 'refusal-end' }
  | {
      readonly type: 'tool-call-start'
      readonly choice: number
      readonly callId: string
      readonly name: string
      readonly kind: ToolKind
    }
  /** The next piece of the arguments' JSON text, or of a custom tool's input. */
  | { readonly type: 'tool-call-delta'; readonly text: string }
  | { readonly type: 'tool-call-end' }
  | { readonly type: 'search-start'; readonly choice: number }
  | { readonly type: 'search-end'; readonly search: SearchPart }
