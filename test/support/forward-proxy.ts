import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'

/** Instead of letting a request through: does what it likes with the connection. */
export type ProxyScript = (socket: Socket) => void

/** A proxy on a free port of 127.0.0.1 that wants the user `jane` with the password `p@ss/word`. */
export interface ForwardProxy extends AsyncDisposable {
  /** With user and password. */
  readonly url: string
  readonly port: number
  readonly connections: () => number
  /** First line of every tunnel that was asked for, and of every connection's first request. */
  readonly asked: readonly string[]
  /** Replaces what it does; undefined: it lets requests through. */
  script(script: ProxyScript | undefined): void
}

/** What no error, log line or answer may hold. */
export const proxySecrets = ['p@ss/word', 'p%40ss%2Fword', 'amFuZTpwQHNzL3dvcmQ=']

const login = /^proxy-authorization: basic amFuZTpwQHNzL3dvcmQ=\r$/im

/** Starts it. Every name leads to 127.0.0.1, as names that only a proxy knows do. */
export async function startForwardProxy(tls?: {
  readonly cert: string
  readonly key: string
}): Promise<ForwardProxy> {
  const sockets = new Set<Socket>()
  const asked: string[] = []
  let connections = 0
  let script: ProxyScript | undefined

  const accept = (socket: Socket) => {
    connections++
    keep(socket)
    socket.once('data', (bytes: Buffer) => {
      const head = bytes.toString('latin1')
      asked.push(head.slice(0, head.indexOf('\r\n')))
      if (script !== undefined) script(socket)
      else if (login.test(head)) letThrough(socket, head, bytes)
      else socket.end(refusal)
    })
  }
  const keep = (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => socket.destroy())
    socket.on('close', () => sockets.delete(socket))
  }
  const letThrough = (socket: Socket, head: string, bytes: Buffer) => {
    const isTunnel = head.startsWith('CONNECT ')
    const port = /^\S+ \S*?:(\d+)[/ ]/.exec(head.replace('http://', ''))?.[1]
    const upstream = connect({ host: '127.0.0.1', port: Number(port) })
    keep(upstream)
    upstream.once('connect', () => {
      if (isTunnel) socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
      else upstream.write(bytes)
      socket.pipe(upstream).pipe(socket)
    })
    upstream.on('close', () => socket.destroy())
    socket.on('close', () => upstream.destroy())
  }

  const server = tls ? createTlsServer(tls, accept) : createServer(accept)
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  return {
    url: `${tls ? 'https' : 'http'}://jane:p%40ss%2Fword@127.0.0.1:${port}`,
    port,
    connections: () => connections,
    asked,
    script(next) {
      script = next
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await new Promise<void>((done) => server.close(() => done()))
    },
  }
}

const refusal =
  'HTTP/1.1 407 Proxy Authentication Required\r\nproxy-authenticate: Basic\r\ncontent-length: 0\r\n\r\n'

/** Answers each connection's first request with these bytes, and ends it. */
export const saying =
  (bytes: string): ProxyScript =>
  (socket) =>
    void socket.end(bytes)

/** Takes requests and never answers. */
export const saysNothing: ProxyScript = () => {}
