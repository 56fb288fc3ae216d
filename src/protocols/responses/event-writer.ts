import type { JsonObject } from '../protocol.ts'

/** One event of a stream as text, with the next sequence number. */
export type WriteEvent = (type: string, fields: JsonObject) => string

/** Numbers the events of one stream, from `first` on. */
export function createEventWriter(first = 0): WriteEvent {
  let sequence = first
  return (type, fields) => {
    const data = JSON.stringify({ type, sequence_number: sequence++, ...fields })
    return `event: ${type}\ndata: ${data}\n\n`
  }
}
