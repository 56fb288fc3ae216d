import type { ProtocolName } from '../../../../src/protocols/protocol.ts'
import type { Target } from '../../sdk-support.ts'
import type { CallPiece, Counts, Finish } from '../conversation.ts'
import { createLine, type Line } from './line.ts'

/** What is asked for beside words, in no SDK's terms. */
export interface Wish {
  readonly stream?: boolean
  readonly system?: string
  readonly maxTokens?: number
  readonly temperature?: number
  readonly stop?: readonly string[]
  /** The tool `get_weather`. */
  readonly tools?: boolean
  readonly toolChoice?: 'auto' | 'none' | 'required' | { readonly name: string }
  /** At most one call at a time. */
  readonly sequential?: boolean
  /** An answer of the place's schema. */
  readonly schema?: boolean
  /** `shown`: its text, too, where the client can ask for that. */
  readonly reasoning?: 'plain' | 'shown'
  /** Something that only this client's own protocol has, and that others leave out. */
  readonly hint?: boolean
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
  /** Called with each piece of text of a streamed answer. */
  readonly onText?: (text: string) => void
}

/** What a user says: words, or an image by its data (a PNG in base64) or address. */
export type Content = string | { readonly data: string } | { readonly url: string }

/** What came of a call: text, or a PNG in base64. */
export type Result = string | { readonly data: string }

/** An answer as its SDK shows it. */
export interface Shown {
  readonly model: string | undefined
  readonly text: string
  readonly reasoning: string
  readonly refusal: string
  readonly calls: readonly Omit<CallPiece, 'type'>[]
  /** As this SDK names it. */
  readonly finish: string
  readonly usage: Counts
  /** What the SDK's helper for structured output has read. */
  readonly parsed: unknown
}

/** One conversation, which sends back what its SDK sends back by itself. */
export interface Conversation {
  say(...content: readonly Content[]): Promise<Shown>
  /** Answers the calls of the last answer, in their order; by an image where the SDK can. */
  results(...results: readonly Result[]): Promise<Shown>
  /** From now on another model is asked. */
  move(model: string): void
}

/** What an SDK throws. */
export interface Fault {
  readonly name: string
  readonly status: number | undefined
  readonly message: string
}

/** One vendor's SDK before the gateway. */
export interface Client {
  readonly protocol: ProtocolName
  readonly line: Line
  /** How it names the ends of answers. */
  readonly ends: Readonly<Record<Exclude<Finish, 'refusal'>, string>>
  /** Its names of the errors of these statuses, and of one inside of a stream. */
  readonly faults: Readonly<Record<400 | 429 | 502 | 'inside', string>>
  /** The field of what only it has, as the gateway names it. */
  readonly hint: string
  /** What it calls its stop sequences, and one call at a time; undefined: it has none. */
  readonly stop: string | undefined
  readonly sequential: string | undefined
  /** What it can tell of such usage. */
  sees(counts: Counts): Counts
  open(model: string, wish: Wish): Conversation
  /** The fault that something thrown is. */
  fault(error: unknown): Fault
  /** A count of the input of one question; undefined: the SDK has none. */
  readonly count?: (model: string, text: string, wish: Wish) => Promise<number | undefined>
}

/** Makes a client: its key and address, and the line that everything goes through. */
export const connected =
  (protocol: ProtocolName, create: (target: Target, line: Line) => Client) =>
  (target: Target): Client =>
    create(target, createLine(protocol))

/** An error by its class. */
export function faultOf(error: unknown, status: unknown, message?: string): Fault {
  if (!(error instanceof Error)) throw new Error(`Not an error: ${JSON.stringify(error)}`)
  return {
    name: error.constructor.name,
    status: typeof status === 'number' ? status : undefined,
    message: message ?? error.message,
  }
}

/** The one tool that is ever asked for. */
export const toolName = 'get_weather'
export const toolDescription = 'Weather of a place'
