import type { DecodeContext, StreamDecoder } from '../canonical/codec.ts'
import { parseJsonObject, stringIn } from '../json.ts'
import { decodeMessagesError } from './error.ts'
import { createEventReader } from './event-reader.ts'

/** Reads a streamed message. An error that comes before anything else comes without a `start`. */
export function createMessagesDecoder(context: DecodeContext): StreamDecoder {
  const reader = createEventReader(context)
  return {
    push(data, name, json) {
      const event = json ?? parseJsonObject(data)
      if (event !== undefined) return reader.read(stringIn(event, 'type') ?? name, event)
      return name === 'error' ? reader.fail(decodeMessagesError({ error: data })) : []
    },
    end: () => reader.end(),
  }
}
