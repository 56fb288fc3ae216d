import type { EncodeContext } from '../canonical/codec.ts'
import type { SearchPart, TokenLogprob, ToolCallPart } from '../canonical/request.ts'
import type { CanonicalResponse, Choice, FinishReason } from '../canonical/response.ts'
import { emptyUsage, type Usage } from '../canonical/usage.ts'
import type { JsonObject } from '../protocol.ts'
import { type CitedText, encodeGrounding, encodeLogprobs } from './citations.ts'
import { encodeArguments } from './encode-request.ts'
import { statusWord } from './errors.ts'
import { encodeMedia } from './media.ts'
import { wrapSignatures } from './signature.ts'
import { encodeUsage } from './usage.ts'

/** A whole answer. Signatures are put where clients of this protocol send them back. */
export function encodeAnswer(response: CanonicalResponse, context: EncodeContext): JsonObject {
  const { choices, usage, error } = response
  if (error !== undefined && choices.length === 0) {
    const { message, status = 502 } = error
    return { error: { code: status, message, status: statusWord(status) } }
  }
  return {
    candidates: choices.map(encodeChoice),
    usageMetadata: reportUsage(usage, context),
    modelVersion: context.model,
    responseId: response.id ?? context.requestId,
  }
}

/** The usage of a whole answer. Without one from the upstream, the input is the estimate. */
export function reportUsage(usage: Usage | undefined, context: EncodeContext): JsonObject {
  return encodeUsage(usage ?? { ...emptyUsage, inputTokens: context.estimatedInputTokens })
}

function encodeChoice({ index, parts, finish }: Choice): JsonObject {
  const state = createAnswerState()
  const encoded: JsonObject[] = []
  const logprobs: TokenLogprob[] = []
  for (const part of parts) {
    switch (part.type) {
      case 'text':
        if (part.citations) state.cited.push({ text: part.text, citations: part.citations })
        for (const token of part.logprobs ?? []) logprobs.push(token)
        if (part.text !== '') encoded.push({ text: part.text })
        break
      case 'refusal':
        if (part.text !== '') encoded.push({ text: part.text })
        break
      case 'reasoning':
        if (part.text !== '') encoded.push({ text: part.text, thought: true })
        if (part.signature !== undefined) state.signatures.push(part.signature)
        break
      case 'tool-call':
        encoded.push(encodeCallPart(part, state))
        break
      case 'search':
        state.searches.push(part)
        break
      case 'image':
        encoded.push(encodeMedia(part))
    }
  }
  return {
    content: { parts: signLast(encoded, state), role: 'model' },
    finishReason: finishWords[finish.reason],
    index,
    ...encodeGrounding(state.cited, state.searches),
    ...encodeLogprobs(logprobs),
  }
}

/** The vendor's words for the end of an answer. */
export const finishWords: { readonly [reason in FinishReason]: string } = {
  stop: 'STOP',
  'tool-calls': 'STOP',
  length: 'MAX_TOKENS',
  filter: 'SAFETY',
  refusal: 'SAFETY',
  failed: 'MALFORMED_RESPONSE',
  pause: 'OTHER',
  other: 'OTHER',
}

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
function takeSignatures({ signatures }: AnswerState): JsonObject {
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
