import type { DecodeContext } from '../canonical/codec.ts'
import { foldEvents } from '../canonical/fold.ts'
import type { CanonicalResponse } from '../canonical/response.ts'
import { isJsonObject } from '../json.ts'
import type { JsonObject } from '../protocol.ts'
import { createResponsesDecoder } from './decoder.ts'

/** Reads a whole answer: as a stream that tells nothing before its last event. */
export function decodeResponsesResponse(
  body: JsonObject,
  context: DecodeContext,
): CanonicalResponse {
  const hasFailed = body.status === 'failed' || isJsonObject(body.error)
  const type = hasFailed ? 'response.failed' : 'response.completed'
  return foldEvents(createResponsesDecoder(context).read({ type, response: body }, type))
}
