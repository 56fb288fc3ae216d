import { Socket } from 'node:net'

/** How long a server may take to hear that connections end. One that is silent for good never does. */
const goodbyeMs = 1_000

/** The sockets of connections, so that nobody waits for ever for the end of those that are dead. */
export interface Sockets {
  /** The driver's `stream`: makes a socket for a connection. */
  readonly make: () => Socket
  /**
   * Waits until connections have ended in order; those that don't within a second are cut off, and so
   * are those that were given up before: a socket that is open keeps its process going.
   */
  ended(ending: Promise<unknown>): Promise<void>
}

export function createSockets(): Sockets {
  const open = new Set<Socket>()
  const cut = () => {
    for (const socket of open) socket.destroy()
  }
  return {
    make() {
      const socket = new Socket()
      open.add(socket)
      socket.once('close', () => open.delete(socket))
      return socket
    },
    async ended(ending) {
      const timer = setTimeout(cut, goodbyeMs)
      try {
        await ending
      } finally {
        clearTimeout(timer)
        cut()
      }
    },
  }
}
