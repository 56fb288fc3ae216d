import { promisify } from 'node:util'
import { brotliDecompress, constants, gunzip, inflate, zstdDecompress } from 'node:zlib'
import { createFairMutex } from '../../lib/concurrency.ts'
import { codeOf, messageOf } from '../../lib/failure.ts'
import { GatewayError } from '../errors.ts'

export class TooManyBytes extends Error {
  override readonly name = 'TooManyBytes'
}

/** The encoding of the body is unknown or its data is broken. */
export class BadEncoding extends Error {
  override readonly name = 'BadEncoding'
}

interface Bounds {
  readonly chunkSize?: number
  readonly maxOutputLength: number
}

const zstd = promisify(zstdDecompress)
const gzip = promisify(gunzip)

/** Source: RFC 9659 (zstd: windows of 8 MiB); brotli has 16 MiB by its format. */
const zstdWindow = { params: { [constants.ZSTD_d_windowLogMax]: 23 } }

const inflaters = new Map<string, (bytes: Uint8Array, bounds: Bounds) => Promise<Buffer>>([
  ['gzip', gzip],
  ['x-gzip', gzip],
  ['zstd', (bytes, bounds) => zstd(bytes, { ...bounds, ...zstdWindow })],
  ['br', promisify(brotliDecompress)],
  ['deflate', promisify(inflate)],
])

/** The decompressed body; throws `TooManyBytes`, `BadEncoding`, or the connection's error. */
export async function readBounded(response: Response, maxBytes: number): Promise<Uint8Array> {
  if (Number(response.headers.get('content-length')) > maxBytes) throw new TooManyBytes()
  const packed = await collectBytes(response, maxBytes)
  const encoding = response.headers.get('content-encoding')?.trim().toLowerCase() ?? ''
  return encoding === '' || encoding === 'identity' ? packed : unpack(packed, encoding, maxBytes)
}

/** The raw body, at most `maxBytes` of it; throws as `readBounded` does. */
export async function collectBytes(response: Response, maxBytes: number): Promise<Uint8Array> {
  let bytes = new Uint8Array(Math.min(firstBytes, maxBytes))
  let size = 0
  for await (const chunk of response.body ?? []) {
    const needed = size + chunk.length
    if (needed > maxBytes) throw new TooManyBytes()
    if (needed > bytes.length) {
      const larger = new Uint8Array(Math.min(Math.max(needed, bytes.length * 2), maxBytes))
      larger.set(bytes.subarray(0, size))
      bytes = larger
    }
    bytes.set(chunk, size)
    size = needed
  }
  return bytes.subarray(0, size)
}

const firstBytes = 64 * 1024

async function unpack(packed: Uint8Array, encoding: string, maxBytes: number): Promise<Uint8Array> {
  const inflater = inflaters.get(encoding)
  if (inflater === undefined) throw new BadEncoding(`unknown encoding ${encoding}`)
  try {
    return await inflater(packed, { maxOutputLength: maxBytes })
  } catch (error) {
    if (isTooMuch(error)) throw new TooManyBytes()
    throw new BadEncoding('broken body', { cause: error })
  }
}

const taken = 'gzip, zstd, br, deflate'

/** The largest compression ratio accepted. Conversations have 5 to 20. */
const mostTimes = 50
/** The room allocated first; more is allocated when needed. */
const usualTimes = 8
const freeBytes = 262_144

const chunkSize = 65_536

/** The encoding of a body; undefined: plain. Throws the 415 of several, or of an unknown one. */
export function encodingOf({ headers }: Pick<Request, 'headers'>): string | undefined {
  const named = headers.get('content-encoding')?.trim().toLowerCase() ?? ''
  if (named === '' || named === 'identity') return undefined
  if (inflaters.has(named)) return named
  throw new GatewayError(
    'unsupported_encoding',
    `Content-Encoding "${named.slice(0, 100)}" is not supported. Send the body uncompressed, or by one of: ${taken}.`,
    { acceptEncoding: taken },
  )
}

interface InflateTask {
  readonly encoding: string
  readonly maxBytes: number
  readonly tooLarge: () => GatewayError
  /** Large bodies are inflated one at a time, fairly by owner. */
  readonly owner: string
  /** Leases memory for the output, in several steps where needed. */
  readonly take: (bytes: number) => void | Promise<void>
}

/** Many concurrent bombs would hold a lot of memory until they are detected. */
const oneByOne = createFairMutex()

/** Inflates a body. Throws the 413 of one that is too large, and the 400 of broken data. */
export async function inflateBody(bytes: Buffer, task: InflateTask): Promise<Buffer> {
  const inflater = inflaters.get(task.encoding)
  if (inflater === undefined) throw new Error(`There is no inflater of ${task.encoding}.`)
  const grown = Math.max(freeBytes, mostTimes * bytes.byteLength)
  const maxOutputLength = Math.min(grown, task.maxBytes)
  let room = Math.min(Math.max(freeBytes, usualTimes * bytes.byteLength), maxOutputLength)
  // Before its turn: waiting for memory must not block others.
  await task.take(room)
  for (;;) {
    const work = () => inflater(bytes, { chunkSize, maxOutputLength: room })
    try {
      return await (grown > freeBytes ? oneByOne(task.owner, work) : work())
    } catch (error) {
      if (!isTooMuch(error)) throw broken(task.encoding, error)
      if (room === maxOutputLength)
        throw grown < task.maxBytes ? grownTooFar(task.encoding) : task.tooLarge()
    }
    const more = Math.min(2 * room, maxOutputLength - room)
    await task.take(more)
    room += more
  }
}

const isTooMuch = (error: unknown) => codeOf(error) === 'ERR_BUFFER_TOO_LARGE'

const grownTooFar = (encoding: string) =>
  new GatewayError(
    'body_too_large',
    `The body is more than ${mostTimes} times as large as its ${encoding} data, the limit here. Send it uncompressed.`,
  )

function broken(encoding: string, cause: unknown): GatewayError {
  const detail = messageOf(cause)
  return new GatewayError('invalid_json', `The body is not valid ${encoding} data: ${detail}.`, {
    cause,
  })
}
