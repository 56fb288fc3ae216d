import type { CanonicalError } from './error.ts'
import type {
  ImagePart,
  ReasoningPart,
  RefusalPart,
  SearchPart,
  ServiceTier,
  TextPart,
  ToolCallPart,
} from './request.ts'
import type { Usage } from './usage.ts'

/** A whole answer between all protocols. */
export interface CanonicalResponse {
  /** The upstream's id of it. */
  readonly id?: string | undefined
  /** The model as the upstream names it. */
  readonly model?: string | undefined
  /** Seconds since 1970. */
  readonly createdAt?: number | undefined
  /** At least one, but for an answer that is an error. */
  readonly choices: readonly Choice[]
  readonly usage?: Usage | undefined
  readonly serviceTier?: ServiceTier | undefined
  /** The upstream failed after all, with status 200. */
  readonly error?: CanonicalError | undefined
}

/** One of the answers side by side. */
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

/** Why an answer ended. */
export interface Finish {
  readonly reason: FinishReason
  /** The stop sequence that ended it, where the upstream tells. */
  readonly stopSequence?: string | undefined
}

/**
 * `stop`: came to its end, or to a stop sequence. `length`: a limit of tokens. `filter`: withheld or
 * cut by the vendor's filter. `pause`: the vendor wants to be asked to go on (messages). `failed`:
 * the vendor gave up in the middle.
 */
export type FinishReason =
  | 'stop'
  | 'length'
  | 'tool-calls'
  | 'refusal'
  | 'filter'
  | 'pause'
  | 'failed'
  | 'other'
