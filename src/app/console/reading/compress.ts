import { promisify } from 'node:util'
import { constants, createGzip, gzip } from 'node:zlib'
import { isFile } from '../../../admin/download.ts'
import { isGzipAccepted } from '../../../lib/accepted-coding.ts'

const worthBytes = 1024
/** Compresses charts a third further than the fastest level, at a millisecond for some hundred kB. */
const level = 3
/** The fastest, for files, which may be very large: it compresses tables to a quarter. */
const fileLevel = 1

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

const gzipInThread = promisify(gzip)

/** The same of whole JSON answers to reads, by another thread: this process has requests to models to answer. */
export async function compressJson(request: Request, response: Response): Promise<Response> {
  const { status, headers, body } = response
  const isJson = headers.get('content-type')?.startsWith('application/json') === true
  const isWhole = request.method === 'GET' && isJson && !headers.has('content-encoding')
  if (!isWhole || body === null || isFile(headers)) return response
  headers.append('vary', 'accept-encoding')
  if (!isGzipAccepted(request)) return response
  const bytes = new Uint8Array(await response.arrayBuffer())
  if (bytes.length < worthBytes) return new Response(bytes, { status, headers })
  headers.set('content-encoding', 'gzip')
  headers.delete('content-length')
  return new Response(new Uint8Array(await gzipInThread(bytes, { level })), { status, headers })
}

/** Flushes after each piece, so that a slow next piece does not delay it. */
function gzipOf(body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  const gzip = createGzip({ level: fileLevel })
  const made: Uint8Array[] = []
  gzip.on('data', (bytes: Uint8Array) => made.push(bytes))
  const broken = Promise.withResolvers<never>()
  broken.promise.catch(() => {}) // reported to the reader
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
          if (gzip.destroyed) return // the reader has disconnected
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
