import { connect, type Socket } from 'node:net'
import { readHead, takeChunks } from '../support/http-bytes.ts'

/** An answer as it came over the wire; header names in lower case. */
export interface RawAnswer {
  readonly status: number
  readonly headers: Headers
  readonly body: string
}

export interface RawCall {
  readonly method?: string
  readonly path: string
  /** In the order they are sent. */
  readonly headers?: readonly (readonly [string, string])[]
  readonly body?: string | Uint8Array
  /** The Host header. */
  readonly host?: string
}

/** A connection below HTTP. */
export interface RawConnection extends Disposable {
  readonly socket: Socket
  /** The next whole answer; rejects when the far side closes without one, or after `limitMs`. */
  answer(method?: string, limitMs?: number): Promise<RawAnswer>
  /** Settles when that text has come; it stays there for `answer`. */
  received(text: string, limitMs?: number): Promise<void>
  readonly closed: Promise<void>
}

/** Opens a connection to a server on this machine. */
export async function openRaw(port: number, address = '127.0.0.1'): Promise<RawConnection> {
  const socket = connect({ port, host: address, allowHalfOpen: true })
  let received = Buffer.alloc(0)
  let ended = false
  let notify = () => {}
  socket.on('data', (chunk: Buffer) => {
    received = Buffer.concat([received, chunk])
    notify()
  })
  const end = () => {
    ended = true
    notify()
  }
  socket.on('end', end)
  socket.on('error', end)
  const closed = new Promise<void>((resolve) => socket.on('close', () => resolve()))
  void closed.then(end)
  /** Looks again whenever something has come, until there is what is looked for. */
  async function news<Found>(limitMs: number, find: () => Found | undefined): Promise<Found> {
    const limit = Bun.sleep(limitMs).then(() => 'late' as const)
    for (;;) {
      const found = find()
      if (found !== undefined) return found
      const seen = received.subarray(0, 2000).toString('latin1')
      if (ended) throw new Error(`The connection ended after: ${seen}`)
      const coming = new Promise<void>((resolve) => {
        notify = resolve
      })
      if ((await Promise.race([coming, limit])) === 'late')
        throw new Error(`Not within ${limitMs} ms; so far: ${seen}`)
    }
  }
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve)
    socket.once('error', reject)
  })
  return {
    socket,
    closed,
    answer: (method = 'GET', limitMs = 60_000) =>
      news(limitMs, () => {
        const found = takeAnswer(received, method, ended)
        if (found) received = received.subarray(found.size)
        return found?.answer
      }),
    received: (text, limitMs = 60_000) =>
      news(limitMs, () => received.includes(text) || undefined).then(() => {}),
    [Symbol.dispose]: () => socket.destroy(),
  }
}

/** The head of a request; `content-length` is added where there is a body. */
export function requestHead(call: RawCall): string {
  const lines = [`${call.method ?? 'GET'} ${call.path} HTTP/1.1`, `Host: ${call.host ?? 'gw'}`]
  for (const [name, value] of call.headers ?? []) lines.push(`${name}: ${value}`)
  if (call.body !== undefined) lines.push(`Content-Length: ${Buffer.byteLength(call.body)}`)
  return `${lines.join('\r\n')}\r\n\r\n`
}

/** One request on a connection of its own. */
export async function rawCall(port: number, call: RawCall, address?: string): Promise<RawAnswer> {
  using connection = await openRaw(port, address)
  connection.socket.write(requestHead(call))
  if (call.body !== undefined) connection.socket.write(call.body)
  return await connection.answer(call.method)
}

function takeAnswer(bytes: Buffer, method: string, ended: boolean) {
  const head = readHead(bytes)
  if (head === undefined) return undefined
  const { first, headers, size: start } = head
  const status = Number(first.split(' ')[1])
  const body = method === 'HEAD' ? { text: '', size: 0 } : takeBody(bytes, start, headers, ended)
  if (body === undefined) return undefined
  return { answer: { status, headers, body: body.text }, size: start + body.size }
}

function takeBody(bytes: Buffer, start: number, headers: Headers, ended: boolean) {
  if (headers.get('transfer-encoding') === 'chunked') {
    const chunks = takeChunks(bytes, start)
    return chunks && { text: chunks.body.toString(), size: chunks.end - start }
  }
  const length = headers.get('content-length')
  if (length === null && !ended) return undefined
  const size = length === null ? bytes.length - start : Number(length)
  if (bytes.length < start + size) return undefined
  return { text: bytes.subarray(start, start + size).toString(), size }
}
