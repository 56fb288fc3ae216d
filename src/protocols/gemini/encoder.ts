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
  signLast,
} from './answer-parts.ts'
import { createCallQueue } from './call-queue.ts'
import { encodeGeminiStreamError } from './error.ts'
import { encodeFinish } from './finish.ts'
import { createLastParts, type PendingPart } from './last-parts.ts'
import { encodeUsage, reportUsage } from './usage.ts'

type EventOf<T extends AnswerEvent['type']> = Extract<AnswerEvent, { readonly type: T }>

interface OpenBlock {
  readonly choice: number
  readonly type: 'text' | 'reasoning' | 'refusal' | 'search'
  /** The whole text of a text block, for the places of its sources. */
  text: string
}

/**
 * Writes a stream: a chunk for every piece of text or thought, calls whole, and what only the end
 * tells (finish reasons, signatures without a call, sources, usage) in one chunk with the last part.
 */
export function createEncoder(context: EncodeContext): StreamEncoder {
  const { framing, library, requestId } = context
  const states = new Map<number, AnswerState>()
  const blocks = new Map<string, OpenBlock>()
  const finishes = new Map<number, Finish>()
  const calls = createCallQueue()
  const last = createLastParts()
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

  function chunk(choice: number, { part, more }: PendingPart): string {
    const content = { parts: [part], role: 'model' }
    return frame(JSON.stringify({ content, index: choice, ...more }))
  }

  /** A part in its order; the last one of all waits for the end. */
  function put(choice: number, part: JsonObject, more: JsonObject = {}): string {
    return last
      .add(choice, { part, more })
      .map((ready) => chunk(choice, ready))
      .join('')
  }

  /** What was kept back: there is another part behind it, or will be. */
  function release(choice: number): string {
    const pending = last.take(choice)
    return pending === undefined ? '' : chunk(choice, pending)
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
    const { text } = event
    if (block.type === 'reasoning') {
      const part = { text, thought: true }
      return release(block.choice) + chunk(block.choice, { part, more: {} })
    }
    block.text += text
    const logprobs = event.type === 'text-delta' ? logprobsField(event.logprobs) : {}
    return put(block.choice, { text }, logprobs)
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

  function endSearch({ id, search }: EventOf<'search-end'>): string {
    const block = blocks.get(id)
    blocks.delete(id)
    if (block) stateOf(block.choice).searches.push(search)
    return ''
  }

  function writeCalls(): string {
    let written = ''
    for (const call of calls.takeEnded()) {
      written += put(call.choice, encodeCallPart(call, stateOf(call.choice)))
    }
    return written
  }

  function writeImage(choice: number, image: ImagePart): string {
    return put(choice, encodeImagePart(image))
  }

  function writeEnd(event: EventOf<'end'>): string {
    isOver = true
    if (event.usage || usage === '') usage = usageField(reportUsage(event.usage, context))
    const candidates = [...finishes].map(([choice, { reason }]) => {
      const state = stateOf(choice)
      const { part, more } = last.take(choice) ?? { part: undefined, more: {} }
      const parts = signLast(part === undefined ? [] : [part], state)
      const content = { parts, role: 'model' }
      const finishReason = encodeFinish(reason)
      return JSON.stringify({
        ...{ content, finishReason, index: choice, ...more },
        ...encodeSources(state),
      })
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
        return release(event.choice)
      case 'tool-call-delta':
        calls.add(event.id, event.text)
        return ''
      case 'tool-call-end':
        calls.end(event.id)
        return writeCalls()
      case 'search-start':
        return begin(event.id, event.choice, 'search')
      case 'search-end':
        return endSearch(event)
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
    const rest = last.takeAll().map(([choice, pending]) => chunk(choice, pending))
    const error = { status, code: 'upstream_error', message, param: undefined, requestId }
    return rest.join('') + encodeGeminiStreamError(error, { framing, library }, isFirst)
  }

  return {
    push: (event) => (isOver ? '' : write(event)),
    fail: ({ status, message }) => (isOver ? '' : fail(status, message)),
  }
}

const usageField = (report: JsonObject) => `,"usageMetadata":${JSON.stringify(report)}`
