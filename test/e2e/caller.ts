import { connect, type Socket } from 'node:net'
import { testKey } from '../support/tollgate-yaml.ts'
import type { Dialect } from './dialects.ts'

export interface AskOptions {
  readonly question?: string
  readonly key?: string
  readonly signal?: AbortSignal
}

/** Asks a gateway in a protocol's own way, through `fetch`. */
export function ask(
  url: string,
  dialect: Dialect,
  stream: boolean,
  options: AskOptions = {},
): Promise<Response> {
  const { question, key = testKey, signal } = options
  return fetch(url + dialect.path(stream), {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(dialect.request(stream, question)),
    keepalive: false,
    proxy: false,
    ...(signal && { signal }),
  })
}

/** The id under which a gateway keeps the request of an answer. */
export function requestIdOf(answer: Response): string {
  const id = answer.headers.get('x-request-id')
  if (id === null) throw new Error(`No x-request-id on an answer with status ${answer.status}.`)
  return id
}

/** Reads on until `isEnough` of the text so far, or the end; gives the text and the reader. */
export async function readUntil(answer: Response, isEnough: (text: string) => boolean) {
  const reader = answer.body?.getReader()
  if (reader === undefined) throw new Error('The answer has no body.')
  const decoder = new TextDecoder()
  let text = ''
  while (!isEnough(text)) {
    const { done, value } = await reader.read()
    if (done) break
    text += decoder.decode(value, { stream: true })
  }
  return { text, reader }
}

/** A client on a bare socket, which reads exactly when it is told to. */
export interface SocketCaller extends Disposable {
  /** Bytes so far, with head and chunk sizes. */
  received(): number
  /** The end of what came, as text: at most some 4 KB. */
  tail(): string
  pause(): void
  /** Pauses with the first bytes that come: however fast the others follow, they are not read. */
  pauseAtFirst(): Promise<void>
  resume(): void
  /** Closes the connection at once. */
  leave(): void
  /** Settles when the connection has closed. */
  readonly closed: Promise<void>
}

const tailLength = 4096

/** Sends a request on a socket of its own. */
export async function callBySocket(
  port: number,
  dialect: Dialect,
  stream: boolean,
  { key = testKey }: { readonly key?: string } = {},
): Promise<SocketCaller> {
  const socket = await open(port)
  let received = 0
  let tail: Buffer = Buffer.alloc(0)
  socket.on('data', (chunk: Buffer) => {
    received += chunk.length
    tail = Buffer.concat([tail, chunk.subarray(-tailLength)]).subarray(-tailLength)
  })
  socket.on('error', () => socket.destroy())
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  const body = JSON.stringify(dialect.request(stream))
  socket.write(
    `POST ${dialect.path(stream)} HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${key}\r\n` +
      `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n` +
      `connection: close\r\n\r\n${body}`,
  )
  return {
    received: () => received,
    tail: () => tail.toString('latin1'),
    pause: () => socket.pause(),
    pauseAtFirst: () =>
      new Promise((resolve, reject) => {
        socket.once('close', () =>
          reject(new Error('The connection was closed before any answer.')),
        )
        socket.once('data', () => {
          socket.pause()
          resolve()
        })
      }),
    resume: () => socket.resume(),
    leave: () => socket.destroy(),
    closed,
    [Symbol.dispose]: () => socket.destroy(),
  }
}

function open(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1' }, () => resolve(socket))
    socket.once('error', reject)
  })
}
