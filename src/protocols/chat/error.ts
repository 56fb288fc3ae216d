import type { ProtocolError } from '../protocol.ts'

/** The error object of OpenAI's protocols. `code` and `param` are null where there is none. */
export function openAiError(error: ProtocolError) {
  return {
    message: error.message,
    type: errorType(error.status),
    param: error.param ?? null,
    code: error.code,
  }
}

/** Body of an error answer, for chat and responses. */
export function encodeOpenAiError(error: ProtocolError): string {
  return JSON.stringify({ error: openAiError(error) })
}

/** An error chunk. `[DONE]` does not follow: this stream did not end well. */
export function encodeChatStreamError(error: ProtocolError): string {
  return `data: ${encodeOpenAiError(error)}\n\n`
}

function errorType(status: number): string {
  if (status === 401) return 'authentication_error'
  if (status === 402) return 'insufficient_quota'
  if (status === 403) return 'permission_error'
  if (status === 429) return 'rate_limit_error'
  return status >= 500 ? 'api_error' : 'invalid_request_error'
}
