import type { JsonObject } from '../../../src/protocols/protocol.ts'
import { parse, type Report } from './shared.ts'

/** One event of a stream: its name, where it has one, and its one line of data. */
export interface SseFrame {
  readonly event: string | undefined
  readonly data: string
}

/**
 * Cuts a stream as strictly as the vendors write it: an optional `event:` line, one `data:` line
 * and an empty line; comments anywhere; LF or CRLF, but not both. The HTML standard allows more,
 * the line readers of some clients do not.
 */
export function readSse(text: string, report: Report): readonly SseFrame[] {
  report.at('framing')
  report.need(text === '' || /\n\r?\n$/.test(text), 'no empty line after the last event')
  report.need(!text.includes('\r\n') || !/(^|[^\r])\n/.test(text), 'LF and CRLF are mixed')
  const frames: SseFrame[] = []
  let event: string | undefined
  let data: string | undefined
  let isEmpty = true
  const lines = text.split(/\r?\n/)
  // What follows the last line's end is no line.
  if (lines.at(-1) === '') lines.pop()
  for (const [at, line] of lines.entries()) {
    report.at(`line ${at + 1}`)
    if (line === '') {
      report.need(!isEmpty, 'an empty line too many')
      report.need(data !== undefined || event === undefined, 'an event without data')
      if (data !== undefined) frames.push({ event, data })
      event = undefined
      data = undefined
      isEmpty = true
      continue
    }
    isEmpty = false
    report.need(!line.includes('\r'), 'a CR without LF')
    if (line.startsWith(':')) continue
    if (line.startsWith('event: ')) {
      report.need(event === undefined && data === undefined, 'event: comes once, before data:')
      event = line.slice('event: '.length)
    } else if (line.startsWith('data: ')) {
      report.need(data === undefined, 'a second data: line in one event')
      data = line.slice('data: '.length)
    } else report.need(false, `neither data: nor event: nor a comment: ${line.slice(0, 60)}`)
  }
  return frames
}

/** One event of a stream whose events are named by their type. */
export interface NamedEvent {
  readonly type: string
  readonly event: JsonObject
}

/** The event of a frame, whose name must be its type; undefined, and reported, when it is no object. */
export function readNamed(
  { event: name, data }: SseFrame,
  at: number,
  report: Report,
): NamedEvent | undefined {
  report.at(`event ${at}`)
  const event = report.object(parse(data), 'data')
  if (event === undefined) return undefined
  const type = String(event.type)
  report.at(`event ${at} (${type})`)
  report.need(type === name, `the event's name is ${name}`)
  return { type, event }
}

/** The object of a frame without a name. */
export function readUnnamed(
  { event: name, data }: SseFrame,
  report: Report,
): JsonObject | undefined {
  report.need(name === undefined, `an event name, ${name}`)
  return report.object(parse(data), 'data')
}
