import { connect, type Socket } from 'node:net'

/** How answers were, by status and machine word: `200`, `429 overloaded`. */
export type Tally = Map<string, number>

export function count(tally: Tally, what: string): void {
  tally.set(what, (tally.get(what) ?? 0) + 1)
}

/** Where, and as whom, the crowd asks. */
export interface Caller {
  readonly port: number
  readonly key: string
}

const path = '/v1/chat/completions'

/** The text of a request body; the model comes first. */
export const bodyOf = (model: string, stream: boolean, content = 'hello') =>
  JSON.stringify({ model, stream, messages: [{ role: 'user', content }] })

/** One that is asked for by `fetch`; gives its status and word, or why there was none. */
export async function ask({ port, key }: Caller, body: Bun.BodyInit): Promise<string> {
  try {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
      ...{ method: 'POST', body, proxy: false },
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    })
    await answer.arrayBuffer()
    return wordOf(answer.status, answer.headers.get('x-tollgate-reason'))
  } catch (error) {
    return `broken off (${error instanceof Error && 'code' in error ? error.code : error})`
  }
}

const wordOf = (status: number, reason: string | null | undefined) =>
  reason ? `${status} ${reason}` : `${status}`

/** A stream on a connection of its own. */
export interface OpenStream {
  /** Its status and word; or why there is none. */
  readonly begun: Promise<string>
  received(): number
  isOpen(): boolean
  close(): void
}

/** `bytesPerSecond`: how fast it reads; absent: all that comes. */
export function openStream(
  { port, key }: Caller,
  model: string,
  bytesPerSecond?: number,
): OpenStream {
  const socket = connect({ port, host: '127.0.0.1' })
  const { promise: begun, resolve } = Promise.withResolvers<string>()
  const body = bodyOf(model, true)
  let [received, isOpen, head] = [0, true, '']
  const pace = bytesPerSecond === undefined ? undefined : readSlowly(socket, bytesPerSecond)
  socket.on('data', (bytes: Buffer) => {
    received += bytes.byteLength
    if (head.includes('\r\n\r\n')) return
    head += bytes.toString('latin1')
    if (!head.includes('\r\n\r\n')) return
    const reason = /^x-tollgate-reason: *(\S+)/im.exec(head)?.[1]
    resolve(wordOf(Number(head.split(' ')[1]), reason))
  })
  socket.on('error', () => socket.destroy())
  socket.on('close', () => {
    isOpen = false
    clearInterval(pace)
    resolve('broken off')
  })
  socket.write(
    `POST ${path} HTTP/1.1\r\nhost: gw\r\nauthorization: Bearer ${key}\r\n` +
      `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  )
  return { begun, received: () => received, isOpen: () => isOpen, close: () => socket.destroy() }
}

function readSlowly(socket: Socket, bytesPerSecond: number) {
  let left = bytesPerSecond
  socket.on('data', (bytes: Buffer) => {
    left -= bytes.byteLength
    if (left <= 0) socket.pause()
  })
  return setInterval(() => {
    left += bytesPerSecond
    if (left > 0) socket.resume()
  }, 1_000)
}
