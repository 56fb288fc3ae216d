import { formatSizeBytes } from '../lib/units.ts'
import { GatewayError } from './errors.ts'
import { encodingOf, inflateBody } from './inflate.ts'

/**
 * Reads a body of at most `maxBytes`, and inflates it where it is compressed. `owner`: whose it is, as
 * `InflateTask` has it.
 */
export async function readBytes(
  request: Request,
  maxBytes: number,
  owner: string,
): Promise<Buffer> {
  const encoding = encodingOf(request)
  const bytes = await readSent(request, maxBytes)
  if (encoding === undefined) return bytes
  return inflateBody(bytes, { encoding, maxBytes, tooLarge: () => tooLarge(maxBytes), owner })
}

/**
 * Reads what is sent. A larger announced length is refused unread; a body without a length is counted
 * while it comes.
 */
async function readSent(request: Request, maxBytes: number): Promise<Buffer> {
  const announced = Number(request.headers.get('content-length') ?? Number.NaN)
  if (announced > maxBytes) throw tooLarge(maxBytes)
  try {
    if (announced >= sharedBytes && request.body) return await readShared(request.body, announced)
    // The stream of a body is only made when it is asked for, and costs more than all of its bytes.
    if (Number.isInteger(announced)) return Buffer.from(await request.arrayBuffer())
    return request.body === null ? Buffer.alloc(0) : await readCounted(request.body, maxBytes)
  } catch (error) {
    if (error instanceof GatewayError) throw error
    throw new GatewayError('invalid_json', 'The body ended before it was complete.', {
      cause: error,
    })
  }
}

/** Larger bodies can be read by another thread, too, and are copied piece by piece as they come. */
const sharedBytes = 1_048_576

async function readShared(body: ReadableStream<Uint8Array>, announced: number): Promise<Buffer> {
  const bytes = Buffer.from(new SharedArrayBuffer(announced))
  let size = 0
  for await (const part of body) {
    bytes.set(part, size)
    size += part.byteLength
  }
  return bytes.subarray(0, size)
}

async function readCounted(body: ReadableStream<Uint8Array>, maxBytes: number) {
  const parts: Uint8Array[] = []
  let size = 0
  // What is refused half-way is read on by others: to leave a usual loop would end the body.
  for await (const part of body.values({ preventCancel: true })) {
    size += part.byteLength
    if (size > maxBytes) throw tooLarge(maxBytes)
    parts.push(part)
  }
  return Buffer.concat(parts)
}

function tooLarge(maxBytes: number): GatewayError {
  const limit = formatSizeBytes(maxBytes)
  return new GatewayError('body_too_large', `The body is larger than ${limit}, the limit here.`, {
    isCutOff: true,
  })
}
