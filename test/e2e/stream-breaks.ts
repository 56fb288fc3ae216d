import type { RawScript } from '../support/raw-upstream.ts'
import { gate, type SpeechName } from './broken-upstream.ts'
import { streams } from './vendor-answers.ts'

/** The content type of a protocol's streams. */
export const typeOf = (name: SpeechName) =>
  name === 'gemini-array' ? 'application/json' : 'text/event-stream'

const chunk = (text: string) => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`
/** The end of a chunked body. */
export const lastChunk = '0\r\n\r\n'

/** A chunked answer; `rest` follows on the wire when the client has the text, and then the end. */
export function streamed(name: SpeechName, text: string, rest: string, end: boolean): RawScript {
  return async (socket, request) => {
    const head = `HTTP/1.1 200 OK\r\ncontent-type: ${typeOf(name)}\r\ntransfer-encoding: chunked\r\n\r\n`
    socket.write(head + chunk(text))
    await gate(request)
    socket.write(rest)
    if (end) socket.end()
  }
}

/** The beginning of a stream, with text in it and without its end. */
export const begun = (name: SpeechName) =>
  streams[name].slice(0, name === 'messages' ? 4 : 2).join('')
/** Half of the event that would follow. */
const half = (name: SpeechName) =>
  (streams[name].at(name === 'messages' ? 4 : 2) ?? '').slice(0, 12)

/** What a break is told as. */
export type Kind = 'upstream_error' | 'upstream_timeout'

/** Every way to break off after some events, and what it is told as. */
export const breaks: Readonly<
  Record<string, { readonly script: (name: SpeechName) => RawScript; readonly kind: Kind }>
> = {
  closed: { script: (name) => streamed(name, begun(name), '', true), kind: 'upstream_error' },
  'closed-in-an-event': {
    script: (name) => streamed(name, begun(name) + half(name), '', true),
    kind: 'upstream_error',
  },
  'closed-in-a-chunk': {
    script: (name) => streamed(name, begun(name), `fff\r\n${half(name)}`, true),
    kind: 'upstream_error',
  },
  'a-wrong-chunk': {
    script: (name) => streamed(name, begun(name), 'not a chunk size\r\n', true),
    kind: 'upstream_error',
  },
  'ended-early': {
    script: (name) => streamed(name, begun(name), lastChunk, false),
    kind: 'upstream_error',
  },
  reset: {
    script: (name) => async (socket, request) => {
      await streamed(name, begun(name), '', false)(socket, request)
      socket.resetAndDestroy()
    },
    kind: 'upstream_error',
  },
  silent: {
    script: (name) => streamed(name, begun(name), '', false),
    kind: 'upstream_timeout',
  },
  'silent-in-an-event': {
    script: (name) => streamed(name, begun(name) + half(name), '', false),
    kind: 'upstream_timeout',
  },
  endless: {
    script: (name) => async (socket, request) => {
      await streamed(name, begun(name), '', false)(socket, request)
      // A sign of life that carries nothing, in either framing.
      while (!socket.destroyed) {
        socket.write(chunk(name === 'gemini-array' ? '\n' : ': still there\n\n'))
        await Bun.sleep(50)
      }
    },
    kind: 'upstream_timeout',
  },
}

/** The upstream's own error inside of its stream, as its protocol has it. */
export const errorEvents: Readonly<Record<SpeechName, (message: string) => string>> = {
  chat: (message) => `data: ${JSON.stringify({ error: { message, code: 500 } })}\n\n`,
  responses: (message) =>
    `event: response.failed\ndata: ${JSON.stringify({
      type: 'response.failed',
      sequence_number: 2,
      response: { id: 'resp_1', status: 'failed', error: { code: 'server_error', message } },
    })}\n\n`,
  messages: (message) =>
    `event: error\ndata: ${JSON.stringify({ type: 'error', error: { type: 'api_error', message } })}\n\n`,
  gemini: (message) => `data: ${JSON.stringify({ error: { code: 500, message } })}\r\n\r\n`,
  'gemini-array': (message) => `,\r\n${JSON.stringify({ error: { code: 500, message } })}\r\n]`,
}
