import type { CanonicalResponse, Finish } from '../canonical/answer.ts'
import type { DecodeContext, StreamDecoder } from '../canonical/codec.ts'
import { foldEvents, unfoldPart } from '../canonical/fold.ts'
import type { Citation } from '../canonical/request.ts'
import { EventSink } from '../canonical/sink.ts'
import { arrayIn, countIn, isJsonObject, objectIn, parseJsonObject, stringIn } from '../json.ts'
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
import { chatReports } from './usage.ts'

/** Decodes the chunks of a chat completion. Finish events come last: vendors send more after a finish reason. */
export function createDecoder(context: DecodeContext): StreamDecoder {
  const sink = new EventSink(context.requestId, chatReports)
  const choices = new Map<number, ChoiceDecoder>()
  const begin = (choice: number) => createChoiceDecoder(choice, sink)

  function read(chunk: JsonObject): void {
    const wires = arrayIn(chunk, 'choices')
    const head = decodeHead(chunk)
    if (wires.length > 0 || head.id !== undefined) sink.start(head)
    const sources = decodeSources(chunk)
    for (const wire of wires) {
      if (!isJsonObject(wire)) continue
      choices.getOrInsertComputed(countIn(wire, 'index') ?? 0, begin).push(wire, sources)
    }
    sink.noteUsage(usageIn(chunk))
    sink.serviceTier = decodeTier(chunk) ?? sink.serviceTier
    if (!chunk.error) return
    sink.start(head)
    sink.fail(decodeOpenAiError(chunk))
  }

  function conclude(isRegular: boolean): void {
    for (const choice of choices.values()) choice.close()
    sink.isOver = true
    if (!isRegular) return
    sink.start({})
    for (const [choice, { finish }] of choices) sink.push({ type: 'finish', choice, ...finish() })
    if (choices.size === 0) sink.push({ type: 'finish', choice: 0, reason: 'other' })
    sink.end()
  }

  return {
    push(data, _event, json) {
      if (sink.isOver) return []
      const chunk = json ?? parseJsonObject(data)
      if (chunk !== undefined) read(chunk)
      else if (data.startsWith('[DONE]')) conclude(true)
      return sink.take()
    },
    end() {
      if (sink.isOver) return []
      const all = [...choices.values()]
      conclude(all.length > 0 && all.every(({ isFinished }) => isFinished()))
      return sink.take()
    },
  }
}

/** Decodes a whole chat completion, of OpenAI or an imitator: each choice is one long delta. */
export function decodeResponse(body: JsonObject, context: DecodeContext): CanonicalResponse {
  const sink = new EventSink(context.requestId, chatReports)
  const sources = decodeSources(body)
  for (const [place, wire] of arrayIn(body, 'choices').filter(isJsonObject).entries()) {
    const choice = countIn(wire, 'index') ?? place
    const decoder = createChoiceDecoder(choice, sink)
    const message = objectIn(wire, 'message') ?? objectIn(wire, 'delta') ?? {}
    for (const part of decodeReasoning(message))
      for (const event of unfoldPart(part, sink.nextBlock(), choice)) sink.push(event)
    const delta = {
      ...message,
      reasoning: null,
      reasoning_content: null,
      reasoning_details: null,
      tool_calls: wholeCalls(message, context),
    }
    decoder.push({ ...wire, delta }, sources)
    decoder.close()
    sink.push({ type: 'finish', choice, ...decoder.finish() })
  }
  sink.noteUsage(usageIn(body))
  return {
    ...decodeHead(body),
    choices: foldEvents(sink.take()).choices,
    usage: sink.usage,
    serviceTier: decodeTier(body),
    error: body.error ? decodeOpenAiError(body) : undefined,
  }
}

/** The calls of a whole message, by position; a missing id is made up. */
function wholeCalls(message: JsonObject, { requestId }: DecodeContext): readonly JsonObject[] {
  const taken = new Set<string>()
  return arrayIn(message, 'tool_calls').map((call, index) => {
    const given = isJsonObject(call) ? stringIn(call, 'id') : undefined
    const id = given === undefined || taken.has(given) ? `call_${requestId}_${index}` : given
    taken.add(id)
    return { ...(isJsonObject(call) && call), id, index }
  })
}

type ChoiceDecoder = ReturnType<typeof createChoiceDecoder>

function createChoiceDecoder(choice: number, sink: EventSink) {
  const text = createTextDecoder(choice, sink, () => {
    reasoning.close()
    calls.settle()
  })
  const reasoning = createReasoningDecoder(choice, sink, () => {
    text.close()
    calls.settle()
  })
  const calls = createCallDecoder(choice, sink, closeSpoken)
  let reason: string | undefined
  let stopSequence: string | undefined
  let hasRefusal = false

  function closeSpoken(): void {
    reasoning.close()
    text.close()
  }

  function pushContent({ content }: JsonObject, logprobs: readonly unknown[]): void {
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
    if (legacy?.name || legacy?.arguments) calls.push({ index: 0, function: legacy })
  }

  return {
    /** `sources` are those beside all choices. */
    push(wire: JsonObject, sources: readonly Citation[]): void {
      const delta = objectIn(wire, 'delta') ?? objectIn(wire, 'message') ?? {}
      reasoning.push(delta)
      pushContent(delta, arrayIn(objectIn(wire, 'logprobs'), 'content'))
      text.cite(decodeAnnotations(delta), sources)
      const refusal = stringIn(delta, 'refusal')
      if (refusal !== undefined) {
        hasRefusal = true
        text.add('refusal', refusal, [])
      }
      for (const image of decodeImages(delta)) {
        closeSpoken()
        sink.push({ type: 'image', choice, image })
      }
      pushCalls(delta)
      const next = stringIn(wire, 'finish_reason')
      // Some vendors end with a plain stop after another reason.
      if (reason === undefined || reason === 'stop') reason = next ?? reason
      // vLLM reports the stop sequence, or the number of the token that ended the answer.
      stopSequence = stringIn(wire, 'stop_reason') ?? stopSequence
    },
    close() {
      closeSpoken()
      calls.close()
    },
    isFinished: () => reason !== undefined,
    finish(): Finish {
      const traits = { hasCalls: calls.hasCalls(), hasRefusal }
      return { reason: decodeFinish(reason, traits), stopSequence }
    },
  }
}

/** Decodes the text and refusals of a choice. Citations before the end of a text belong to it. */
function createTextDecoder(choice: number, sink: EventSink, beforeText: () => void) {
  let open: { readonly kind: 'text' | 'refusal'; readonly id: string } | undefined
  let offset = 0
  let length = 0
  let citations: Citation[] = []
  let sources: readonly Citation[] = []

  function close(): void {
    if (open?.kind === 'refusal') sink.push({ type: 'refusal-end', id: open.id })
    if (open?.kind === 'text') {
      const found = citations.length > 0 ? shiftCitations(citations, -offset) : sources
      sink.push({ type: 'text-end', id: open.id, citations: found.length > 0 ? found : undefined })
      citations = []
    }
    open = undefined
  }

  function start(kind: 'text' | 'refusal') {
    close()
    beforeText()
    open = { kind, id: sink.open(kind, choice) }
    offset = length
    return open
  }

  return {
    add(kind: 'text' | 'refusal', piece: string, tokens: readonly unknown[]): void {
      if (piece === '') return
      const { id } = open?.kind === kind ? open : start(kind)
      if (kind === 'refusal') {
        sink.push({ type: 'refusal-delta', id, text: piece })
        return
      }
      length += piece.length
      const logprobs = decodeLogprobs(tokens)
      sink.push({ type: 'text-delta', id, text: piece, ...(logprobs && { logprobs }) })
    },
    cite(found: readonly Citation[], beside: readonly Citation[]): void {
      citations.push(...found)
      if (beside.length > 0) sources = beside
    },
    close,
  }
}
