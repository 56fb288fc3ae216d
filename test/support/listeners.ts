import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'

/** Two servers on one port of this machine, as 127.0.0.1 and ::1, that count who comes. */
export interface Listeners extends AsyncDisposable {
  readonly port: number
  /** Connections so far, even empty ones. */
  connections(): number
}

/** Starts them; each connection's first request is answered with this JSON. */
export async function startListeners(body: unknown): Promise<Listeners> {
  const text = JSON.stringify(body)
  const head = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n`
  let connections = 0
  const accept = (socket: Socket) => {
    connections++
    socket.on('error', () => socket.destroy()) // whoever only dials is gone again
    socket.once('data', () => socket.end(head + text))
  }
  const first = createServer(accept)
  const port = await listen(first, 0, '127.0.0.1')
  const second = createServer(accept)
  await listen(second, port, '::1')
  return {
    port,
    connections: () => connections,
    async [Symbol.asyncDispose]() {
      for (const server of [first, second]) server.close()
    },
  }
}

async function listen(server: Server, port: number, host: string): Promise<number> {
  await new Promise<void>((done, failed) => {
    server.once('error', failed)
    server.listen(port, host, done)
  })
  return (server.address() as AddressInfo).port
}
