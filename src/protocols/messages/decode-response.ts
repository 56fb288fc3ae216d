import type { DecodeContext } from '../canonical/codec.ts'
import { createFolder } from '../canonical/fold.ts'
import type { CanonicalResponse } from '../canonical/response.ts'
import { arrayIn, isJsonObject } from '../json.ts'
import type { JsonObject } from '../protocol.ts'
import { decodeMessagesError } from './error.ts'
import { createEventReader } from './event-reader.ts'

/** Reads a whole message, as the stream that it could have been: both then say the same. */
export function decodeMessagesResponse(
  body: JsonObject,
  context: DecodeContext,
): CanonicalResponse {
  if (body.type === 'error') return { choices: [], error: decodeMessagesError(body) }
  const reader = createEventReader(context)
  const folder = createFolder()
  const read = (type: string, event: JsonObject) => {
    for (const result of reader.read(type, event)) folder.push(result)
  }
  read('message_start', { message: body })
  for (const [index, block] of arrayIn(body, 'content').entries()) {
    read('content_block_start', { index, content_block: isJsonObject(block) ? block : undefined })
    read('content_block_stop', { index })
  }
  // Usage was told above.
  read('message_delta', { delta: body })
  read('message_stop', {})
  return folder.response()
}
