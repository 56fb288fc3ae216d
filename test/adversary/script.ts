/** The endpoints that a customer asks. */
export const endpoints = [
  'chat',
  'responses',
  'messages',
  'gemini',
  'completions',
  'embeddings',
  'gemini-embeddings',
  'images',
  'edits',
] as const
export type Endpoint = (typeof endpoints)[number]

/** What the vendor does with a request, told to it beside the body. Tokens are LLM tokens. */
export interface Plan {
  /** Words that are written: of one token each. */
  readonly words: number
  /** Thinking that nobody sees. */
  readonly reasoning?: number
  /** Input beside the words of the prompt: files by address, what tools found. */
  readonly hiddenInput?: number
  /** Of the words of the prompt, what a cache gives or takes. */
  readonly cacheRead?: number
  readonly cacheWrite?: number
  readonly cacheWrite1h?: number
  /** Tokens of sound or pictures, of the input or of the output. */
  readonly audioIn?: number
  readonly imageIn?: number
  readonly audioOut?: number
  /** Uses of a hosted tool, where the request lets it: only the first that is offered. */
  readonly uses?: number
  /** Answers with this status before anything is made. */
  readonly fails?: number
  /** Breaks the stream off at this beat. */
  readonly breaksAt?: number
  /** Answers with a stream where a whole answer was asked for, and the other way round. */
  readonly otherForm?: boolean
  /** Writes on over the limit that the request states. */
  readonly overruns?: boolean
  /** Milliseconds from one beat to the next. */
  readonly pace?: number
  /** The tier that answers, where the request leaves the choice to the vendor. */
  readonly tier?: string
}

/** When a customer leaves. */
export interface Leave {
  /** The vendor's beat: 0 is before the first byte. The vendor waits there until the customer has left. */
  readonly beat: number
  /** Thousandths of the bytes of that beat that are written before it waits. */
  readonly part?: number
  /** The customer reads first what is there. */
  readonly reads?: boolean
}

/** One request, as plain data. */
export interface Ask {
  readonly endpoint: Endpoint
  readonly model: string
  readonly stream?: boolean
  /** Words of the prompt. */
  readonly words: number
  readonly limit?: number
  /** A second limit in the protocol's other spelling. */
  readonly otherLimit?: number
  /** Answers, pictures or inputs that are asked for. */
  readonly units?: number
  /** Goes on with what this step has stored. */
  readonly after?: number
  readonly background?: boolean
  /** Says how hard it is to think. */
  readonly effort?: boolean
  /** Asks for sound beside the text. */
  readonly speaks?: boolean
  readonly tools?: readonly string[]
  /** The tool must be used. */
  readonly mustUse?: boolean
  /** `service_tier`, or Anthropic's `speed` and `inference_geo`. */
  readonly tier?: string
  readonly speed?: string
  readonly partials?: number
  /**
   * Names a document by its address, in a part that the gateway knows or in one of tomorrow's, or what is
   * kept of a prompt: nobody sees how long it is.
   */
  readonly names?: 'document' | 'prompt' | 'strange'
  /** So many calls of a tool, without a word in them, come before the question. */
  readonly calls?: number
  /** Ends the answer where it says this. */
  readonly stop?: string
  /** Over a WebSocket of its own, which the customer closes when it leaves; `warm`: prepared first. */
  readonly socket?: 'plain' | 'warm'
  /** Members put into the body as they are, over all others. */
  readonly extra?: { readonly [name: string]: unknown }
  /** How the body is written, so that two readers may read it two ways. */
  readonly trick?: Trick
  readonly plan: Plan
  readonly leave?: Leave
}

export const tricks = [
  'folded-stream',
  'folded-model',
  'folded-setting',
  'two-dispositions',
  'two-models',
] as const
export type Trick = (typeof tricks)[number]

/** What a customer does. `id` names the step, `by` is the account. */
export type Step =
  | {
      readonly do: 'ask'
      readonly id: number
      readonly by: number
      readonly ask: Ask
      /** So many of it at once. */
      readonly times?: number
      /** Once more with the same body, when it has ended. */
      readonly again?: number
    }
  | {
      readonly do: 'fetch' | 'delete'
      readonly by: number
      readonly of: number
      readonly times?: number
    }
  /** Steps at the same time. */
  | { readonly do: 'together'; readonly steps: readonly Step[] }
  | { readonly do: 'pause'; readonly ms: number }

/** Where data is kept: a file, or a server that two nodes share. */
export type StoreKind = 'sqlite' | 'workers' | 'postgres'

export type Policy = 'drain' | 'observed'

export interface Customer {
  readonly policy: Policy
  /** Thousandths. */
  readonly multiplier: number
  /** Opening balance in nano-USD. */
  readonly balance: number
  readonly concurrency?: number
  readonly rpm?: number
  /** USD that its token may spend. */
  readonly budget?: number
}

/** A run: customers made by chance, and what they do. */
export interface Script {
  readonly seed: string
  readonly kinds: readonly string[]
  readonly customers: readonly Customer[]
  readonly steps: readonly Step[]
}
