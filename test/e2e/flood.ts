import type { Socket } from 'node:net'
import { type RawRequest, type RawUpstream, startRawUpstream } from '../support/raw-upstream.ts'
import type { Dialect, Tokens } from './dialects.ts'

/** An upstream that sends a long stream as fast as it is read. */
export interface Flood extends AsyncDisposable {
  readonly url: string
  /** Bytes of the stream that the gateway has taken, or that wait in a socket on the way. */
  written(): number
  /** Connections that are open now. */
  open(): number
}

/** A request that asks this is answered in a few words. */
export const shortly = 'in a few words'

/** Starts an upstream whose answers are streams of `totalBytes` in events of about 1 KB. */
export async function startFlood(
  dialect: Dialect,
  tokens: Tokens,
  totalBytes: number,
): Promise<Flood> {
  let written = 0
  const event = dialect.piece('0123456789abcdef '.repeat(50))
  const batch = Buffer.from(event.repeat(16))
  const size = batch.length.toString(16)
  const piece = Buffer.concat([Buffer.from(`${size}\r\n`), batch, Buffer.from('\r\n')])
  const script = async (socket: Socket, request: RawRequest) => {
    socket.write(head + chunk(dialect.first(tokens)))
    let sent = request.body.includes(shortly) ? totalBytes : 0
    while (sent < totalBytes && !socket.destroyed) {
      const room = socket.write(piece)
      sent += batch.length
      written += batch.length
      if (room) await new Promise((resolve) => setImmediate(resolve))
      else await drained(socket)
    }
    socket.write(`${chunk(dialect.last(tokens))}0\r\n\r\n`)
  }
  const upstream: RawUpstream = await startRawUpstream(script)
  return {
    url: upstream.url,
    written: () => written,
    open: upstream.open,
    [Symbol.asyncDispose]: upstream.stop,
  }
}

const head =
  'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n'
const chunk = (text: string) => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`

/** Settles when there is room again, or nobody to write to. */
function drained(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      socket.off('drain', done)
      socket.off('close', done)
      resolve()
    }
    socket.on('drain', done)
    socket.on('close', done)
  })
}
