import type { DecodeContext } from '../canonical/codec.ts'
import { foldEvents } from '../canonical/fold.ts'
import type { CanonicalResponse } from '../canonical/response.ts'
import type { JsonObject } from '../protocol.ts'
import { createChunkDecoder } from './decoder.ts'

/** A whole answer: it has the shape of a stream's one chunk. Never throws. */
export function decodeResponse(body: JsonObject, context: DecodeContext): CanonicalResponse {
  const decoder = createChunkDecoder(context)
  const events = decoder.read(body)
  return foldEvents([...events, ...decoder.end()])
}
