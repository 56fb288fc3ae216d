import { isJsonObject } from '../../../src/protocols/json.ts'
import type { JsonObject } from '../../../src/protocols/protocol.ts'

/** What a client has put together of one choice. */
interface Seen {
  text: string
  calls: { readonly type: string; readonly id: string; readonly name: string; input: string }[]
  reason: string | undefined
}

/** A stream as a strict client reads it: an answer in whole. */
export interface CheckedStream {
  readonly choices: ReadonlyMap<number, Seen>
  readonly usage: unknown
  readonly isDone: boolean
  readonly error: unknown
}

function demand(isTrue: boolean, what: string): asserts isTrue {
  if (!isTrue) throw new Error(`Not a good stream: ${what}`)
}

/**
 * Reads a stream of chunks as the vendor's own SDK does, and stricter: throws for the first thing
 * that is not as the vendor sends it.
 */
export function checkChunks(text: string, includesUsage: boolean): CheckedStream {
  const choices = new Map<number, Seen>()
  let head: string | undefined
  let usage: unknown
  let isDone = false
  let error: unknown
  const frames = text.split('\n\n')
  demand(frames.pop() === '', 'it ends within a frame')
  for (const frame of frames) {
    demand(!isDone && error === undefined, 'something follows its end')
    demand(frame.startsWith('data: ') && !frame.includes('\n'), `frame ${frame}`)
    const data = frame.slice(6)
    if (data === '[DONE]') {
      isDone = true
      continue
    }
    const chunk: unknown = JSON.parse(data)
    demand(isJsonObject(chunk), `chunk ${data}`)
    if (chunk.error !== undefined) {
      error = chunk.error
      continue
    }
    const { id, object, created, model } = chunk
    demand(object === 'chat.completion.chunk', `object ${object}`)
    demand(typeof id === 'string' && id.startsWith('chatcmpl-'), `id ${id}`)
    demand(Number.isInteger(created) && typeof model === 'string', `head ${data}`)
    head ??= JSON.stringify([id, created, model])
    demand(head === JSON.stringify([id, created, model]), 'its head changes')
    demand(usage === undefined, 'a chunk follows the usage')
    demand(Array.isArray(chunk.choices), 'choices are no list')
    if (chunk.choices.length === 0) {
      demand(includesUsage && isJsonObject(chunk.usage), 'a chunk without choices')
      usage = chunk.usage
      continue
    }
    demand('usage' in chunk === includesUsage && (chunk.usage ?? null) === null, `usage in ${data}`)
    for (const choice of chunk.choices) readChoice(choice, choices)
  }
  if (isDone) {
    for (const [index, { reason }] of choices)
      demand(reason !== undefined, `choice ${index} goes on`)
    demand(includesUsage === (usage !== undefined), 'usage')
  }
  return { choices, usage, isDone, error }
}

const reasons = ['stop', 'length', 'tool_calls', 'content_filter', 'error']

function readChoice(choice: unknown, choices: Map<number, Seen>): void {
  demand(isJsonObject(choice) && isJsonObject(choice.delta), 'a choice without delta')
  const { index, delta, logprobs, finish_reason } = choice
  demand(typeof index === 'number', 'a choice without index')
  demand(logprobs === null || isJsonObject(logprobs), 'logprobs')
  const known = choices.get(index)
  if (known === undefined) {
    demand(delta.role === 'assistant' && delta.content === '', 'the first delta lacks the role')
    choices.set(index, { text: '', calls: [], reason: undefined })
    return
  }
  demand(known.reason === undefined, 'a choice goes on behind its end')
  demand(!('role' in delta), 'the role again')
  readDelta(delta, known)
  if (finish_reason === null) return
  demand(typeof finish_reason === 'string' && reasons.includes(finish_reason), 'finish_reason')
  demand(Object.keys(delta).length === 0, 'the last delta holds something')
  known.reason = finish_reason
}

const fields = [
  'content',
  'reasoning_content',
  'reasoning_details',
  'refusal',
  'tool_calls',
  'annotations',
  'images',
]

function readDelta(delta: JsonObject, seen: Seen): void {
  for (const field of Object.keys(delta)) demand(fields.includes(field), `delta.${field}`)
  for (const field of ['content', 'reasoning_content', 'refusal']) {
    demand(typeof (delta[field] ?? '') === 'string', `delta.${field} is no text`)
  }
  if (typeof delta.content === 'string') seen.text += delta.content
  const pieces = delta.tool_calls ?? []
  demand(Array.isArray(pieces), 'tool_calls are no list')
  for (const piece of pieces) readCall(piece, seen.calls)
}

function readCall(piece: unknown, calls: Seen['calls']): void {
  demand(isJsonObject(piece) && typeof piece.index === 'number', 'a call without index')
  const known = calls[piece.index]
  const wire = piece.function ?? piece.custom
  demand(isJsonObject(wire), 'a call without function')
  const input = wire.arguments ?? wire.input
  demand(typeof input === 'string', 'a call without arguments')
  if (known !== undefined) {
    demand(Object.keys(piece).length === 2, `a piece of a call says more: ${JSON.stringify(piece)}`)
    known.input += input
    return
  }
  demand(piece.index === calls.length, `index ${piece.index} follows ${calls.length - 1}`)
  const { id, type } = piece
  demand(typeof id === 'string' && id !== '', 'a call without id')
  demand(typeof type === 'string' && isJsonObject(piece[type]), 'a call without type')
  demand(typeof wire.name === 'string' && wire.name !== '', 'a call without name')
  demand(input === '', 'a call begins with arguments')
  calls.push({ type, id, name: wire.name, input })
}
