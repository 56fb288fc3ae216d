import type { DecodeContext } from '../canonical/codec.ts'
import { withoutExtras } from '../canonical/extras.ts'
import type { Citation, TextPart, ToolCallPart } from '../canonical/request.ts'
import type { AnswerPart, CanonicalResponse, Choice } from '../canonical/response.ts'
import { arrayIn, countIn, isJsonObject, objectIn, stringIn } from '../json.ts'
import type { JsonObject } from '../protocol.ts'
import { decodeAnnotations, decodeLogprobs, decodeSources } from './annotations.ts'
import { decodeHead, decodeTier, usageIn } from './answer-head.ts'
import { argumentsText } from './calls.ts'
import { decodeOpenAiError } from './error.ts'
import { decodeFinish } from './finish.ts'
import { decodeImages } from './media.ts'
import { decodeReasoning, thinkingText } from './reasoning.ts'
import { createChatCounts, foldChatUsage } from './usage.ts'

/** Decodes a whole chat completion, of OpenAI or of those who imitate it. */
export function decodeChatResponse(body: JsonObject, context: DecodeContext): CanonicalResponse {
  const sources = decodeSources(body)
  const choices = arrayIn(body, 'choices').filter(isJsonObject)
  return {
    ...decodeHead(body),
    choices: choices.map((choice, place) => decodeChoice(choice, place, sources, context)),
    usage: withoutExtras(foldChatUsage(createChatCounts(), usageIn(body))),
    serviceTier: decodeTier(body),
    error: body.error ? decodeOpenAiError(body) : undefined,
  }
}

function decodeChoice(
  choice: JsonObject,
  place: number,
  sources: readonly Citation[],
  context: DecodeContext,
): Choice {
  const message = objectIn(choice, 'message') ?? objectIn(choice, 'delta') ?? {}
  const calls = decodeCalls(message, context)
  const refusal = stringIn(message, 'refusal')
  const parts = [
    ...decodeReasoning(message),
    ...decodeText(choice, message, sources),
    ...(refusal === undefined ? [] : [{ type: 'refusal', text: refusal } as const]),
    ...decodeImages(message),
    ...calls,
  ]
  const traits = { hasCalls: calls.length > 0, hasRefusal: refusal !== undefined }
  const reason = decodeFinish(stringIn(choice, 'finish_reason'), traits)
  // vLLM tells the stop sequence, or the number of the token that ended the answer.
  const stopSequence = stringIn(choice, 'stop_reason')
  return { index: countIn(choice, 'index') ?? place, parts, finish: { reason, stopSequence } }
}

/** The content: text, or parts of text and reasoning in their order (Mistral). */
function decodeText(
  choice: JsonObject,
  message: JsonObject,
  sources: readonly Citation[],
): readonly AnswerPart[] {
  const { content } = message
  const list = Array.isArray(content) ? content : [{ type: 'text', text: content }]
  const parts: AnswerPart[] = []
  for (const part of list) {
    if (!isJsonObject(part)) continue
    const text = part.type === 'thinking' ? thinkingText(part) : part.text
    if (typeof text !== 'string' || text === '') continue
    const last = parts.at(-1)
    if (part.type === 'thinking') parts.push({ type: 'reasoning', text })
    else if (last?.type === 'text') parts[parts.length - 1] = { ...last, text: last.text + text }
    else parts.push({ type: 'text', text })
  }
  const at = parts.findLastIndex(({ type }) => type === 'text')
  const last = parts[at]
  if (last?.type === 'text') parts[at] = withDetails(last, choice, message, sources)
  return parts
}

function withDetails(
  part: TextPart,
  choice: JsonObject,
  message: JsonObject,
  sources: readonly Citation[],
): TextPart {
  const annotated = decodeAnnotations(message)
  const citations = annotated.length > 0 ? annotated : sources
  return {
    ...part,
    citations: citations.length > 0 ? citations : undefined,
    logprobs: decodeLogprobs(arrayIn(objectIn(choice, 'logprobs'), 'content')),
  }
}

/** The calls of an answer, the older `function_call` too; an id is made where there is none. */
function decodeCalls(message: JsonObject, { requestId }: DecodeContext): readonly ToolCallPart[] {
  const legacy = objectIn(message, 'function_call')
  const wires = [
    ...arrayIn(message, 'tool_calls'),
    ...(legacy === undefined ? [] : [{ function: legacy }]),
  ]
  const taken = new Set<string>()
  return wires.flatMap((wire, place): readonly ToolCallPart[] => {
    const call = isJsonObject(wire) ? readCall(wire) : undefined
    if (call === undefined || !isJsonObject(wire)) return []
    const given = stringIn(wire, 'id')
    const callId = given === undefined || taken.has(given) ? `call_${requestId}_${place}` : given
    taken.add(callId)
    return [{ type: 'tool-call', callId, ...call }]
  })
}

/** Snowflake sends the members of both kinds, one of them empty. */
function readCall(wire: JsonObject): Pick<ToolCallPart, 'name' | 'kind' | 'input'> | undefined {
  const custom = objectIn(wire, 'custom')
  const customName = stringIn(custom, 'name')
  if (wire.type !== 'function' && customName !== undefined) {
    return { name: customName, kind: 'custom', input: stringIn(custom, 'input') ?? '' }
  }
  const call = objectIn(wire, 'function')
  const name = stringIn(call, 'name')
  if (name === undefined) return undefined
  return { name, kind: 'function', input: argumentsText(call?.arguments) ?? '{}' }
}
