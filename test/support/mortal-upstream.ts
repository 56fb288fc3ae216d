import { type AddressInfo, createServer, type Socket } from 'node:net'
import { play, type Stage } from './fault/play.ts'
import { createRequestReader, describeRequest, type FaultRequest } from './fault/requests.ts'
import type { Steps } from './fault/steps.ts'

/** A connection, as the answer to a request sees it. */
export interface Line {
  /** Does the steps, or as many of them as the far side waits for. */
  play(steps: Steps): Promise<void>
  /** Settles when the connection is gone. */
  readonly closed: Promise<void>
}

/** Answers one request; its connection takes the next one when the promise settles. */
export type Answerer = (request: FaultRequest, line: Line) => Promise<void>

/** An upstream that can go away, and come back at the same address. */
export interface MortalUpstream extends AsyncDisposable {
  readonly url: string
  readonly port: number
  /** How many requests came in all. */
  count(): number
  /** Connections that are open now. */
  open(): number
  /** Nobody listens any more, and all connections are reset. */
  die(): Promise<void>
  /** Listens again. */
  revive(): Promise<void>
  /** Ends all connections, and goes on listening. */
  breakAll(): void
}

export async function startMortalUpstream(answer: Answerer): Promise<MortalUpstream> {
  const sockets = new Set<Socket>()
  let count = 0
  const server = createServer((socket) => {
    sockets.add(socket)
    const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
    void closed.then(() => sockets.delete(socket))
    socket.on('error', () => socket.destroy()) // the far side may leave at any time
    const stage: Stage = { socket, closed, gate: () => closed, leaveWhenReused: undefined }
    const line: Line = { play: (steps) => play(stage, steps), closed }
    let answering = Promise.resolve()
    let turn = 0
    const read = createRequestReader((head, body) => {
      count++
      const request = describeRequest(head, body, { connection: 0, turn: turn++ })
      answering = answering.then(() => answer(request, line))
    })
    socket.on('data', read)
  })
  const listen = (port: number) =>
    new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(port, '127.0.0.1', () => resolve())
    })
  const die = async () => {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()))
    for (const socket of sockets) socket.resetAndDestroy()
    await closed
  }
  await listen(0)
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    count: () => count,
    open: () => sockets.size,
    die,
    revive: () => listen(port),
    breakAll() {
      for (const socket of sockets) socket.destroy()
    },
    async [Symbol.asyncDispose]() {
      if (server.listening) await die()
    },
  }
}
