import { createServer } from 'node:net'

/** No system gives these away by itself: Linux begins at 32768, others later. */
const [first, last] = [10_000, 32_767]
/** Each process looks in a part of its own, for other ones choose at the same time. */
const parts = 64
const size = Math.floor((last - first + 1) / parts)
const start = first + (process.pid % parts) * size
let turn = Math.floor(Math.random() * size)

/**
 * A port of 127.0.0.1 that nobody listens on at the moment, nor soon: not that of a server or of a
 * connection that has any port.
 */
export async function freePort(): Promise<number> {
  for (let tried = 0; tried < size; tried++) {
    const port = start + (turn++ % size)
    if (await isFree(port)) return port
  }
  throw new Error(`All ports from ${start} to ${start + size - 1} are taken.`)
}

function isFree(port: number): Promise<boolean> {
  const server = createServer()
  return new Promise((resolve) => {
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}
