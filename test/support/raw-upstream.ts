import { type AddressInfo, createServer, type Socket } from 'node:net'

/** A request as bytes: the head as text, without the empty line, and the body. */
export interface RawRequest {
  readonly head: string
  readonly body: Buffer
}

/** Writes whatever it likes to the socket: broken HTTP too. */
export type RawScript = (socket: Socket, request: RawRequest) => void | Promise<void>

/** An upstream below HTTP, on a free port of 127.0.0.1. */
export interface RawUpstream extends AsyncDisposable {
  readonly url: string
  readonly requests: readonly RawRequest[]
  /** Connections that are open now. */
  open(): number
  stop(): Promise<void>
}

/** Starts an upstream that reads each request whole and then lets `script` misbehave. */
export async function startRawUpstream(script: RawScript): Promise<RawUpstream> {
  const requests: RawRequest[] = []
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => socket.destroy()) // the far side may leave at any time
    let waiting: Buffer = Buffer.alloc(0)
    socket.on('data', (chunk: Buffer) => {
      waiting = Buffer.concat([waiting, chunk])
      for (let found = take(waiting); found !== undefined; found = take(waiting)) {
        waiting = found.rest
        requests.push(found.request)
        void script(socket, found.request)
      }
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const stop = async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise<void>((resolve) => server.close(() => resolve()))
  }
  const open = () => sockets.size
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    open,
    stop,
    [Symbol.asyncDispose]: stop,
  }
}

/** The first whole request of the bytes, if there is one: by content-length, or chunked. */
function take(bytes: Buffer) {
  const headEnd = bytes.indexOf('\r\n\r\n')
  if (headEnd < 0) return undefined
  const head = bytes.subarray(0, headEnd).toString('latin1')
  const start = headEnd + 4
  let end = start + Number(/^content-length:\s*(\d+)/im.exec(head)?.[1] ?? 0)
  if (/^transfer-encoding:.*chunked/im.test(head)) {
    const last = bytes.indexOf('0\r\n\r\n', start)
    if (last < 0) return undefined
    end = last + 5
  }
  if (bytes.length < end) return undefined
  const request: RawRequest = { head, body: bytes.subarray(start, end) }
  return { request, rest: bytes.subarray(end) }
}

const head = (status: string, headers: readonly string[]) =>
  `HTTP/1.1 ${status}\r\n${headers.join('\r\n')}\r\n\r\n`

const chunked = ['content-type: text/event-stream', 'transfer-encoding: chunked']
const asChunk = (text: string) => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`

/** Ready-made ways to misbehave. */
export const rawScripts = {
  /** Closes without a byte. */
  closeAtOnce: (): RawScript => (socket) => {
    socket.end()
  },
  /** Resets the connection without a byte. */
  reset: (): RawScript => (socket) => {
    socket.resetAndDestroy()
  },
  /** Announces more bytes than it sends, then closes. */
  shortBody:
    (body: string, missingBytes = 100): RawScript =>
    (socket) => {
      const length = Buffer.byteLength(body) + missingBytes
      socket.end(
        head('200 OK', ['content-type: application/json', `content-length: ${length}`]) + body,
      )
    },
  /** Sends a part of a chunked stream and closes without the last chunk. */
  cutStream:
    (text: string): RawScript =>
    (socket) => {
      socket.end(head('200 OK', chunked) + asChunk(text))
    },
  /** Sends something that is not HTTP. */
  garbage: (): RawScript => (socket) => {
    socket.end('\u0000\u0001 this is not HTTP \r\n\r\n')
  },
  /** Sends the head and the text, then nothing, and never closes. */
  neverEnds:
    (text = ''): RawScript =>
    (socket) => {
      socket.write(head('200 OK', chunked) + (text === '' ? '' : asChunk(text)))
    },
  /** Sends half a head, then nothing. */
  halfHead: (): RawScript => (socket) => {
    socket.write('HTTP/1.1 200 OK\r\ncontent-type: appl')
  },
  /** Sends a stream without end, as fast as it is read, until the far side leaves. */
  flood:
    (text: string): RawScript =>
    async (socket) => {
      const piece = asChunk(text)
      socket.write(head('200 OK', chunked))
      while (!socket.destroyed) {
        if (socket.write(piece)) await Bun.sleep(0)
        else await new Promise((resolve) => socket.once('drain', resolve).once('close', resolve))
      }
    },
} as const
