import { promisify } from 'node:util'
import { brotliDecompress, constants, gunzip, inflate, zstdDecompress } from 'node:zlib'
import { createFairTurns } from '../../lib/turns.ts'
import { GatewayError } from '../errors.ts'

/** There is more than was allowed. */
export class TooManyBytes extends Error {
  override readonly name = 'TooManyBytes'
}

/** The body is compressed in a way that is not known here, or is broken. */
export class BadEncoding extends Error {
  override readonly name = 'BadEncoding'
}

type Decompress = (bytes: Uint8Array, options: { maxOutputLength: number }) => Promise<Uint8Array>

const decompressors = new Map<string, Decompress>([
  ['gzip', promisify(gunzip)],
  ['x-gzip', promisify(gunzip)],
  ['deflate', promisify(inflate)],
  ['br', promisify(brotliDecompress)],
])

/**
 * The body of an answer, unpacked; throws `TooManyBytes`, `BadEncoding`, or what the connection
 * throws.
 */
export async function readBounded(response: Response, maxBytes: number): Promise<Uint8Array> {
  if (Number(response.headers.get('content-length')) > maxBytes) throw new TooManyBytes()
  const packed = await collectBytes(response, maxBytes)
  const encoding = response.headers.get('content-encoding')?.trim().toLowerCase() ?? ''
  return encoding === '' || encoding === 'identity' ? packed : unpack(packed, encoding, maxBytes)
}

/** The body as it comes, at most `maxBytes` of it; throws as `readBounded` does. */
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
  const decompress = decompressors.get(encoding)
  if (decompress === undefined) throw new BadEncoding(`unknown encoding ${encoding}`)
  try {
    return await decompress(packed, { maxOutputLength: maxBytes })
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'ERR_BUFFER_TOO_LARGE') throw new TooManyBytes()
    throw new BadEncoding('broken body', { cause: error })
  }
}

interface Bounds {
  readonly chunkSize: number
  readonly maxOutputLength: number
}

const zstd = promisify(zstdDecompress)
const gzip = promisify(gunzip)

/** Source: RFC 9659 (zstd: windows of 8 MiB); brotli has 16 MiB by its format. */
const zstdWindow = { params: { [constants.ZSTD_d_windowLogMax]: 23 } }

const inflaters: Readonly<Record<string, (bytes: Buffer, bounds: Bounds) => Promise<Buffer>>> = {
  gzip,
  'x-gzip': gzip,
  zstd: (bytes, bounds) => zstd(bytes, { ...bounds, ...zstdWindow }),
  br: promisify(brotliDecompress),
  deflate: promisify(inflate),
}

const taken = 'gzip, zstd, br, deflate'

/**
 * How much larger than its compressed data a body may be. Conversations are 5 to 20 times as large.
 */
const mostTimes = 50
/** So much is there room for at first; more is only taken for what does not fit. */
const usualTimes = 8
const freeBytes = 262_144

const chunkSize = 65_536

/** The encoding of a body; undefined: it is plain. Throws the 415 of several, or of one not known here. */
export function encodingOf({ headers }: Pick<Request, 'headers'>): string | undefined {
  const named = headers.get('content-encoding')?.trim().toLowerCase() ?? ''
  if (named === '' || named === 'identity') return undefined
  if (Object.hasOwn(inflaters, named)) return named
  throw new GatewayError(
    'unsupported_encoding',
    `Content-Encoding "${named.slice(0, 100)}" is not taken. Send the body uncompressed, or by one of: ${taken}.`,
    { acceptEncoding: taken },
  )
}

interface InflateTask {
  readonly encoding: string
  readonly maxBytes: number
  readonly tooLarge: () => GatewayError
  /** Whose body it is: large ones are inflated one after the other, each owner's in turn. */
  readonly owner: string
  /** Takes memory for what comes out: so much, and then more where that is not enough. */
  readonly take: (bytes: number) => void | Promise<void>
}

/** Many bombs at once would hold a lot of memory together, until they are found out. */
const oneByOne = createFairTurns()

/** Inflates a body. Throws the 413 of one that is too large, and the 400 of broken data. */
export async function inflateBody(bytes: Buffer, task: InflateTask): Promise<Buffer> {
  const inflater = inflaters[task.encoding]
  if (inflater === undefined) throw new Error(`There is no inflater of ${task.encoding}.`)
  const grown = Math.max(freeBytes, mostTimes * bytes.byteLength)
  const maxOutputLength = Math.min(grown, task.maxBytes)
  let room = Math.min(Math.max(freeBytes, usualTimes * bytes.byteLength), maxOutputLength)
  // Before its turn: who waits for memory must not keep others from theirs.
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

const isTooMuch = (error: unknown) =>
  error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE'

const grownTooFar = (encoding: string) =>
  new GatewayError(
    'body_too_large',
    `The body is more than ${mostTimes} times as large as its ${encoding} data, the limit here. Send it uncompressed.`,
  )

function broken(encoding: string, cause: unknown): GatewayError {
  const detail = cause instanceof Error ? cause.message : String(cause)
  return new GatewayError('invalid_json', `The body is no good ${encoding} data: ${detail}.`, {
    cause,
  })
}
