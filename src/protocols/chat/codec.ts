import type { Codec } from '../canonical/codec.ts'
import { findRootKeywords, openAiRoot } from '../canonical/root-schema.ts'
import { decodeChatRequest } from './decode-request.ts'
import { decodeChatResponse } from './decode-response.ts'
import { createChatDecoder } from './decoder.ts'
import { encodeChatRequest } from './encode-request.ts'
import { encodeChatResponse } from './encode-response.ts'
import { createChatEncoder } from './encoder.ts'
import { decodeOpenAiError } from './error.ts'
import { takesSearch } from './search.ts'

/** Translation of chat completions. They have no endpoint that counts: the form is that of responses. */
export const chatCodec: Codec = {
  decodeRequest: decodeChatRequest,
  encodeRequest: encodeChatRequest,
  decodeResponse: decodeChatResponse,
  encodeResponse: encodeChatResponse,
  createDecoder: createChatDecoder,
  createEncoder: createChatEncoder,
  tellsInWords: (request) => findRootKeywords(request, openAiRoot),
  takesSearch,
  encodeCount: (inputTokens) => ({ object: 'response.input_tokens', input_tokens: inputTokens }),
  decodeError: decodeOpenAiError,
}
