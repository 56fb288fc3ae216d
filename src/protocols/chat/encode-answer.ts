import type { EncodeContext } from '../canonical/codec.ts'
import type { ReasoningPart, TextPart } from '../canonical/request.ts'
import type { AnswerPart, CanonicalResponse, Choice } from '../canonical/response.ts'
import { defined } from '../fields.ts'
import type { JsonObject } from '../protocol.ts'
import {
  encodeAnnotations,
  encodeFinish,
  encodeHead,
  encodeLogprobs,
  reportUsage,
  shiftCitations,
} from './answer-fields.ts'
import { encodeImage } from './content.ts'
import { encodeDetail, joinReasoning } from './reasoning.ts'
import { encodeCall } from './tools.ts'

/** A whole chat completion, as the vendor's SDK reads it, with `reasoning_content` beside it. */
export function encodeChatResponse(
  response: CanonicalResponse,
  context: EncodeContext,
): JsonObject {
  return defined({
    ...encodeHead(response, 'chat.completion', context),
    choices: response.choices.map(encodeChoice),
    usage: reportUsage(response.usage, context),
    service_tier: response.serviceTier,
  })
}

function encodeChoice({ index, parts, finish }: Choice): JsonObject {
  const texts = parts.filter((part) => part.type === 'text')
  const traits = {
    hasCalls: parts.some(({ type }) => type === 'tool-call'),
    hasRefusal: parts.some(({ type }) => type === 'refusal'),
  }
  return {
    index,
    message: encodeMessage(parts, texts),
    logprobs: encodeLogprobs(texts.flatMap(({ logprobs }) => logprobs ?? [])),
    finish_reason: encodeFinish(finish.reason, traits),
  }
}

function encodeMessage(parts: readonly AnswerPart[], texts: readonly TextPart[]): JsonObject {
  const refusals = parts.flatMap((part) => (part.type === 'refusal' ? [part.text] : []))
  const reasoning = parts.filter((part) => part.type === 'reasoning')
  const text = joinReasoning(reasoning.map((part) => part.text))
  const hidden = encodeDetails(reasoning)
  const annotations = encodeAllAnnotations(texts)
  const calls = parts.flatMap((part) => (part.type === 'tool-call' ? [encodeCall(part)] : []))
  const images = parts.flatMap((part) => (part.type === 'image' ? [encodeImage(part)] : []))
  return defined({
    role: 'assistant',
    content: texts.length === 0 ? null : texts.map((part) => part.text).join(''),
    refusal: refusals.length === 0 ? null : refusals.join(''),
    annotations: annotations.length === 0 ? undefined : annotations,
    reasoning_content: text === '' ? undefined : text,
    reasoning_details: hidden.length === 0 ? undefined : hidden,
    images: images.length === 0 ? undefined : images,
    tool_calls: calls.length === 0 ? undefined : calls,
  })
}

function encodeDetails(reasoning: readonly ReasoningPart[]): readonly JsonObject[] {
  return reasoning
    .filter(({ signature }) => signature !== undefined)
    .map(({ signature, id }, index) => encodeDetail(signature ?? '', id, index))
}

function encodeAllAnnotations(texts: readonly TextPart[]): readonly JsonObject[] {
  let offset = 0
  return texts.flatMap(({ text, citations }) => {
    const annotations = encodeAnnotations(shiftCitations(citations, offset))
    offset += text.length
    return annotations
  })
}
