import type { Codec } from '../canonical/codec.ts'
import { findRootKeywords, openAiRoot } from '../canonical/tools.ts'
import { decodeOpenAiError } from '../chat/errors.ts'
import { decodeResponsesRequest } from './decode-request.ts'
import { decodeResponsesResponse } from './decode-response.ts'
import { createResponsesDecoder } from './decoder.ts'
import { encodeResponsesRequest } from './encode-request.ts'
import { encodeResponsesResponse } from './encode-response.ts'
import { createResponsesEncoder } from './encoder.ts'
import { takesSearch } from './search.ts'

/** OpenAI's responses, to and from the canonical form. */
export const responsesCodec: Codec = {
  decodeRequest: decodeResponsesRequest,
  encodeRequest: encodeResponsesRequest,
  decodeResponse: decodeResponsesResponse,
  encodeResponse: encodeResponsesResponse,
  createDecoder: createResponsesDecoder,
  createEncoder: createResponsesEncoder,
  tellsInWords: (request) => findRootKeywords(request, openAiRoot),
  takesSearch,
  encodeCount: (inputTokens) => ({ object: 'response.input_tokens', input_tokens: inputTokens }),
  decodeError: decodeOpenAiError,
}
