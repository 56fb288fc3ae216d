import type { DecodeContext } from '../canonical/codec.ts'
import type { AnswerEvent } from '../canonical/event.ts'
import { withoutExtras } from '../canonical/extras.ts'
import type { Citation, TextPart, ToolCallPart } from '../canonical/request.ts'
import type { AnswerPart, CanonicalResponse, Choice, Finish } from '../canonical/response.ts'
import { arrayIn, countIn, isJsonObject, objectIn, stringIn } from '../json.ts'
import type { JsonObject } from '../protocol.ts'
import {
  decodeAnnotations,
  decodeFinish,
  decodeHead,
  decodeLogprobs,
  decodeSources,
  decodeTier,
  shiftCitations,
  usageIn,
} from './answer-fields.ts'
import { decodeImages } from './content.ts'
import { createCallDecoder } from './decode-calls.ts'
import { decodeOpenAiError } from './errors.ts'
import { createReasoningDecoder, decodeReasoning, thinkingText } from './reasoning.ts'
import { argumentsText } from './tools.ts'
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

/** Decodes one of the answers side by side, piece by piece. */
export interface ChoiceDecoder {
  /** The choice as it is in a chunk. `sources` are those that stand beside all choices. */
  push(wire: JsonObject, sources: readonly Citation[]): void
  /** Ends all blocks. */
  close(): void
  /** Whether the upstream said why the answer ended. */
  readonly isFinished: boolean
  readonly finish: Finish
}

/** What a choice decoder is given by the decoder of the whole answer. */
interface ChoiceScene {
  readonly choice: number
  emit(event: AnswerEvent): void
  /** A new id of a block. */
  nextBlock(): string
  /** An id for a call that the upstream gives none. */
  inventCallId(): string
}

/** Text, reasoning and refusal come one after the other; calls may overlap with all of them. */
export function createChoiceDecoder(scene: ChoiceScene): ChoiceDecoder {
  const { choice, emit } = scene
  const text = createTextDecoder(scene, beforeText)
  const reasoning = createReasoningDecoder({ ...scene, beforeReasoning })
  const calls = createCallDecoder({ ...scene, beforeCall })
  let reason: string | undefined
  let stopSequence: string | undefined
  let hasRefusal = false

  function beforeText(): void {
    reasoning.close()
    calls.settle()
  }
  function beforeReasoning(): void {
    text.close()
    calls.settle()
  }
  function beforeCall(): void {
    reasoning.close()
    text.close()
  }

  function pushContent(delta: JsonObject, logprobs: readonly unknown[]): void {
    const { content } = delta
    if (typeof content === 'string') text.add('text', content, logprobs)
    else if (Array.isArray(content)) {
      for (const part of content) {
        if (!isJsonObject(part)) continue
        if (part.type === 'thinking') reasoning.add(thinkingText(part))
        else if (typeof part.text === 'string') text.add('text', part.text, logprobs)
      }
    }
  }

  function pushCalls(delta: JsonObject): void {
    for (const entry of arrayIn(delta, 'tool_calls')) if (isJsonObject(entry)) calls.push(entry)
    const legacy = objectIn(delta, 'function_call')
    const isCall = legacy !== undefined && (legacy.name || legacy.arguments)
    if (isCall) calls.push({ index: 0, function: legacy })
  }

  function pushImages(delta: JsonObject): void {
    for (const image of decodeImages(delta)) {
      beforeCall()
      emit({ type: 'image', choice, image })
    }
  }

  return {
    push(wire, sources) {
      const delta = objectIn(wire, 'delta') ?? objectIn(wire, 'message') ?? {}
      text.cite(decodeAnnotations(delta), sources)
      reasoning.push(delta)
      pushContent(delta, arrayIn(objectIn(wire, 'logprobs'), 'content'))
      const refusal = stringIn(delta, 'refusal')
      if (refusal !== undefined) {
        hasRefusal = true
        text.add('refusal', refusal, [])
      }
      pushImages(delta)
      pushCalls(delta)
      const told = stringIn(wire, 'finish_reason')
      // Some vendors end with a plain stop after they have said more.
      if (reason === undefined || reason === 'stop') reason = told ?? reason
      stopSequence = stringIn(wire, 'stop_reason') ?? stopSequence
    },
    close() {
      reasoning.close()
      text.close()
      calls.close()
    },
    get isFinished() {
      return reason !== undefined
    },
    get finish() {
      const traits = { hasCalls: calls.hasCalls, hasRefusal }
      return { reason: decodeFinish(reason, traits), stopSequence }
    },
  }
}

/** Text and refusals of a choice. Citations that come before the end of a text belong to it. */
function createTextDecoder({ choice, emit, nextBlock }: ChoiceScene, beforeText: () => void) {
  let open: { readonly kind: 'text' | 'refusal'; readonly id: string } | undefined
  /** Of the text before the open block, and of all. */
  let offset = 0
  let length = 0
  let citations: Citation[] = []
  let sources: readonly Citation[] = []

  function close(): void {
    if (open?.kind === 'refusal') emit({ type: 'refusal-end', id: open.id })
    if (open?.kind === 'text') {
      const found = citations.length > 0 ? shiftCitations(citations, -offset) : sources
      emit({ type: 'text-end', id: open.id, citations: found.length > 0 ? found : undefined })
      citations = []
    }
    open = undefined
  }

  function start(kind: 'text' | 'refusal') {
    close()
    beforeText()
    open = { kind, id: nextBlock() }
    offset = length
    emit({ type: `${kind}-start`, id: open.id, choice })
    return open
  }

  return {
    add(kind: 'text' | 'refusal', piece: string, tokens: readonly unknown[]): void {
      if (piece === '') return
      const { id } = open?.kind === kind ? open : start(kind)
      if (kind === 'refusal') {
        emit({ type: 'refusal-delta', id, text: piece })
        return
      }
      length += piece.length
      const logprobs = decodeLogprobs(tokens)
      emit({ type: 'text-delta', id, text: piece, ...(logprobs && { logprobs }) })
    },
    cite(found: readonly Citation[], beside: readonly Citation[]): void {
      citations.push(...found)
      if (beside.length > 0) sources = beside
    },
    close,
  }
}
