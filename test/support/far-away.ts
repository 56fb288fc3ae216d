import { connect, createServer, type Server, type Socket } from 'node:net'
import { freePort } from './free-port.ts'

/** A way to a server on this machine, by which it is far away. */
export interface FarAway extends Disposable {
  readonly port: number
}

/** Passes everything on, and answers later by a round trip. */
export async function startFarAway(port: number, tripMs: number): Promise<FarAway> {
  const sockets = new Set<Socket>()
  const server: Server = createServer((near) => {
    const far = connect(port, '127.0.0.1')
    for (const socket of [near, far]) {
      sockets.add(socket)
      socket.on('error', () => {})
    }
    near.pipe(far)
    far.on('data', (bytes) => setTimeout(() => near.write(bytes), tripMs))
    far.on('close', () => near.destroy())
  })
  const here = await freePort()
  await new Promise<void>((done) => server.listen(here, '127.0.0.1', done))
  return {
    port: here,
    [Symbol.dispose]() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}
