import type { AnswerEvent } from '../canonical/event.ts'
import type { FinishReason } from '../canonical/response.ts'
import type { JsonObject } from '../protocol.ts'
import { encodeAnnotations, encodeLogprobs, shiftCitations } from './annotations.ts'
import { type CallEvent, createCallOrder } from './call-order.ts'
import { encodeFinish } from './finish.ts'
import { encodeImage } from './media.ts'
import { encodeDetail } from './reasoning.ts'

/** Writes one of the answers side by side. */
export interface ChoiceEncoder {
  /** The first chunk, which says whose words follow; '' when it is written. */
  begin(): string
  /** What an event of this choice adds. */
  push(event: AnswerEvent): string
  /** The last chunks, once. */
  finish(reason: FinishReason): string
}

/** A chunk with this delta, these `logprobs` and this `finish_reason`, all JSON. */
type WriteChunk = (delta: string, logprobs: string, reason: string) => string

interface Call {
  /** Among the calls of its choice. */
  readonly index: number
  readonly isCustom: boolean
  hasInput: boolean
}

/** A choice of which nothing has been written. Calls may overlap; they are written one by one. */
export function createChoiceEncoder(write: WriteChunk): ChoiceEncoder {
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
  const delta = (json: string) => write(json, 'null', 'null')

  function begin(): string {
    if (isBegun) return ''
    isBegun = true
    return delta('{"role":"assistant","content":""}')
  }

  function startCall({
    id,
    callId,
    name,
    kind,
  }: Extract<AnswerEvent, { type: 'tool-call-start' }>) {
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

  function addText({ text, logprobs }: Extract<AnswerEvent, { type: 'text-delta' }>): string {
    textLength += text.length
    const tokens = logprobs ? JSON.stringify(encodeLogprobs(logprobs)) : 'null'
    return write(`{"content":${JSON.stringify(text)}}`, tokens, 'null')
  }

  function endText({ id, citations }: Extract<AnswerEvent, { type: 'text-end' }>): string {
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

  function writeCall(event: CallEvent): string {
    if (event.type === 'tool-call-start') return startCall(event)
    if (event.type === 'tool-call-end') return endCall(event.id)
    return addInput(calls.get(event.id), event.text)
  }
  const order = createCallOrder(writeCall)

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
    push: (event) => (isFinished ? '' : begin() + writeEvent(event)),
    finish(reason) {
      if (isFinished) return ''
      const text = begin() + order.end()
      isFinished = true
      const hidden =
        details.length === 0 ? '' : delta(`{"reasoning_details":${JSON.stringify(details)}}`)
      const told = encodeFinish(reason, { hasCalls: callCount > 0, hasRefusal })
      return `${text}${hidden}${write('{}', 'null', JSON.stringify(told))}`
    },
  }
}
