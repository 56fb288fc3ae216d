import { testKey } from '../support/tollgate-yaml.ts'
import type { Running } from './serving.ts'

/** An event as a socket's client gets it. */
export interface SocketEvent {
  readonly type: string
  readonly stream_id?: string
  readonly delta?: string
  readonly response?: { readonly id: string; readonly store?: boolean }
}

/** A client of responses over a WebSocket. */
export interface Client {
  send(message: object): void
  sendText(text: string): void
  /** The events of one response, up to its end or the error that it is refused by. */
  create(fields: object): Promise<readonly SocketEvent[]>
  untilEnd(): Promise<readonly SocketEvent[]>
  /** The next event of this type; those before it are let go. */
  until(type: string): Promise<SocketEvent>
  readonly closed: Promise<CloseEvent>
  close(): void
}

const ends = new Set(['response.completed', 'response.incomplete', 'response.failed', 'error'])

/** Opens a socket with a key; rejects where that is refused. */
export async function openSocket(
  gateway: Running,
  key = testKey,
  more: Readonly<Record<string, string>> = {},
): Promise<Client> {
  const url = `${gateway.serving.url.replace('http', 'ws')}/v1/responses`
  const socket = new WebSocket(url, {
    headers: { ...more, authorization: `Bearer ${key}` },
  } as never)
  const events: SocketEvent[] = []
  let told = () => {}
  const closed = new Promise<CloseEvent>((resolve) => socket.addEventListener('close', resolve))
  socket.addEventListener('message', ({ data }) => {
    events.push(JSON.parse(String(data)))
    told()
  })
  await new Promise<void>((resolve, reject) => {
    socket.addEventListener('open', () => resolve())
    socket.addEventListener('error', () => reject(new Error('The socket was refused.')))
  })

  async function next(): Promise<SocketEvent> {
    for (;;) {
      const event = events.shift()
      if (event) return event
      await new Promise<void>((resolve) => {
        told = resolve
      })
    }
  }
  async function untilEnd(): Promise<readonly SocketEvent[]> {
    const all: SocketEvent[] = []
    for (;;) {
      const event = await next()
      all.push(event)
      if (ends.has(event.type)) return all
    }
  }

  const sendText = (text: string) => socket.send(text)
  const send = (message: object) => sendText(JSON.stringify(message))
  return {
    ...{ send, sendText, untilEnd, closed },
    create(fields) {
      send({ type: 'response.create', ...fields })
      return untilEnd()
    },
    async until(type) {
      for (;;) {
        const event = await next()
        if (event.type === type) return event
      }
    },
    close: () => socket.close(),
  }
}
