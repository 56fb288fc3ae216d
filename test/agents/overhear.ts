import { createServer, connect as dial, type Socket } from 'node:net'

/** An answer that an agent was given. */
export interface Overheard {
  /** Method and path. */
  readonly asked: string
  readonly status: number
  /** How it begins, head and body. */
  readonly text: string
}

/** The wire between an agent and the gateway; it changes nothing, and hears every answer. */
export interface Wire extends AsyncDisposable {
  readonly url: string
  /** In the order they came; they grow. */
  readonly answers: readonly Overheard[]
}

/** Lays it to the gateway at `url`, which is on this machine. */
export async function overhear(url: string): Promise<Wire> {
  const answers: Overheard[] = []
  const sockets = new Set<Socket>()
  const server = createServer((near) => {
    const far = dial(Number(new URL(url).port), '127.0.0.1')
    let asked = ''
    const join = (from: Socket, to: Socket, hear: (text: string) => void) => {
      sockets.add(from)
      from.on('data', (bytes) => {
        hear(bytes.toString('latin1', 0, 1500))
        to.write(bytes)
      })
      from.on('end', () => to.end())
      from.on('error', () => to.destroy())
      from.on('close', () => sockets.delete(from))
    }
    join(near, far, (text) => {
      asked = /^([A-Z]+ \S+) HTTP\/1/.exec(text)?.[1] ?? asked
    })
    join(far, near, (text) => {
      const status = /^HTTP\/1\.1 (\d{3})/.exec(text)?.[1]
      if (status) answers.push({ asked, status: Number(status), text })
    })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const address = server.address()
  return {
    url: `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`,
    answers,
    async [Symbol.asyncDispose]() {
      const closed = new Promise((done) => server.close(done))
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}
