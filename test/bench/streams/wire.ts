/**
 * What the streams of the measurement consist of: events of one length, as chunks of HTTP/1.1, each
 * with its number and the moment at which it was sent, in figures at a fixed place.
 */
const mark = '@'
const numberDigits = 8
const timeDigits = 16

const content = `${mark}${'0'.repeat(numberDigits)} ${'0'.repeat(timeDigits)} a few words`
const event = `data: ${JSON.stringify({
  id: 'chatcmpl-1',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'test-model',
  choices: [{ index: 0, delta: { content }, finish_reason: null }],
})}\n\n`

const asChunk = (text: string) => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`
const data = (value: object) => `data: ${JSON.stringify(value)}\n\n`
const part = (choices: readonly object[], rest: object = {}) =>
  data({ id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, choices, ...rest })

/** The length of an event, without what HTTP puts around it. */
export const eventBytes = event.length
/** Where in an event the mark before the number is. */
export const markAt = event.indexOf(mark)
export const markCode = mark.charCodeAt(0)

/** The head of an upstream's answer, with the first event, which carries no text. */
export const opening = Buffer.from(
  'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n' +
    asChunk(
      part([{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null }], {
        model: 'test-model',
      }),
    ),
)

/** The end of an answer: usage, the protocol's last words, the last chunk. */
export const closing = Buffer.from(
  `${asChunk(
    part([{ index: 0, delta: {}, finish_reason: 'stop' }]) +
      part([], {
        usage: { prompt_tokens: 10, completion_tokens: 20, total_tokens: 30 },
      }) +
      'data: [DONE]\n\n',
  )}0\r\n\r\n`,
)

/** Makes one event again and again in the same bytes: they are to be sent before the next is made. */
export function createEventWriter() {
  const bytes = Buffer.from(asChunk(event))
  const numberAt = bytes.indexOf(mark) + 1
  const timeAt = numberAt + numberDigits + 1
  return (number: number, sentUs: number): Buffer => {
    writeDigits(bytes, numberAt, numberDigits, number)
    writeDigits(bytes, timeAt, timeDigits, sentUs)
    return bytes
  }
}

function writeDigits(bytes: Buffer, at: number, count: number, value: number): void {
  let rest = Math.floor(value)
  for (let i = at + count - 1; i >= at; i--) {
    bytes[i] = 48 + (rest % 10)
    rest = Math.floor(rest / 10)
  }
}

/** The number of an event whose mark is at `at`. */
export const numberOf = (bytes: Uint8Array, at: number) => readDigits(bytes, at + 1, numberDigits)
/** When it was sent, as `nowUs` of the sender. */
export const sentUsOf = (bytes: Uint8Array, at: number) =>
  readDigits(bytes, at + 2 + numberDigits, timeDigits)

function readDigits(bytes: Uint8Array, at: number, count: number): number {
  let value = 0
  for (let i = at; i < at + count; i++) value = value * 10 + ((bytes[i] ?? 48) - 48)
  return value
}

/** Microseconds since 1970: the one clock that processes share; set by nobody once they run. */
export const nowUs = () => (performance.timeOrigin + performance.now()) * 1000

/** The request that a stream begins with. */
export function requestFor(host: string, key: string, number: number): string {
  const body = JSON.stringify({
    model: 'test-model',
    stream: true,
    stream_options: { include_usage: true },
    max_completion_tokens: 100,
    messages: [{ role: 'user', content: `Stream ${number}: go on until I say stop.` }],
  })
  return (
    `POST /v1/chat/completions HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer ${key}\r\n` +
    `content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`
  )
}
