import type { JsonObject } from '../../../src/protocols/protocol.ts'
import type { Call } from './chat-shape.ts'
import { isFilled, type Report } from './shared.ts'

/** Joins the tool_calls of one delta to the calls of its choice. */
export function readCalls(calls: Call[], pieces: unknown, report: Report): void {
  const list = report.objects(pieces, 'tool_calls')
  report.need(list.length > 0, 'tool_calls is empty')
  for (const piece of list) {
    const kind = piece.custom === undefined ? 'function' : 'custom'
    const payload = report.object(piece[kind], `${kind} of a tool call`) ?? {}
    const text = (kind === 'custom' ? payload.input : payload.arguments) ?? ''
    report.need(typeof text === 'string', 'the arguments of a tool call are no text')
    const part: Piece = { kind, name: payload.name, text: String(text), piece }
    const current = calls.at(-1)
    // The SDK tells a call as done when the next one begins: what comes later for it is lost.
    const isNew = current === undefined || piece.index !== calls.length - 1
    if (isNew) beginCall(calls, part, report)
    else appendToCall(current, part, report)
  }
}

interface Piece {
  readonly kind: 'function' | 'custom'
  readonly name: unknown
  readonly text: string
  readonly piece: JsonObject
}

function beginCall(calls: Call[], { kind, name, text, piece }: Piece, report: Report): void {
  const { index, id, type } = piece
  report.need(index === calls.length, `tool call index ${index}, expected ${calls.length}`)
  report.need(isFilled(id), 'a tool call begins without id')
  report.need(!calls.some((call) => call.id === id), `two tool calls have the id ${id}`)
  report.need(type === kind, `a tool call begins with type ${type}, not ${kind}`)
  report.need(isFilled(name), 'a tool call begins without name')
  calls.push({ id, kind, text })
}

function appendToCall(call: Call, { kind, name, text, piece }: Piece, report: Report): void {
  const { id, type } = piece
  report.need(id === undefined || id === call.id, `a later piece has another id, ${id}`)
  report.need(kind === call.kind, `a later piece is of another kind, ${kind}`)
  report.need(type === undefined || type === call.kind, `a later piece has another type, ${type}`)
  // Some clients append names like arguments: one that is repeated would be doubled.
  report.need(name === undefined, 'a later piece names the tool again')
  call.text += text
}
