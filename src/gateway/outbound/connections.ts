import type { Ending } from '../../lib/cancellation.ts'
import { boundSocket } from '../../lib/connections.ts'
import { urlParts } from './url-parts.ts'

/** The present user of a connection, called on its events. */
export interface Holder {
  data(bytes: Buffer): void
  drain(): void
  closed(error: Error | undefined): void
}

/** A connection to an upstream, for one request at a time. */
export interface Connection {
  readonly socket: Bun.Socket<Connection>
  readonly key: string
  holder: Holder | undefined
  isWide: boolean
  isClosed: boolean
}

export interface Peer {
  readonly target: URL
  /** Answers are read at the client's pace: little is received ahead. */
  readonly isPaced: boolean
  /** The name of its certificate, where that is not the target's. */
  readonly serverName: string | undefined
}

/** The receive buffer, in bytes: the default reads half a megabyte ahead of a slow client. */
const receiveBytes = { narrow: 16_384, wide: 49_152 }
/** Vendors close idle connections after a minute or more. */
const idleSeconds = 55
/** Idle connections kept per peer. */
const mostIdle = 256

/** Keeps and reuses connections to upstreams. */
export function createConnections() {
  const idle = new Map<string, Connection[]>()

  function remove(connection: Connection): void {
    const kept = idle.get(connection.key)
    const at = kept?.indexOf(connection) ?? -1
    if (at >= 0) kept?.splice(at, 1)
    if (kept?.length === 0) idle.delete(connection.key)
  }

  function closed({ data: connection }: Bun.Socket<Connection>, error?: Error): void {
    if (connection === undefined || connection.isClosed) return
    connection.isClosed = true
    remove(connection)
    const { holder } = connection
    connection.holder = undefined
    holder?.closed(error)
  }

  function bound({ socket, isWide }: Pick<Connection, 'socket' | 'isWide'>): void {
    const bytes = isWide ? receiveBytes.wide : receiveBytes.narrow
    boundSocket('fd' in socket ? Number(socket.fd) : -1, 'receive', bytes)
  }

  function widen(connection: Connection, isWide: boolean): void {
    if (connection.isWide === isWide) return
    connection.isWide = isWide
    if (!connection.isClosed) bound(connection)
  }

  const handlers: Handlers = (opened, peer) => {
    const begin = (socket: Bun.Socket<Connection>) => {
      const connection: Connection = {
        socket,
        key: keyOf(peer),
        holder: undefined,
        isWide: false,
        isClosed: false,
      }
      socket.data = connection
      opened.resolve(connection)
    }
    return {
      open(socket: Bun.Socket<Connection>) {
        if (peer.isPaced) bound({ socket, isWide: false })
        if (peer.target.protocol !== 'https:') begin(socket)
      },
      handshake(socket: Bun.Socket<Connection>, isTrusted: boolean, error: Error | null) {
        if (isTrusted) return begin(socket)
        opened.reject(error ?? new Error('the TLS greeting failed'))
        socket.terminate()
      },
      data(socket: Bun.Socket<Connection>, bytes: Buffer) {
        const { holder } = socket.data
        // Unrequested data is a protocol error.
        if (holder === undefined) socket.terminate()
        else holder.data(bytes)
      },
      drain: (socket: Bun.Socket<Connection>) => socket.data?.holder?.drain(),
      timeout(socket: Bun.Socket<Connection>) {
        if (socket.data.holder === undefined) socket.end()
      },
      error: closed,
      close(socket: Bun.Socket<Connection>, error?: Error) {
        opened.reject(error ?? connectionLost())
        closed(socket, error)
      },
    }
  }

  return {
    /** A kept connection, or a new one as `open` makes it. */
    take(peer: Peer, signal: Ending): Connection | Promise<Connection> {
      const kept = idle.get(keyOf(peer))?.pop()
      if (kept === undefined) return connect(peer, signal, handlers)
      kept.socket.timeout(0)
      kept.socket.ref()
      return kept
    },
    /** A new connection. Rejects with the socket's error, or the signal's reason. */
    open: (peer: Peer, signal: Ending): Promise<Connection> => connect(peer, signal, handlers),
    /** Its answer was read to its end, and it can be reused. */
    keep(connection: Connection): void {
      connection.holder = undefined
      if (connection.isClosed) return
      widen(connection, false)
      const kept = idle.get(connection.key)
      if (kept === undefined) idle.set(connection.key, [connection])
      else if (kept.length < mostIdle) kept.push(connection)
      else {
        connection.socket.end()
        return
      }
      connection.socket.timeout(idleSeconds)
      connection.socket.unref()
    },
    widen,
    drop(connection: Connection): void {
      connection.holder = undefined
      connection.socket.terminate()
    },
  }
}

export type Connections = ReturnType<typeof createConnections>

type Handlers = (
  opened: PromiseWithResolvers<Connection>,
  peer: Peer,
) => Bun.SocketHandler<Connection>

function connect(peer: Peer, signal: Ending, handlers: Handlers): Promise<Connection> {
  const { target, serverName } = peer
  const hostname = target.hostname.replace(/^\[|\]$/g, '')
  const isTls = target.protocol === 'https:'
  const opened = Promise.withResolvers<Connection>()
  let socket: Bun.Socket<Connection> | undefined
  const onAbort = () => {
    opened.reject(signal.reason)
    socket?.terminate()
  }
  signal.addEventListener('abort', onAbort, { once: true })
  Bun.connect<Connection>({
    hostname,
    port: Number(target.port) || (isTls ? 443 : 80),
    ...(isTls && { tls: { serverName: serverName ?? hostname } }),
    socket: handlers(opened, peer),
  }).then((connected) => {
    socket = connected
    if (signal.aborted) connected.terminate()
  }, opened.reject)
  return opened.promise.finally(() => signal.removeEventListener('abort', onAbort))
}

const keyOf = ({ target, serverName = '', isPaced }: Peer) =>
  `${urlParts(target).origin} ${serverName} ${isPaced}`

export function connectionLost(): Error {
  const message = 'The upstream closed its connection before the end of its answer.'
  return Object.assign(new Error(message), { code: 'ECONNRESET' })
}
