import type { Codec } from '../canonical/codec.ts'
import { decodeRequest } from './decode-request.ts'
import { decodeResponse } from './decode-response.ts'
import { createDecoder } from './decoder.ts'
import { encodeRequest } from './encode-request.ts'
import { encodeResponse } from './encode-response.ts'
import { createEncoder } from './encoder.ts'
import { decodeError } from './error.ts'
import { findSchemaFault, findToldKeywords } from './schema-fault.ts'
import { takesSearch } from './search.ts'

/** The translating half of Google's generateContent. */
export const geminiCodec: Codec = {
  decodeRequest,
  encodeRequest,
  decodeResponse,
  encodeResponse,
  createDecoder,
  createEncoder,
  findFault: findSchemaFault,
  tellsInWords: findToldKeywords,
  takesSearch,
  encodeCount: (inputTokens) => ({ totalTokens: inputTokens }),
  decodeError,
}
