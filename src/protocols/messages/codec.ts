import type { Codec } from '../canonical/codec.ts'
import { anthropicRoot, findRootKeywords } from '../canonical/root-schema.ts'
import { decodeMessagesRequest } from './decode-request.ts'
import { decodeMessagesResponse } from './decode-response.ts'
import { showsUnasked } from './decode-thinking.ts'
import { createMessagesDecoder } from './decoder.ts'
import { encodeMessagesRequest } from './encode-request.ts'
import { encodeMessagesResponse } from './encode-response.ts'
import { createMessagesEncoder } from './encoder.ts'
import { decodeMessagesError } from './error.ts'
import { findRequestFault } from './request-fault.ts'
import { takesSearch } from './search.ts'
import { hindrance, thinkingMode } from './thinking.ts'

/** Anthropic's messages, to and from the canonical form. */
export const messagesCodec: Codec = {
  decodeRequest: decodeMessagesRequest,
  encodeRequest: encodeMessagesRequest,
  decodeResponse: decodeMessagesResponse,
  encodeResponse: encodeMessagesResponse,
  createDecoder: createMessagesDecoder,
  createEncoder: createMessagesEncoder,
  findFault: findRequestFault,
  takesSearch,
  leavesOut: (request, quirks) =>
    thinkingMode(request, quirks) === 'manual' && hindrance(request) ? ['reasoning'] : [],
  showsUnasked,
  tellsInWords: (request) => findRootKeywords(request, anthropicRoot),
  encodeCount: (inputTokens) => ({ input_tokens: inputTokens }),
  decodeError: decodeMessagesError,
}
