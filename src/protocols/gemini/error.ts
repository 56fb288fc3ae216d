import type { Framing, ProtocolError } from '../protocol.ts'

/** Body of an error answer: `code` is the HTTP status, `status` its word. */
export function encodeGeminiError(error: ProtocolError): string {
  const { status: code, message } = error
  return JSON.stringify({ error: { code, message, status: statusWord(code) } })
}

/** An error inside a stream: one more event, or the last element of the array. */
export function encodeGeminiStreamError(
  error: ProtocolError,
  framing: Framing,
  first: boolean,
): string {
  const body = encodeGeminiError(error)
  if (framing === 'sse') return `data: ${body}\r\n\r\n`
  return first ? `[${body}]` : `,\n${body}]`
}

const statusWords = new Map([
  [401, 'UNAUTHENTICATED'],
  [402, 'RESOURCE_EXHAUSTED'],
  [403, 'PERMISSION_DENIED'],
  [404, 'NOT_FOUND'],
  [409, 'ABORTED'],
  [429, 'RESOURCE_EXHAUSTED'],
  [502, 'UNAVAILABLE'],
  [503, 'UNAVAILABLE'],
  [504, 'DEADLINE_EXCEEDED'],
])

function statusWord(status: number): string {
  return statusWords.get(status) ?? (status >= 500 ? 'INTERNAL' : 'INVALID_ARGUMENT')
}
