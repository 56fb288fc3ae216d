/**
 * What the scripted models do, in the words of no protocol: each upstream says it on its own wire,
 * and reads requests back into these. A test names its play in the first thing its user says.
 */
export type Piece =
  | { readonly type: 'text'; readonly text: string }
  | ReasoningPiece
  | CallPiece
  | { readonly type: 'refusal'; readonly text: string }

/** One stretch of reasoning. */
export interface ReasoningPiece {
  readonly type: 'reasoning'
  readonly text: string
  /** What the vendor wants back unchanged; undefined where it has no such thing (chat). */
  readonly signature?: string | undefined
  readonly isRedacted?: boolean
  /** The call that carries the signature (gemini). */
  readonly callId?: string
}

/** A call of a tool. */
export interface CallPiece {
  readonly type: 'call'
  readonly id: string
  readonly name: string
  readonly input: unknown
}

/** What a user's turn may hold beside text. */
export type AskedPiece =
  | Piece
  | { readonly type: 'image'; readonly data?: string; readonly url?: string }
  | { readonly type: 'result'; readonly callId: string; readonly text: string }

/** All that one side says in a row. */
export interface Turn {
  readonly role: 'user' | 'assistant'
  readonly pieces: readonly AskedPiece[]
}

/** A request as its upstream has understood it. */
export interface Asked {
  readonly stream: boolean
  readonly system: string
  readonly turns: readonly Turn[]
  readonly tools: readonly string[]
  readonly toolChoice: 'auto' | 'none' | 'required' | { readonly name: string } | undefined
  /** At most one call at a time. */
  readonly sequential: boolean
  readonly schema: unknown
  readonly maxTokens: number | undefined
  readonly temperature: number | undefined
  readonly stop: readonly string[] | undefined
}

/** Why an answer ends. */
export type Finish = 'stop' | 'stop-sequence' | 'length' | 'calls' | 'refusal'

/** What the model says. */
export interface Reply {
  readonly pieces: readonly Piece[]
  readonly finish: Finish
}

/** What a vendor does with a request. */
export type Play =
  | ({ readonly kind: 'answer' } & Reply)
  /** An error status instead of an answer. */
  | { readonly kind: 'fault'; readonly status: number; readonly message: string }
  /** An answer that ends with an error, where it is streamed. */
  | ({ readonly kind: 'breaks'; readonly message: string } & Reply)
  /** A streamed answer that takes its time. */
  | ({ readonly kind: 'slow' } & Reply)

/** What a vendor adds to the script. */
export interface Cast {
  /** The vendor's proof of its reasoning: other bytes for each number. */
  readonly sign: (number: number) => string | undefined
  /** Reasoning that is withheld, where the vendor does such a thing. */
  readonly withheld: readonly ReasoningPiece[]
  /** How it says no. */
  readonly refusal: Reply
  /** What of its answers it wants back as it was. */
  readonly wanted: (pieces: readonly Piece[]) => readonly AskedPiece[]
}

/** What an answer used: disjoint, but for the reasoning, which is part of the output. */
export interface Counts {
  readonly input: number
  readonly cacheRead: number
  readonly cacheWrite: number
  readonly output: number
  readonly reasoning: number
}
