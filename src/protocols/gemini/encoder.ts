import type { EncodeContext, StreamEncoder } from '../canonical/codec.ts'
import type { AnswerEvent } from '../canonical/event.ts'
import type { ImagePart } from '../canonical/request.ts'
import type { Finish } from '../canonical/response.ts'
import type { JsonObject } from '../protocol.ts'
import {
  type AnswerState,
  createAnswerState,
  encodeCallPart,
  encodeImagePart,
  encodeSources,
  logprobsField,
  takeSignatures,
} from './answer-parts.ts'
import { createCallQueue } from './call-queue.ts'
import { encodeGeminiStreamError } from './error.ts'
import { encodeFinish } from './finish.ts'
import { encodeUsage, reportUsage } from './usage.ts'

type EventOf<T extends AnswerEvent['type']> = Extract<AnswerEvent, { readonly type: T }>

interface OpenBlock {
  readonly choice: number
  readonly type: 'text' | 'reasoning' | 'refusal'
  /** The whole text of a text block, for the places of its sources. */
  text: string
}

/**
 * Writes a stream: a chunk for every piece of text or thought, calls whole, and what only the end
 * tells (finish reasons, signatures without a call, sources, usage) in one last chunk.
 */
export function createEncoder(context: EncodeContext): StreamEncoder {
  const { framing, library, requestId } = context
  const states = new Map<number, AnswerState>()
  const blocks = new Map<string, OpenBlock>()
  const finishes = new Map<number, Finish>()
  const calls = createCallQueue()
  let isFirst = true
  let isOver = false
  let usage = ''
  let tail = tailOf(requestId)

  function tailOf(id: string): string {
    return `,"modelVersion":${JSON.stringify(context.model)},"responseId":${JSON.stringify(id)}}`
  }

  function frame(candidates: string): string {
    const json = `{"candidates":[${candidates}]${usage}${tail}`
    if (framing === 'sse') return `data: ${json}\r\n\r\n`
    const before = isFirst ? '[' : ',\r\n'
    isFirst = false
    return before + json
  }

  /** A chunk with one part, given as JSON. */
  function chunk(choice: number, part: string, more: JsonObject = {}): string {
    const rest = JSON.stringify(more).slice(1, -1)
    const fields = rest === '' ? '' : `,${rest}`
    return frame(`{"content":{"parts":[${part}],"role":"model"},"index":${choice}${fields}}`)
  }

  function stateOf(choice: number): AnswerState {
    const known = states.get(choice)
    if (known) return known
    const state = createAnswerState()
    states.set(choice, state)
    return state
  }

  function begin(id: string, choice: number, type: OpenBlock['type']): string {
    blocks.set(id, { choice, type, text: '' })
    return ''
  }

  function writeDelta(event: EventOf<'text-delta' | 'reasoning-delta' | 'refusal-delta'>): string {
    const block = blocks.get(event.id)
    if (block === undefined || event.text === '') return ''
    const text = JSON.stringify(event.text)
    if (block.type === 'reasoning') return chunk(block.choice, `{"text":${text},"thought":true}`)
    block.text += event.text
    const logprobs = event.type === 'text-delta' ? logprobsField(event.logprobs) : {}
    return chunk(block.choice, `{"text":${text}}`, logprobs)
  }

  function endText({ id, citations }: EventOf<'text-end'>): string {
    const block = blocks.get(id)
    blocks.delete(id)
    if (block && citations) stateOf(block.choice).cited.push({ text: block.text, citations })
    return ''
  }

  function endReasoning({ id, signature }: EventOf<'reasoning-end'>): string {
    const block = blocks.get(id)
    blocks.delete(id)
    if (block && signature !== undefined) stateOf(block.choice).signatures.push(signature)
    return ''
  }

  function writeCalls(): string {
    let written = ''
    for (const call of calls.takeEnded()) {
      written += chunk(call.choice, JSON.stringify(encodeCallPart(call, stateOf(call.choice))))
    }
    return written
  }

  function writeImage(choice: number, image: ImagePart): string {
    return chunk(choice, JSON.stringify(encodeImagePart(image)))
  }

  function writeEnd(event: EventOf<'end'>): string {
    isOver = true
    if (event.usage || usage === '') usage = usageField(reportUsage(event.usage, context))
    const candidates = [...finishes].map(([choice, { reason }]) => {
      const state = stateOf(choice)
      const parts = [{ text: '', ...takeSignatures(state) }]
      const content = { parts, role: 'model' }
      const finishReason = encodeFinish(reason)
      return JSON.stringify({ content, finishReason, index: choice, ...encodeSources(state) })
    })
    return frame(candidates.join(',')) + (framing === 'sse' ? '' : ']')
  }

  function write(event: AnswerEvent): string {
    switch (event.type) {
      case 'start':
        if (event.usage) usage = usageField(encodeUsage(event.usage))
        tail = tailOf(event.id ?? requestId)
        return ''
      case 'text-start':
        return begin(event.id, event.choice, 'text')
      case 'reasoning-start':
        return begin(event.id, event.choice, 'reasoning')
      case 'refusal-start':
        return begin(event.id, event.choice, 'refusal')
      case 'text-delta':
      case 'reasoning-delta':
      case 'refusal-delta':
        return writeDelta(event)
      case 'text-end':
        return endText(event)
      case 'reasoning-end':
        return endReasoning(event)
      case 'refusal-end':
        blocks.delete(event.id)
        return ''
      case 'tool-call-start':
        calls.start(event)
        return ''
      case 'tool-call-delta':
        calls.add(event.id, event.text)
        return ''
      case 'tool-call-end':
        calls.end(event.id)
        return writeCalls()
      case 'image':
        return writeImage(event.choice, event.image)
      case 'finish':
        finishes.set(event.choice, event)
        return ''
      case 'end':
        return writeEnd(event)
      case 'error':
        return fail(event.error.status ?? 502, event.error.message)
    }
  }

  function fail(status: number, message: string): string {
    isOver = true
    const error = { status, code: 'upstream_error', message, param: undefined, requestId }
    return encodeGeminiStreamError(error, { framing, library }, isFirst)
  }

  return {
    push: (event) => (isOver ? '' : write(event)),
    fail: ({ status, message }) => (isOver ? '' : fail(status, message)),
  }
}

const usageField = (report: JsonObject) => `,"usageMetadata":${JSON.stringify(report)}`
