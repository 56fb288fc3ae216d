import { openAiError } from '../chat/error.ts'
import type { ClientStream, JsonObject, ProtocolError } from '../protocol.ts'

/**
 * The end of a response that has failed, as its clients take it, in this order: OpenAI's SDKs and LangChain
 * raise on `error` (by its member of that name) and on nothing else, the AI SDK on the first of both, and
 * Codex on `response.failed` alone. `writeEvent` numbers and writes one event.
 */
export function encodeFailedEvents(
  error: ProtocolError,
  response: JsonObject,
  writeEvent: (type: string, fields: JsonObject) => string,
): string {
  const told = openAiError(error)
  const { message, param, code } = told
  return (
    writeEvent('error', { code, message, param, error: told }) +
    writeEvent('response.failed', { response })
  )
}

/** What went wrong, in the words that a response has for it: by them Codex knows what to repeat. */
export function failedError({ status, message }: ProtocolError) {
  return { code: failedCode(status), message }
}

/** Source: OpenAI's API reference, `ResponseError`; the word for a lack of money is that of its errors. */
function failedCode(status: number): string {
  if (status === 402) return 'insufficient_quota'
  if (status === 429) return 'rate_limit_exceeded'
  return status >= 500 ? 'server_error' : 'invalid_prompt'
}

/**
 * An error behind what came of a stream, or behind nothing: the response keeps the id that the stream began
 * with, and leaves out `output`, which OpenAI's SDK then fills with what it has received.
 */
export function encodeResponsesStreamError(
  error: ProtocolError,
  _stream: ClientStream,
  _first: boolean,
): string {
  let sequence = error.answer?.sequence ?? -1
  const response = {
    id: error.answer?.answerId ?? `resp_${error.requestId}`,
    object: 'response',
    created_at: error.createdAt ?? 0,
    model: error.model ?? '',
    status: 'failed',
    error: failedError(error),
    incomplete_details: null,
  }
  return encodeFailedEvents(error, response, (type, fields) => {
    sequence++
    return encodeEvent(type, { type, sequence_number: sequence, ...fields })
  })
}

const encodeEvent = (type: string, data: JsonObject) =>
  `event: ${type}\ndata: ${JSON.stringify(data)}\n\n`
