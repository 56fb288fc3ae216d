import type { Framing, ProtocolError } from '../protocol.ts'

/**
 * `response.failed`, as OpenAI's SDK takes it: the response keeps the id that the stream began with,
 * and leaves out `output`, which the SDK then fills with what it has received. A stream that has
 * not begun needs a `response.created` before it.
 */
export function encodeResponsesStreamError(
  error: ProtocolError,
  _framing: Framing,
  first: boolean,
): string {
  const id = error.answer?.answerId ?? `resp_${error.requestId}`
  const last = error.answer?.sequence ?? -1
  const response = { id, object: 'response', error: null, incomplete_details: null }
  const created = encodeEvent('response.created', last + 1, {
    ...response,
    status: 'in_progress',
    output: [],
  })
  const failed = encodeEvent('response.failed', first ? last + 2 : last + 1, {
    ...response,
    status: 'failed',
    error: { code: error.code, message: error.message },
  })
  return first ? created + failed : failed
}

function encodeEvent(type: string, sequence: number, response: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: sequence, response })}\n\n`
}
