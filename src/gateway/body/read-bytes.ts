import { formatSizeBytes } from '../../lib/format.ts'
import { GatewayError } from '../errors.ts'
import type { BodyMemory } from '../memory/memory-budget.ts'
import { encodingOf, inflateBody } from './bounded-bytes.ts'
import { isForm } from './form-body.ts'

interface ReadTask {
  readonly maxBytes: number
  readonly owner: string
  /** Leased before the bytes arrive; the surplus is released. */
  readonly memory: BodyMemory
}

/** The output of a bomb is limited to the leased room. */
async function inflateWithin(bytes: Buffer, encoding: string, task: ReadTask): Promise<Buffer> {
  const { memory, owner } = task
  const maxBytes = Math.min(task.maxBytes, memory.mostBytes - bytes.byteLength)
  let taken = 0
  const inflated = await inflateBody(bytes, {
    encoding,
    maxBytes,
    owner,
    tooLarge: () => tooLarge(maxBytes, task),
    take(more) {
      taken += more
      return memory.take(more)
    },
  })
  memory.give(taken + bytes.byteLength - inflated.byteLength)
  return inflated
}

/** Reads and inflates a bounded body. `brokenBody` turns what it throws into a refusal. */
export function readBytes(request: Request, task: ReadTask): Promise<ArrayBuffer | Buffer> {
  const encoding = encodingOf(request)
  const { memory } = task
  const maxBytes = Math.min(task.maxBytes, memory.mostBytes)
  const announced = Number(request.headers.get('content-length') ?? Number.NaN)
  if (announced > maxBytes) throw tooLarge(maxBytes, task)
  // Backpressure holds the sender until memory is leased.
  const taking = Number.isInteger(announced) ? memory.take(announced) : undefined
  if (encoding === undefined && announced < sharedBytes && taking === undefined) {
    return request.arrayBuffer()
  }
  return readLate(request, announced, task, encoding, taking)
}

async function readLate(
  request: Request,
  announced: number,
  task: ReadTask,
  encoding: string | undefined,
  taking: void | Promise<void>,
): Promise<Buffer> {
  if (taking) await taking
  // Creating a body's stream costs more than reading all of its bytes.
  const isWhole = Number.isInteger(announced) && !(announced >= sharedBytes && request.body)
  const sent = isWhole
    ? Buffer.from(await request.arrayBuffer())
    : await readStream(request.body, announced, task)
  return encoding === undefined ? sent : inflateWithin(sent, encoding, task)
}

/** The refusal of a body that could not be read. */
export const brokenBody = (cause: unknown): GatewayError =>
  cause instanceof GatewayError
    ? cause
    : new GatewayError('invalid_json', 'The body ended before it was complete.', { cause })

function readStream(
  body: ReadableStream<Uint8Array> | null,
  announced: number,
  task: ReadTask,
): Promise<Buffer> {
  if (body === null) return Promise.resolve(Buffer.alloc(0))
  if (announced >= sharedBytes) return readShared(body, announced)
  return readCounted(body, Math.min(task.maxBytes, task.memory.mostBytes), task)
}

/** Larger bodies are copied piece by piece into memory that the body thread shares. */
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

/** The first lease for a body without a length; then it doubles. */
const firstTaken = 65_536

async function readCounted(
  body: ReadableStream<Uint8Array>,
  maxBytes: number,
  task: ReadTask,
): Promise<Buffer> {
  const parts: Uint8Array[] = []
  let [size, taken] = [0, 0]
  // Others read on after a refusal: leaving a usual loop would end the body.
  for await (const part of body.values({ preventCancel: true })) {
    size += part.byteLength
    if (size > maxBytes) throw tooLarge(maxBytes, task)
    if (size > taken) {
      const more = Math.min(Math.max(size, firstTaken, 2 * taken), maxBytes) - taken
      await task.memory.take(more)
      taken += more
    }
    parts.push(part)
  }
  task.memory.give(taken - size)
  return Buffer.concat(parts)
}

function tooLarge(limitBytes: number, { maxBytes }: ReadTask): GatewayError {
  const message =
    limitBytes < maxBytes
      ? `The body is larger than ${wholeUnits(limitBytes)}, which is all that this gateway has the memory for (server.memory in its configuration).`
      : `The body is larger than ${formatSizeBytes(maxBytes)}, the limit here.`
  return new GatewayError('body_too_large', message, { isCutOff: true })
}

/** Rounded as people write sizes. */
function wholeUnits(bytes: number): string {
  const unit = bytes >= 1_048_576 ? 1_048_576 : 1_024
  return formatSizeBytes(bytes - (bytes % unit))
}

/** For ASCII texts, which most bodies are, these equal UTF-8. */
const likeUtf8: ReadonlySet<string> = new Set([
  ...['utf-8', 'utf8', 'us-ascii', 'ascii', 'iso-8859-1', 'latin1', 'windows-1252'],
])

/** Throws the 415 of an unwanted form or of JSON that is not UTF-8. Other types count as JSON. */
export function checkContentType(contentType: string | null, takesForm: boolean): void {
  if (contentType === null || contentType === 'application/json') return
  if (isForm(contentType)) {
    if (takesForm) return
    throw unsupported(
      'Content-Type "multipart/form-data" is not supported here. Send the body as JSON.',
    )
  }
  const charset = /;\s*charset="?([^\s";]+)/i.exec(contentType)?.[1]?.toLowerCase()
  if (charset === undefined || likeUtf8.has(charset)) return
  throw unsupported(`Charset "${charset.slice(0, 100)}" is not supported. Send the body in UTF-8.`)
}

const unsupported = (message: string) => new GatewayError('unsupported_encoding', message)
