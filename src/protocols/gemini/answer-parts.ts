import type { ImagePart, SearchPart, TokenLogprob, ToolCallPart } from '../canonical/request.ts'
import type { JsonObject } from '../protocol.ts'
import type { CitedText } from './citations.ts'
import { encodeGrounding } from './citations.ts'
import { encodeArguments } from './encode-turns.ts'
import { encodeLogprobs } from './logprobs.ts'
import { encodeMedia } from './media.ts'
import { wrapSignatures } from './signature.ts'

/**
 * What of one answer waits for its place: signatures for the next call, which is what clients send
 * back (many drop the thoughts), and sources for the last chunk.
 */
export interface AnswerState {
  readonly signatures: string[]
  readonly cited: CitedText[]
  readonly searches: SearchPart[]
}

/** Nothing waits. */
export function createAnswerState(): AnswerState {
  return { signatures: [], cited: [], searches: [] }
}

/** The signatures that wait, as a field of the part that takes them. */
export function takeSignatures({ signatures }: AnswerState): JsonObject {
  return signatures.length === 0 ? {} : { thoughtSignature: wrapSignatures(signatures.splice(0)) }
}

/**
 * The last parts of an answer with the signatures that still wait: on a text, where the vendor has them, or
 * in an empty one of their own. An answer without any has one too: there are clients that look for it.
 */
export function signLast(parts: readonly JsonObject[], state: AnswerState): readonly JsonObject[] {
  const last = parts.at(-1)
  if (state.signatures.length === 0 && parts.length > 0) return parts
  const canSign = typeof last?.text === 'string' && last.thought !== true
  if (!canSign) return [...parts, { text: '', ...takeSignatures(state) }]
  return [...parts.slice(0, -1), { ...last, ...takeSignatures(state) }]
}

/** A call as a part; it takes the signatures that wait. */
export function encodeCallPart(
  { callId: id, name, kind, input }: Pick<ToolCallPart, 'callId' | 'name' | 'kind' | 'input'>,
  state: AnswerState,
): JsonObject {
  return {
    functionCall: { id, name, args: encodeArguments(kind, input) },
    ...takeSignatures(state),
  }
}

/** An image as a part. */
export function encodeImagePart(image: ImagePart): JsonObject {
  return encodeMedia(image)
}

/** What a candidate has beside its content at its end. */
export function encodeSources({ cited, searches }: AnswerState): JsonObject {
  const groundingMetadata = encodeGrounding(cited, searches)
  return groundingMetadata === undefined ? {} : { groundingMetadata }
}

/** Probabilities as a candidate's field. */
export function logprobsField(logprobs: readonly TokenLogprob[] | undefined): JsonObject {
  return logprobs === undefined || logprobs.length === 0
    ? {}
    : { logprobsResult: encodeLogprobs(logprobs) }
}
