import type { CanonicalRequest } from '../canonical/request.ts'
import type { Fault } from '../protocol.ts'
import { isSilent } from './encode-turns.ts'
import { findSchemaFault } from './schema-fault.ts'

/** What the vendor would refuse: a schema that it can't enforce, or a conversation without a word. */
export function findRequestFault(
  request: CanonicalRequest,
  conversation = 'messages',
): Fault | undefined {
  return findSchemaFault(request) ?? (isSilent(request) ? silence(conversation) : undefined)
}

const silence = (param: string): Fault => ({
  code: 'invalid_value',
  param,
  message: `${param} has no text, and the channel of this model speaks the protocol messages, which wants some. Send a message.`,
})
