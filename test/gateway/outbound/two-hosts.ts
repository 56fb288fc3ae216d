import { createServer } from 'node:net'

/** Two servers on one port, as two addresses of one name: what a name leads to shows in who is asked. */
export interface TwoHosts extends AsyncDisposable {
  readonly port: number
  /** Plays a public address … */
  readonly publicAddress: string
  readonly asked: readonly { readonly path: string; readonly headers: Headers }[]
  /** From which ports of the caller, one for each connection. */
  readonly callerPorts: ReadonlySet<number>
  /** … and this one a private address: connections to it, even empty ones. */
  readonly privateAddress: string
  readonly privateConnections: () => number
  readonly isPublic: (address: string) => boolean
}

/** Starts them; the private one is where the system finds `localhost`. */
export async function startTwoHosts(
  answer: (request: Request) => Response | Promise<Response> = () => new Response('public'),
): Promise<TwoHosts> {
  const [publicAddress, privateAddress] = ['127.0.0.2', '127.0.0.1']
  let connections = 0
  const secret = createServer((socket) => {
    connections++
    socket.on('error', () => {})
    socket.end('HTTP/1.1 200 OK\r\ncontent-length: 7\r\n\r\nprivate')
  })
  await new Promise<void>((done) => secret.listen(0, privateAddress, done))
  const address = secret.address()
  const port = typeof address === 'object' && address ? address.port : 0
  const asked: { path: string; headers: Headers }[] = []
  const callerPorts = new Set<number>()
  const open = Bun.serve({
    ...{ hostname: publicAddress, port, development: false, idleTimeout: 0 },
    fetch(request, server) {
      asked.push({ path: new URL(request.url).pathname, headers: new Headers(request.headers) })
      callerPorts.add(server.requestIP(request)?.port ?? 0)
      return answer(request)
    },
  })
  return {
    ...{ port, publicAddress, privateAddress, asked, callerPorts },
    privateConnections: () => connections,
    isPublic: (found) => found === publicAddress,
    async [Symbol.asyncDispose]() {
      await open.stop(true)
      secret.close()
    },
  }
}
