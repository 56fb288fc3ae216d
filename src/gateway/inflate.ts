import {
  type BrotliDecompress,
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createZstdDecompress,
} from 'node:zlib'
import type { LentReader } from './byte-reader.ts'
import { GatewayError } from './errors.ts'

/** Of the output, in bytes: fewer pieces are fewer turns. */
const chunkSize = 65_536

/**
 * A zstd body may ask for a window of 8 MiB at the most. Source: RFC 9659, "Window Sizing for Zstandard
 * Content Encoding"; brotli has 16 MiB by its format.
 */
const zstdWindow = { params: { [constants.ZSTD_d_windowLogMax]: 23 } }

/** How what a client has compressed is read, off this thread and piece by piece. */
const inflaters: Readonly<Record<string, () => BrotliDecompress>> = {
  gzip: () => createGunzip({ chunkSize }),
  'x-gzip': () => createGunzip({ chunkSize }),
  zstd: () => createZstdDecompress({ chunkSize, ...zstdWindow }),
  br: () => createBrotliDecompress({ chunkSize }),
  deflate: () => createInflate({ chunkSize }),
}

/** As `Accept-Encoding` names them. */
const taken = 'gzip, zstd, br, deflate'

/**
 * Conversations are some 5 to 20 times as large as their compressed data. What is kept for a request is to
 * be in proportion to what was sent; up to `freeBytes` it may be anything.
 */
const mostTimes = 50
const freeBytes = 262_144

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

export interface InflateTask {
  readonly encoding: string
  /** Of what comes out. */
  readonly maxBytes: number
  /** The 413 of more than that. */
  readonly tooLarge: () => GatewayError
}

/**
 * Inflates a body of at most `maxBytes`, and no more of it than that. Throws the 413 of one that is
 * larger, or made to grow, and the 400 of broken data: others may read on in `body` then.
 */
export async function inflate(
  body: ReadableStream<Uint8Array>,
  { encoding, maxBytes, tooLarge }: InflateTask,
): Promise<Uint8Array[]> {
  const inflater = inflaters[encoding]?.()
  if (inflater === undefined) throw new Error(`There is no inflater of ${encoding}.`)
  const parts: Uint8Array[] = []
  const reader = body.getReader()
  const fed: Fed = { bytes: 0, failure: undefined }
  const feeding = feed(reader, inflater, fed)
  let size = 0
  try {
    for await (const part of inflater as AsyncIterable<Buffer>) {
      size += part.byteLength
      if (size > maxBytes) throw tooLarge()
      if (size > freeBytes && size > mostTimes * fed.bytes) throw grownTooFar(encoding)
      parts.push(part)
    }
  } catch (error) {
    if (error instanceof GatewayError) throw error
    throw fed.failure ?? broken(encoding, error)
  } finally {
    inflater.destroy()
    reader.releaseLock() // ends a read that waits for a slow client
    await feeding
  }
  return parts
}

/** What went into an inflater so far, and what broke it off. */
interface Fed {
  bytes: number
  failure: unknown
}

/** Writes all of a body into an inflater that may end before it; never rejects. */
async function feed(reader: LentReader, inflater: BrotliDecompress, fed: Fed): Promise<void> {
  try {
    while (!inflater.destroyed) {
      const { done, value } = await reader.read()
      if (done) return void inflater.end()
      fed.bytes += value.byteLength
      if (!inflater.write(value)) await drained(inflater)
    }
  } catch (error) {
    fed.failure = error
    inflater.destroy(error instanceof Error ? error : new Error(String(error)))
  }
}

function drained(inflater: BrotliDecompress): Promise<void> {
  return new Promise((resolve) => {
    inflater.once('drain', resolve)
    inflater.once('close', resolve)
  })
}

const grownTooFar = (encoding: string) =>
  new GatewayError(
    'body_too_large',
    `The body is more than ${mostTimes} times as large as its ${encoding} data, the limit here. Send it uncompressed.`,
    { isCutOff: true },
  )

function broken(encoding: string, cause: unknown): GatewayError {
  const detail = cause instanceof Error ? cause.message : String(cause)
  return new GatewayError('invalid_json', `The body is no good ${encoding} data: ${detail}.`, {
    ...{ cause, isCutOff: true },
  })
}
