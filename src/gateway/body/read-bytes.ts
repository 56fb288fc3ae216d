import { formatSizeBytes } from '../../lib/format.ts'
import { GatewayError } from '../errors.ts'
import type { BodyMemory } from '../memory/memory-budget.ts'
import { encodingOf, inflateBody } from './bounded-bytes.ts'
import { isForm } from './form-body.ts'

interface ReadTask {
  readonly maxBytes: number
  readonly owner: string
  /** Takes memory for it, before it is there; what is not needed after all is given back. */
  readonly memory: BodyMemory
}

/** Of a bomb no more is made than there is room for; what it has come to is known behind it. */
async function inflateWithin(bytes: Buffer, encoding: string, task: ReadTask): Promise<Buffer> {
  const { memory, owner } = task
  const maxBytes = Math.min(task.maxBytes, memory.mostBytes - bytes.byteLength)
  let taken = 0
  const inflated = await inflateBody(bytes, {
    ...{ encoding, maxBytes, owner, tooLarge: () => tooLarge(maxBytes, task) },
    take(more) {
      taken += more
      return memory.take(more)
    },
  })
  memory.give(taken + bytes.byteLength - inflated.byteLength)
  return inflated
}

/**
 * Reads a body, and inflates it. Refuses a larger announced length unread; counts what has no
 * length. What it throws becomes a refusal by `brokenBody`.
 */
export function readBytes(request: Request, task: ReadTask): Promise<ArrayBuffer | Buffer> {
  const encoding = encodingOf(request)
  const { memory } = task
  const maxBytes = Math.min(task.maxBytes, memory.mostBytes)
  const announced = Number(request.headers.get('content-length') ?? Number.NaN)
  if (announced > maxBytes) throw tooLarge(maxBytes, task)
  // Until it is read its sender is held back: of an announced body nothing is here yet.
  const taking = Number.isInteger(announced) ? memory.take(announced) : undefined
  if (encoding === undefined && announced < sharedBytes && taking === undefined) {
    return request.arrayBuffer()
  }
  return readLate(request, announced, task, { encoding, taking })
}

interface Late {
  readonly encoding: string | undefined
  readonly taking: void | Promise<void>
}

async function readLate(
  request: Request,
  announced: number,
  task: ReadTask,
  { encoding, taking }: Late,
): Promise<Buffer> {
  if (taking) await taking
  // The stream of a body is only made when it is asked for, and costs more than all of its bytes.
  const isWhole = Number.isInteger(announced) && !(announced >= sharedBytes && request.body)
  const sent = isWhole
    ? Buffer.from(await request.arrayBuffer())
    : await readStream(request.body, announced, task)
  return encoding === undefined ? sent : inflateWithin(sent, encoding, task)
}

/** Why a body could not be read. */
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

/** First so much is taken for a body without a length, and then as much again as it has. */
const firstTaken = 65_536

async function readCounted(
  body: ReadableStream<Uint8Array>,
  maxBytes: number,
  task: ReadTask,
): Promise<Buffer> {
  const parts: Uint8Array[] = []
  let [size, taken] = [0, 0]
  // What is refused half-way is read on by others: to leave a usual loop would end the body.
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

/** Rounded off, as people write sizes. */
function wholeUnits(bytes: number): string {
  const unit = bytes >= 1_048_576 ? 1_048_576 : 1_024
  return formatSizeBytes(bytes - (bytes % unit))
}

/** Of texts in ASCII, which is all that most bodies have, these are no other than UTF-8. */
const likeUtf8: ReadonlySet<string> = new Set([
  ...['utf-8', 'utf8', 'us-ascii', 'ascii', 'iso-8859-1', 'latin1', 'windows-1252'],
])

/**
 * Throws the 415 of a form where none is taken, or JSON that is not UTF-8. Other types count as
 * JSON.
 */
export function checkContentType(contentType: string | null, takesForm: boolean): void {
  if (contentType === null || contentType === 'application/json') return
  if (isForm(contentType)) {
    if (takesForm) return
    throw unsupported(
      'Content-Type "multipart/form-data" is not taken here. Send the body as JSON.',
    )
  }
  const charset = /;\s*charset="?([^\s";]+)/i.exec(contentType)?.[1]?.toLowerCase()
  if (charset === undefined || likeUtf8.has(charset)) return
  throw unsupported(`Charset "${charset.slice(0, 100)}" is not taken. Send the body in UTF-8.`)
}

const unsupported = (message: string) => new GatewayError('unsupported_encoding', message)
