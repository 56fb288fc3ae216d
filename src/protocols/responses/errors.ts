import { openAiError } from '../chat/errors.ts'
import type { ClientStream, JsonObject, ProtocolError } from '../protocol.ts'
import { createEventWriter, type WriteEvent } from './item-writers.ts'

/**
 * The end of a response that has failed, as its clients take it, in this order: OpenAI's SDKs and LangChain
 * raise on `error` (by its member of that name) and on nothing else, the AI SDK on the first of both, and
 * Codex on `response.failed` alone. `writeEvent` numbers and writes one event.
 */
export function encodeFailedEvents(
  error: ProtocolError,
  response: JsonObject,
  writeEvent: WriteEvent,
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
 * An error behind what came of a stream: the response keeps the id that the stream began with, and leaves out
 * `output`, which OpenAI's SDK then fills with what it has received. A stream that has not begun begins
 * before it, with all that the AI SDK asks of a response.
 */
export function encodeResponsesStreamError(
  error: ProtocolError,
  _stream: ClientStream,
  first: boolean,
): string {
  const emit = createEventWriter((error.answer?.sequence ?? -1) + 1)
  const response = {
    ...{ id: error.answer?.answerId ?? `resp_${error.requestId}`, object: 'response' },
    ...{ created_at: error.createdAt ?? 0, model: error.model ?? '', ...usual },
  }
  const begun = { response: { ...response, status: 'in_progress', output: [] } }
  const failed = { ...response, status: 'failed', error: failedError(error) }
  return (first ? emit('response.created', begun) : '') + encodeFailedEvents(error, failed, emit)
}

/** What every response has. */
const usual = {
  ...{ error: null, incomplete_details: null, instructions: null, metadata: {} },
  ...{ parallel_tool_calls: true, temperature: 1, tool_choice: 'auto', tools: [], top_p: 1 },
}
