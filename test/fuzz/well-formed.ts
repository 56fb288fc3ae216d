import { isJsonObject } from '../../src/protocols/json.ts'
import type { Framing, JsonObject, ProtocolName } from '../../src/protocols/protocol.ts'
import { demand } from './trial.ts'

/** Throws unless a text is a whole stream of a protocol: events in good form, the last one an end. */
export function checkStreamText(client: ProtocolName, framing: Framing, text: string): void {
  const events = framing === 'sse' ? readSse(client, text) : readArray(text)
  demand(events.length > 0, 'an empty stream')
  const ends = events.filter((event) => isEnd(client, event))
  demand(ends.length > 0, () => `no end: ${text.slice(-300)}`)
  demand(isEnd(client, events.at(-1)), () => `something behind the end: ${text.slice(-500)}`)
  demand(ends.length === 1 || client === 'gemini', () => `ends twice: ${text.slice(-500)}`)
}

/** An event's object; the string of chat's last one. */
type Event = JsonObject | '[DONE]'

const names = new Set<ProtocolName>(['responses', 'messages'])

function readSse(client: ProtocolName, text: string): readonly Event[] {
  const separator = text.includes('\r\n') ? '\r\n\r\n' : '\n\n'
  const frames = text.split(separator)
  demand(frames.pop() === '', () => `a frame without its end: ${text.slice(-200)}`)
  return frames.map((frame) => {
    const lines = frame.split('\n')
    const name = names.has(client) ? lines.shift() : undefined
    const [data = ''] = lines
    demand(lines.length === 1 && data.startsWith('data: '), () => `no good frame: ${frame}`)
    demand(!frame.includes('\r'), () => `a CR in a frame: ${frame}`)
    if (client === 'chat' && data === 'data: [DONE]') return '[DONE]'
    const event = parse(data.slice(6))
    demand(name === undefined || name === `event: ${event.type}`, () => `${name} for ${data}`)
    return event
  })
}

function parse(text: string): JsonObject {
  try {
    const event: unknown = JSON.parse(text)
    demand(isJsonObject(event), () => `no object: ${text}`)
    return event
  } catch {
    demand(false, () => `no JSON: ${text.slice(0, 300)}`)
  }
}

function readArray(text: string): readonly Event[] {
  const { list } = parse(`{"list":${text}}`)
  demand(Array.isArray(list) && list.every(isJsonObject), () => `no array: ${text.slice(0, 300)}`)
  return list
}

function isEnd(client: ProtocolName, event: Event | undefined): boolean {
  if (event === undefined) return false
  if (event === '[DONE]') return true
  switch (client) {
    case 'chat':
      return 'error' in event
    case 'responses':
      return typeof event.type === 'string' && responsesEnds.has(event.type)
    case 'messages':
      return event.type === 'message_stop' || event.type === 'error'
    case 'gemini':
      return 'error' in event || hasFinish(event)
  }
}

/** An `error` is none: `response.failed` follows it. */
const responsesEnds = new Set(['response.completed', 'response.incomplete', 'response.failed'])

/** Gemini's last chunk tells why each candidate ended; it has no end of its own. */
const hasFinish = ({ candidates, promptFeedback }: JsonObject) =>
  promptFeedback !== undefined ||
  (Array.isArray(candidates) &&
    candidates.some((candidate) => isJsonObject(candidate) && 'finishReason' in candidate))
