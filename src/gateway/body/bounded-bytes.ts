import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate } from 'node:zlib'

/** There is more than was allowed. */
export class TooManyBytes extends Error {
  override readonly name = 'TooManyBytes'
}

/** The body is compressed in a way that is not known here, or is broken. */
export class BadEncoding extends Error {
  override readonly name = 'BadEncoding'
}

type Decompress = (bytes: Uint8Array, options: { maxOutputLength: number }) => Promise<Uint8Array>

/** By the name of the encoding. */
const decompressors = new Map<string, Decompress>([
  ['gzip', promisify(gunzip)],
  ['x-gzip', promisify(gunzip)],
  ['deflate', promisify(inflate)],
  ['br', promisify(brotliDecompress)],
])

/**
 * The body of an answer, at most `maxBytes` of it, unpacked or not. Throws `TooManyBytes` as soon as
 * that is known, `BadEncoding`, or what the connection throws. Memory is taken as bytes come, not as
 * they are announced.
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
      // Doubled, so that a body in very small pieces is not copied again and again.
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
