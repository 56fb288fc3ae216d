import type { EncodeContext } from '../canonical/codec.ts'
import type { TokenLogprob } from '../canonical/request.ts'
import type { CanonicalResponse, Choice } from '../canonical/response.ts'
import type { JsonObject } from '../protocol.ts'
import {
  createAnswerState,
  encodeCallPart,
  encodeImagePart,
  encodeSources,
  logprobsField,
  signLast,
} from './answer-parts.ts'
import { encodeUpstreamError } from './error.ts'
import { encodeFinish } from './finish.ts'
import { reportUsage } from './usage.ts'

/** A whole answer. Signatures are put where clients of this protocol send them back. */
export function encodeResponse(response: CanonicalResponse, context: EncodeContext): JsonObject {
  const { choices, usage, error } = response
  if (error !== undefined && choices.length === 0) return encodeUpstreamError(error)
  return {
    candidates: choices.map(encodeChoice),
    usageMetadata: reportUsage(usage, context),
    modelVersion: context.model,
    responseId: response.id ?? context.requestId,
  }
}

function encodeChoice({ index, parts, finish }: Choice): JsonObject {
  const state = createAnswerState()
  const encoded: JsonObject[] = []
  const logprobs: TokenLogprob[] = []
  for (const part of parts) {
    switch (part.type) {
      case 'text':
        if (part.text !== '') encoded.push({ text: part.text })
        if (part.citations) state.cited.push({ text: part.text, citations: part.citations })
        for (const token of part.logprobs ?? []) logprobs.push(token)
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
        encoded.push(encodeImagePart(part))
    }
  }
  return {
    content: { parts: signLast(encoded, state), role: 'model' },
    finishReason: encodeFinish(finish.reason),
    index,
    ...encodeSources(state),
    ...logprobsField(logprobs),
  }
}
