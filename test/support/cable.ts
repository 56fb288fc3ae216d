import { createServer, connect as dial, type Socket } from 'node:net'

/** The network between a process and a server of this machine, which a test disturbs. */
export interface Cable extends AsyncDisposable {
  /** Whoever should be behind the cable connects here. */
  readonly port: number
  /**
   * From now on nothing of the open connections arrives any more, not even their end: what a machine
   * without power does, or a firewall that has forgotten them. Those that are made later work.
   */
  silence(): void
  /** The same of those that are made later, too, until it is mended. */
  cut(): void
  mend(): void
  /** Whether all that was asked has been answered: nothing is on its way back. */
  isQuiet(): boolean
  /** While true: what is asked arrives, but with its answer a connection ends, and the answer is lost. */
  cutAnswers(isCut: boolean): void
}

/** Lays a cable to a port of this machine. */
export async function layCable(to: number): Promise<Cable> {
  const sockets = new Set<Socket>()
  /** Where the last word was a question. */
  const asking = new Set<Socket>()
  let isCut = false
  /** Of the connections of now; silence makes another one for those that come. */
  let line = { isSilent: false }

  const server = createServer({ allowHalfOpen: true }, (near) => {
    const mine = line
    const far = dial(to, '127.0.0.1')
    const join = (from: Socket, other: Socket) => {
      sockets.add(from)
      from.on('error', () => {}) // its end comes next
      // Nobody answers the goodbye of a connection that is silent.
      from.on('end', () => {
        if (!mine.isSilent) from.end()
      })
      from.on('close', () => {
        sockets.delete(from)
        if (!mine.isSilent) other.destroy()
      })
    }
    join(near, far)
    join(far, near)
    near.on('close', () => asking.delete(near))
    near.on('data', (bytes) => {
      asking.add(near)
      if (!mine.isSilent) far.write(bytes)
    })
    far.on('data', (bytes) => {
      asking.delete(near)
      if (mine.isSilent) return
      if (isCut) far.destroy()
      else near.write(bytes)
    })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const address = server.address()

  return {
    port: typeof address === 'object' && address ? address.port : 0,
    silence() {
      line.isSilent = true
      line = { isSilent: false }
    },
    cut() {
      line.isSilent = true
    },
    mend() {
      line = { isSilent: false }
    },
    isQuiet: () => asking.size === 0,
    cutAnswers(cut) {
      isCut = cut
    },
    async [Symbol.asyncDispose]() {
      const closed = new Promise((done) => server.close(done))
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}
