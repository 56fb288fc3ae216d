import { type AddressInfo, createServer, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { play, type Stage } from './play.ts'
import {
  createHeadReader,
  createRequestReader,
  describeRequest,
  type FaultRequest,
  type RequestHead,
} from './requests.ts'
import type { Steps } from './steps.ts'

/** What is done to a request, and on what its answer depends, if on anything. */
export type Script = Steps | ((request: FaultRequest) => Steps)

/** One line of a script: of several that fit a request the first one counts. */
export interface Rule {
  /** All that is given must hold. */
  readonly model?: string
  readonly header?: readonly [name: string, value: string]
  /** Which of the requests that hold the rest are meant, from 0; at most so many, if it is a pair. */
  readonly order?: number | readonly [first: number, last: number]
  readonly script: Script
}

export interface FaultOptions {
  readonly rules?: readonly Rule[]
  /** What no rule is for; a connection that ends where there is none. */
  readonly script?: Script
  /** Certificate and key, as PEM. */
  readonly tls?: { readonly cert: string; readonly key: string }
  /** Done to a connection in place of reading its requests: when it is made, or has sent something. */
  readonly atConnect?: Steps
  readonly atFirstBytes?: Steps
  /** Requests are answered when their head is there, their bodies unread. */
  readonly atHead?: boolean
}

/** An upstream on a free port of 127.0.0.1 that does all that HTTP servers would not. */
export interface FaultUpstream extends AsyncDisposable {
  readonly url: string
  readonly port: number
  /** The newest requests, oldest first: at most `keptRequests`. */
  readonly requests: readonly FaultRequest[]
  /** How many came in all; or of one model. */
  count(model?: string): number
  /** Connections that were made in all, and that are open now. */
  connections(): number
  open(): number
  /** Lets everything pass that waits, or will, at a gate. */
  openGate(name: string): void
  /** Puts another script in place of all rules. */
  handle(script: Script): void
  /** Breaks all connections. */
  breakAll(): void
  stop(): Promise<void>
}

/** So many requests are kept to be looked at; older ones are only counted. */
export const keptRequests = 10_000

/** Starts an upstream that does what its script says. */
export async function startFaultUpstream(options: FaultOptions = {}): Promise<FaultUpstream> {
  const choose = createChoice(options)
  const gates = createGates()
  const sockets = new Set<Socket>()
  const requests: FaultRequest[] = []
  const counts = new Map<string | undefined, number>()
  let connections = 0
  let total = 0

  const accept = (socket: Socket) => {
    sockets.add(socket)
    const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
    void closed.then(() => sockets.delete(socket))
    socket.on('error', () => socket.destroy()) // the far side may leave at any time
    const stage: Stage = { socket, closed, gate: gates.opened, leaveWhenReused: undefined }
    const connection = connections++
    if (options.atConnect) void play(stage, options.atConnect)
    else if (options.atFirstBytes) playAtFirstBytes(stage, options.atFirstBytes)
    else
      readRequests(stage, connection, options.atHead === true, (request) => {
        total++
        counts.set(request.model, (counts.get(request.model) ?? 0) + 1)
        if (requests.push(request) > keptRequests) requests.shift()
        return choose.steps(request)
      })
  }

  const server = options.tls ? createTlsServer(options.tls, accept) : createServer(accept)
  server.on('tlsClientError', () => {}) // a greeting that comes to nothing is what is tested
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const breakAll = () => {
    for (const socket of sockets) socket.destroy()
  }
  const stop = async () => {
    breakAll()
    await new Promise<void>((resolve) => server.close(() => resolve()))
  }
  return {
    url: `${options.tls ? 'https' : 'http'}://127.0.0.1:${port}`,
    ...{ port, requests, breakAll, stop },
    count: (...model) => (model.length === 0 ? total : (counts.get(model[0]) ?? 0)),
    connections: () => connections,
    open: () => sockets.size,
    openGate: gates.open,
    handle: choose.replace,
    [Symbol.asyncDispose]: stop,
  }
}

/** Finds the first rule for a request. */
function createChoice({ rules = [], script = [{ do: 'end' }] }: FaultOptions) {
  let lines = rules.map((rule) => ({ rule, seen: 0 }))
  let otherwise = script
  const isMeant = (line: (typeof lines)[number], request: FaultRequest): boolean => {
    const { model, header, order } = line.rule
    if (model !== undefined && model !== request.model) return false
    if (header && request.headers.get(header[0]) !== header[1]) return false
    const place = line.seen++
    const [first, last] = typeof order === 'number' ? [order, order] : (order ?? [0, place])
    return place >= first && place <= last
  }
  return {
    steps(request: FaultRequest): Steps {
      // Every line counts the request, also behind one that fits.
      const meant = lines.filter((line) => isMeant(line, request))
      const found = meant[0]?.rule.script ?? otherwise
      return typeof found === 'function' ? found(request) : found
    },
    replace(next: Script) {
      lines = []
      otherwise = next
    },
  }
}

function createGates() {
  const gates = new Map<string, PromiseWithResolvers<void>>()
  const find = (name: string) => {
    const found = gates.get(name) ?? Promise.withResolvers<void>()
    gates.set(name, found)
    return found
  }
  return {
    opened: (name: string) => find(name).promise,
    open: (name: string) => find(name).resolve(),
  }
}

function playAtFirstBytes(stage: Stage, steps: Steps): void {
  stage.socket.once('data', () => void play(stage, steps))
}

/** Reads one request after the other, and has each answered before the next one. */
function readRequests(
  stage: Stage,
  connection: number,
  atHead: boolean,
  answer: (request: FaultRequest) => Steps,
): void {
  const { socket } = stage
  let turn = 0
  let playing = Promise.resolve()
  const found = (head: RequestHead, body: Buffer) => {
    const steps = answer(describeRequest(head, body, { connection, turn: turn++ }))
    playing = playing.then(() => play(stage, steps))
  }
  const read = atHead ? createHeadReader(found) : createRequestReader(found)
  socket.on('data', (piece: Buffer) => {
    if (stage.leaveWhenReused === 'reset') socket.resetAndDestroy()
    else if (stage.leaveWhenReused === 'end') socket.destroy()
    else read(piece)
  })
}
