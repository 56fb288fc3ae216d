import type { CanonicalError } from '../canonical/error.ts'
import { objectIn, stringIn } from '../json.ts'
import type { JsonObject, ProtocolError } from '../protocol.ts'

/** The body of an error answer. It has no room for a code or a field, except what its SDK needs. */
export function encodeMessagesError(error: ProtocolError): string {
  return JSON.stringify({
    type: 'error',
    error: {
      type: errorType(error.status),
      message: error.message,
      ...threadDetails(error),
    },
    request_id: error.requestId,
  })
}

/** With this text the vendor's SDK, and Claude Code, resend the whole conversation without its thread. */
function threadDetails({ code, param }: ProtocolError) {
  if (code === 'thread_not_found') return { details: { error_code: code } }
  if (code !== 'unsupported_parameter' || param !== 'thread') return undefined
  return { details: { error_code: 'thread_unsupported_request', unsupported: [param] } }
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

/** Decodes an error in a body or an event. Imitators may send plain text. */
export function decodeMessagesError(body: JsonObject): CanonicalError {
  const error = objectIn(body, 'error') ?? body
  const code = stringIn(error, 'type')
  const message =
    stringIn(error, 'message') ?? stringIn(body, 'error') ?? 'The upstream reported an error.'
  return {
    message,
    code: error === body ? undefined : code,
    param: pathBefore.exec(message)?.[1],
    status: code === undefined ? undefined : statuses.get(code),
  }
}

/** The vendor begins with the field: `messages.1.content: Expected …`, `max_tokens: 5 > 4`. */
const pathBefore = /^((?:messages|system|tools|thinking|temperature|[a-z]+_[a-z_]+)(?:\.\w+)*): /

const statuses = new Map([
  ['invalid_request_error', 400],
  ['api_error', 500],
  ...[...errorTypes].map(([status, type]) => [type, status] as const),
])
