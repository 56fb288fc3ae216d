import { constants, createGzip } from 'node:zlib'
import { isFile } from '../../../admin/download.ts'
import { isGzipAccepted } from '../../../lib/connections.ts'

/** Shorter ones are not worth it. */
const worthBytes = 1024
/** The fastest one: text of tables is a quarter by it, in a millisecond for some hundred kB. */
const level = 1

/** Compresses an answer with gzip where the client accepts it. */
export async function compress(request: Request, response: Response): Promise<Response> {
  const { status, headers, body } = response
  headers.append('vary', 'accept-encoding')
  if (body === null || !isGzipAccepted(request)) return response
  if (isFile(headers)) {
    headers.set('content-encoding', 'gzip')
    return new Response(gzipOf(body), { status, headers })
  }
  const bytes = new Uint8Array(await response.arrayBuffer())
  if (bytes.length < worthBytes) return new Response(bytes, { status, headers })
  headers.set('content-encoding', 'gzip')
  return new Response(Bun.gzipSync(bytes, { level }), { status, headers })
}

/** Piece by piece, each whole: what is there goes ahead, however long the next is in coming. */
function gzipOf(body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  const gzip = createGzip({ level })
  const made: Uint8Array[] = []
  gzip.on('data', (bytes: Uint8Array) => made.push(bytes))
  const broken = Promise.withResolvers<never>()
  broken.promise.catch(() => {}) // told to whoever waits
  gzip.on('error', broken.reject)
  const take = () => Buffer.concat(made.splice(0))

  const add = (bytes: Uint8Array) =>
    new Promise<Uint8Array>((resolve) => {
      gzip.write(bytes)
      gzip.flush(constants.Z_SYNC_FLUSH, () => resolve(take()))
    })

  const end = () =>
    new Promise<Uint8Array>((resolve) => {
      gzip.once('end', () => resolve(take()))
      gzip.end()
    })

  return new ReadableStream(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read()
          if (gzip.destroyed) return // its reader has left meanwhile
          controller.enqueue(await Promise.race([done ? end() : add(value), broken.promise]))
          if (done) controller.close()
        } catch (error) {
          gzip.destroy()
          throw error
        }
      },
      async cancel() {
        gzip.destroy()
        await reader.cancel()
      },
    },
    { highWaterMark: 0 },
  )
}
