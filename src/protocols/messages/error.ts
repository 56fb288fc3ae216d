import type { ProtocolError } from '../protocol.ts'

/** Body of an error answer. The shape has no room for a code or a field. */
export function encodeMessagesError(error: ProtocolError): string {
  return JSON.stringify({
    type: 'error',
    error: { type: errorType(error.status), message: error.message },
    request_id: error.requestId,
  })
}

/** An error inside a stream: the same body as an event. */
export function encodeMessagesStreamError(error: ProtocolError): string {
  return `event: error\ndata: ${encodeMessagesError(error)}\n\n`
}

const errorTypes = new Map([
  [401, 'authentication_error'],
  [402, 'billing_error'],
  [403, 'permission_error'],
  [404, 'not_found_error'],
  [413, 'request_too_large'],
  [429, 'rate_limit_error'],
  [504, 'timeout_error'],
  [529, 'overloaded_error'],
])

function errorType(status: number): string {
  return errorTypes.get(status) ?? (status >= 500 ? 'api_error' : 'invalid_request_error')
}
