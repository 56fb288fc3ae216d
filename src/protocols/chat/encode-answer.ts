import type {
  AnswerEvent,
  AnswerPart,
  CanonicalResponse,
  Choice,
  EventOf,
  FinishReason,
  StartEvent,
} from '../canonical/answer.ts'
import { type BlockEvent, createBlockOrder } from '../canonical/block-order.ts'
import type { EncodeContext, StreamEncoder } from '../canonical/codec.ts'
import type { ReasoningPart, TextPart } from '../canonical/request.ts'
import { reportedUsage, type Usage } from '../canonical/usage.ts'
import { defined, objectIn } from '../json.ts'
import type { JsonObject } from '../protocol.ts'
import {
  encodeAnnotations,
  encodeFinish,
  encodeHead,
  encodeLogprobs,
  shiftCitations,
} from './answer-fields.ts'
import { encodeImage } from './content.ts'
import { encodeChatStreamError } from './errors.ts'
import { encodeDetail, joinReasoning } from './reasoning.ts'
import { encodeCall } from './tools.ts'
import { encodeUsage } from './usage.ts'

/** A whole chat completion for the vendor's SDK, plus `reasoning_content`. */
export function encodeResponse(response: CanonicalResponse, context: EncodeContext): JsonObject {
  return defined({
    ...encodeHead(response, 'chat.completion', context),
    choices: response.choices.map(encodeChoice),
    usage: encodeUsage(reportedUsage(response.usage, context)),
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

const encodeDetails = (reasoning: readonly ReasoningPart[]): readonly JsonObject[] =>
  reasoning
    .filter(({ signature }) => signature !== undefined)
    .map(({ signature, id }, index) => encodeDetail(signature ?? '', id, index))

function encodeAllAnnotations(texts: readonly TextPart[]): readonly JsonObject[] {
  let offset = 0
  return texts.flatMap(({ text, citations }) => {
    const annotations = encodeAnnotations(shiftCitations(citations, offset))
    offset += text.length
    return annotations
  })
}

/** Encodes chunks of a chat completion. Usage goes into its own chunk, only for clients that ask for it. */
export function createEncoder(context: EncodeContext): StreamEncoder {
  const includesUsage = objectIn(context.body, 'stream_options')?.include_usage === true
  const tail = includesUsage ? ',"usage":null}\n\n' : '}\n\n'
  const choices = new Map<number, ChoiceEncoder>()
  const owners = new Map<string, ChoiceEncoder>()
  let begin: string | undefined
  let usage: Usage | undefined
  let isOver = false

  function open(head: Omit<StartEvent, 'type'>): string {
    const text = JSON.stringify(encodeHead(head, 'chat.completion.chunk', context))
    begin = `data: ${text.slice(0, -1)},"choices":[`
    return begin
  }

  function createChoice(choice: number) {
    const head = `${begin ?? open({})}{"index":${choice},"delta":`
    return createChoiceEncoder(head, `}]${tail}`)
  }
  const choiceAt = (choice: number) => choices.getOrInsertComputed(choice, createChoice)

  function end(event: EventOf<'end'>): string {
    isOver = true
    let text = ''
    for (const choice of choices.values()) text += choice.finish('other')
    if (includesUsage) {
      const tier = event.serviceTier ? `,"service_tier":"${event.serviceTier}"` : ''
      const report = JSON.stringify(encodeUsage(reportedUsage(event.usage ?? usage, context)))
      text += `${begin ?? open({})}]${tier},"usage":${report}}\n\n`
    }
    return `${text}data: [DONE]\n\n`
  }

  return {
    push(event) {
      if (isOver) return ''
      switch (event.type) {
        case 'start':
          usage = event.usage
          if (begin === undefined) open(event)
          return choiceAt(0).begin()
        case 'text-start':
        case 'reasoning-start':
        case 'refusal-start':
        case 'tool-call-start': {
          const choice = choiceAt(event.choice)
          owners.set(event.id, choice)
          return choice.push(event)
        }
        case 'image':
          return choiceAt(event.choice).push(event)
        case 'finish':
          return choiceAt(event.choice).finish(event.reason)
        case 'end':
          return end(event)
        case 'error':
          return ''
        default:
          return owners.get(event.id)?.push(event) ?? ''
      }
    },
    fail(error) {
      if (isOver) return ''
      isOver = true
      return encodeChatStreamError(error)
    },
  }
}

interface Call {
  readonly index: number
  readonly isCustom: boolean
  hasInput: boolean
}

type ChoiceEncoder = ReturnType<typeof createChoiceEncoder>

/** Chunks of one choice: `head` and `tail` are what all of them share. */
function createChoiceEncoder(head: string, tail: string) {
  const calls = new Map<string, Call>()
  const offsets = new Map<string, number>()
  const details: JsonObject[] = []
  let callCount = 0
  let textLength = 0
  let hasReasoning = false
  let isNewStretch = false
  let hasRefusal = false
  let isBegun = false
  let isFinished = false
  const unfinished = `,"logprobs":null,"finish_reason":null${tail}`
  const delta = (json: string) => head + json + unfinished

  function begin(): string {
    if (isBegun) return ''
    isBegun = true
    return delta('{"role":"assistant","content":""}')
  }

  function startCall({ id, callId, name, kind }: EventOf<'tool-call-start'>) {
    const index = callCount++
    const isCustom = kind === 'custom'
    calls.set(id, { index, isCustom, hasInput: false })
    const call = isCustom
      ? { index, id: callId, type: 'custom', custom: { name, input: '' } }
      : { index, id: callId, type: 'function', function: { name, arguments: '' } }
    return delta(`{"tool_calls":[${JSON.stringify(call)}]}`)
  }

  function addInput(call: Call | undefined, text: string): string {
    if (call === undefined) return ''
    call.hasInput = true
    const input = JSON.stringify(text)
    const piece = call.isCustom
      ? `"custom":{"input":${input}}`
      : `"function":{"arguments":${input}}`
    return delta(`{"tool_calls":[{"index":${call.index},${piece}}]}`)
  }

  function endCall(id: string): string {
    const call = calls.get(id)
    calls.delete(id)
    return call && !call.isCustom && !call.hasInput ? addInput(call, '{}') : ''
  }

  function addText({ text, logprobs }: EventOf<'text-delta'>): string {
    textLength += text.length
    const json = `{"content":${JSON.stringify(text)}}`
    if (logprobs === undefined) return delta(json)
    const tokens = JSON.stringify(encodeLogprobs(logprobs))
    return `${head}${json},"logprobs":${tokens},"finish_reason":null${tail}`
  }

  function endText({ id, citations }: EventOf<'text-end'>): string {
    const placed = shiftCitations(citations, offsets.get(id) ?? 0)
    offsets.delete(id)
    const annotations = encodeAnnotations(placed)
    return annotations.length === 0 ? '' : delta(`{"annotations":${JSON.stringify(annotations)}}`)
  }

  function addReasoning(text: string): string {
    const shown = isNewStretch && hasReasoning ? `\n\n${text}` : text
    isNewStretch = false
    hasReasoning = true
    return delta(`{"reasoning_content":${JSON.stringify(shown)}}`)
  }

  /** SDKs take a call as finished when another begins: calls are written one by one. */
  function writeCall(event: BlockEvent): string {
    if (event.type === 'tool-call-start') return startCall(event)
    if (event.type === 'tool-call-delta') return addInput(calls.get(event.id), event.text)
    return event.type === 'tool-call-end' ? endCall(event.id) : ''
  }
  const order = createBlockOrder(writeCall)

  function writeEvent(event: AnswerEvent): string {
    switch (event.type) {
      case 'text-start':
        offsets.set(event.id, textLength)
        return ''
      case 'text-delta':
        return addText(event)
      case 'text-end':
        return endText(event)
      case 'reasoning-start':
        isNewStretch = true
        return ''
      case 'reasoning-delta':
        return event.text === '' ? '' : addReasoning(event.text)
      case 'reasoning-end':
        if (event.signature !== undefined) {
          details.push(encodeDetail(event.signature, event.itemId, details.length))
        }
        return ''
      case 'refusal-delta':
        hasRefusal = true
        return delta(`{"refusal":${JSON.stringify(event.text)}}`)
      case 'tool-call-start':
      case 'tool-call-delta':
      case 'tool-call-end':
        return order.push(event)
      case 'image':
        return delta(`{"images":[${JSON.stringify(encodeImage(event.image))}]}`)
      default:
        return ''
    }
  }

  return {
    begin,
    push: (event: AnswerEvent) => (isFinished ? '' : begin() + writeEvent(event)),
    finish(reason: FinishReason): string {
      if (isFinished) return ''
      const text = begin() + order.end()
      isFinished = true
      const hidden =
        details.length === 0 ? '' : delta(`{"reasoning_details":${JSON.stringify(details)}}`)
      const ending = encodeFinish(reason, { hasCalls: callCount > 0, hasRefusal })
      return `${text}${hidden}${head}{},"logprobs":null,"finish_reason":"${ending}"${tail}`
    },
  }
}
