import { connect, type Socket } from 'node:net'

/** What it asks, and with whose key. */
export interface SlowAsk {
  readonly path: string
  readonly key: string
  readonly body: string
}

/** An answer as it came by its own connection. */
export interface SlowAnswer {
  readonly status: number
  readonly id: string
  /** All that came of the body, without what HTTP puts around it. */
  readonly text: string
  /** The last chunk has come. */
  readonly isClosedWell: boolean
}

/** How often it may stop reading, or go on. */
const turnMs = 800

/** Asks for a stream and stops reading now and then, for longer than an upstream may be silent. */
export async function readSlowly(
  port: number,
  random: () => number,
  { path, key, body }: SlowAsk,
): Promise<SlowAnswer> {
  const socket = connect({ port, host: '127.0.0.1' })
  const pieces: Buffer[] = []
  socket.on('data', (piece: Buffer) => pieces.push(piece))
  socket.on('error', () => socket.destroy())
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  socket.write(
    `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\n` +
      `authorization: Bearer ${key}\r\ncontent-type: application/json\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  )
  const turns = setInterval(() => takeTurn(socket, random), turnMs)
  await closed.finally(() => clearInterval(turns))
  return readAnswer(Buffer.concat(pieces))
}

function takeTurn(socket: Socket, random: () => number): void {
  if (random() < 0.5) socket.pause()
  else socket.resume()
}

function readAnswer(bytes: Buffer): SlowAnswer {
  const headEnd = bytes.indexOf('\r\n\r\n')
  const head = bytes.subarray(0, Math.max(headEnd, 0)).toString('latin1')
  const status = Number(head.split(' ')[1] ?? 0)
  const id = /^x-request-id: *(\S+)/im.exec(head)?.[1] ?? ''
  const body = bytes.subarray(headEnd + 4)
  if (!/^transfer-encoding: *chunked/im.test(head)) {
    return { status, id, text: body.toString(), isClosedWell: true }
  }
  return { status, id, ...undoChunks(body) }
}

function undoChunks(bytes: Buffer) {
  const parts: Buffer[] = []
  for (let at = 0; ; ) {
    const lineEnd = bytes.indexOf('\r\n', at)
    const size = Number.parseInt(bytes.subarray(at, Math.max(lineEnd, at)).toString('latin1'), 16)
    const isClosedWell = size === 0
    if (lineEnd < 0 || isClosedWell || Number.isNaN(size)) {
      return { text: Buffer.concat(parts).toString(), isClosedWell }
    }
    parts.push(bytes.subarray(lineEnd + 2, lineEnd + 2 + size))
    at = lineEnd + 2 + size + 2
  }
}
