import type { CanonicalError } from '../canonical/error.ts'
import { arrayIn, isJsonObject, stringIn } from '../json.ts'
import type { JsonObject, ProtocolError } from '../protocol.ts'

/** The error object of OpenAI's protocols. `code` and `param` are null when absent. */
export function openAiError(error: ProtocolError) {
  return {
    message: error.message,
    type: errorType(error.status),
    param: error.param ?? null,
    code: error.code,
  }
}

/** The body of an error answer, for chat and responses. */
export function encodeOpenAiError(error: ProtocolError): string {
  return JSON.stringify({ error: openAiError(error) })
}

/** An error chunk. `[DONE]` does not follow: the stream failed. */
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

/** Decodes an error in OpenAI's shape, Mistral's (own fields) or vLLM's (`detail`). */
export function decodeOpenAiError(body: JsonObject): CanonicalError {
  const error = isJsonObject(body.error) ? body.error : body
  const { code, status, status_code } = error
  const text = typeof body.error === 'string' && body.error !== '' ? body.error : undefined
  const word = stringIn(error, 'code') ?? stringIn(error, 'type')
  return {
    message:
      stringIn(error, 'message') ??
      text ??
      detailText(error) ??
      word ??
      'An error without a message.',
    code: word,
    param: stringIn(error, 'param'),
    status: [status, status_code, code].find(isHttpStatus),
  }
}

/** FastAPI's `detail`: a text, or a list of faults with a `msg` each. */
function detailText(error: JsonObject): string | undefined {
  const faults = arrayIn(error, 'detail').flatMap((fault) =>
    isJsonObject(fault) ? (stringIn(fault, 'msg') ?? []) : [],
  )
  return stringIn(error, 'detail') ?? (faults.length > 0 ? faults.join('; ') : undefined)
}

const isHttpStatus = (value: unknown): value is number =>
  Number.isInteger(value) && Number(value) >= 400 && Number(value) <= 599
