import type { ProtocolName } from '../../../src/protocols/protocol.ts'
import { type Dialect, dialects, type Tokens, wholeStream } from '../../e2e/dialects.ts'
import type { FaultRequest } from './requests.ts'
import { httpBytes, type Steps, write } from './steps.ts'

/** What well-behaved answers say that they used, unless they say otherwise. */
export const usualTokens: Tokens = { input: 1000, output: 500 }

/** The text of well-behaved streams, in its pieces. */
export const words = ['Here is ', 'an answer', ' of some words.'] as const

/** The protocol that a request is asked in; throws where it is none. */
export function dialectOf({ protocol, path }: Pick<FaultRequest, 'protocol' | 'path'>): Dialect {
  if (protocol === undefined) throw new Error(`No protocol has the path ${path}.`)
  return dialects[protocol]
}

/** A regular answer in the request's own protocol, streamed where it asks for that. */
export function answerWell(request: FaultRequest, tokens: Tokens = usualTokens): Steps {
  const dialect = dialectOf(request)
  return [write(request.isStreamed ? wellStreamed(dialect, tokens) : wellWhole(dialect, tokens))]
}

/** A whole stream, with its head. */
export const wellStreamed = (dialect: Dialect, tokens: Tokens = usualTokens): Uint8Array =>
  httpBytes({
    ...{ type: 'text/event-stream', framing: 'chunked' },
    body: wholeStream(dialect, tokens, words),
  })

/** A whole answer that is not streamed, with its head. */
export const wellWhole = (dialect: Dialect, tokens: Tokens = usualTokens): Uint8Array =>
  httpBytes({ body: JSON.stringify(dialect.body(tokens)) })

/** What a vendor says inside of an answer with status 200, where it fails. */
export const failedBody: Readonly<Record<ProtocolName, (message: string) => object>> = {
  chat: (message) => ({ error: { message, type: 'server_error', code: 'server_error' } }),
  responses: (message) => ({
    ...{ id: 'resp_1', object: 'response', status: 'failed', output: [] },
    error: { code: 'server_error', message },
  }),
  messages: (message) => ({ type: 'error', error: { type: 'api_error', message } }),
  gemini: (message) => ({ error: { code: 500, message, status: 'INTERNAL' } }),
}
