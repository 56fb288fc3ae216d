import { dialects, wholeStream } from '../../e2e/dialects.ts'

// The upstream of a crowd, as a process of its own: how it answers is told by the model.

const { chat } = dialects
const tokens = { input: 9, output: 5 }
/** Of a stream that is read slowly: more than any socket on the way holds. */
const floodBytes = 64 * 1_048_576
const piece = new TextEncoder().encode(chat.piece('many words '.repeat(1_000)))
const word = new TextEncoder().encode(chat.piece('word '))

async function* slowly(): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(chat.first(tokens))
  for (;;) {
    yield word
    await Bun.sleep(1_000)
  }
}

async function* flood(): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(chat.first(tokens))
  for (let sent = 0; sent < floodBytes; sent += piece.byteLength) yield piece
  yield new TextEncoder().encode(chat.last(tokens))
}

const sse = (body: unknown) =>
  new Response(body as Bun.BodyInit, { headers: { 'content-type': 'text/event-stream' } })

const server = Bun.serve({
  ...{ hostname: '127.0.0.1', port: 0, idleTimeout: 0, maxRequestBodySize: 2 ** 31 },
  async fetch(request) {
    let head = ''
    for await (const part of request.body ?? []) {
      if (head.length < 1_000) head += Buffer.from(part.subarray(0, 1_000)).toString()
    }
    if (head.includes('"model":"stream"')) return sse(slowly())
    if (head.includes('"model":"flood"')) return sse(flood())
    if (head.includes('"stream":true')) return sse(wholeStream(chat, tokens, ['Hello']))
    if (head.includes('"model":"large"')) await Bun.sleep(1_000)
    return Response.json(chat.body(tokens))
  },
})
process.stdout.write(`http://127.0.0.1:${server.port}\n`)
