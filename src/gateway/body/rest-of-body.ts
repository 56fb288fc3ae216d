import { GatewayError } from '../errors.ts'

/** How much is read of an unwanted body: many clients read only after sending everything. */
interface Bounds {
  readonly mostBytes: number
  readonly mostMs: number
  readonly mostAtOnce: number
}

const mebibyte = 1_048_576
const ofUnknown: Bounds = { mostBytes: 32 * mebibyte, mostMs: 5_000, mostAtOnce: 32 }
const ofCallers: Bounds = { mostBytes: 128 * mebibyte, mostMs: 10_000, mostAtOnce: 256 }

/** A body's first bytes follow its head at once: a client that sends none waits for the answer. */
const firstBytesMs = 100
const silenceMs = 1_000

const reading = new Map<Bounds, number>()

const smallBodyBytes = 65_536

/** Whether a large body was not read to its end; `refused` is what ended its reading. */
function isStillComing(request: Request, refused: unknown): boolean {
  const announced = Number(request.headers.get('content-length') ?? Number.NaN)
  if (announced <= smallBodyBytes) return false
  const isCutOff = refused instanceof GatewayError && refused.details.isCutOff === true
  if (request.bodyUsed && !isCutOff) return false
  return request.body !== null && !request.body.locked
}

/** Drops a bounded rest of a refused request's body; false: the connection has to be closed. */
export async function dropRest(
  request: Request,
  isUnknownCaller: boolean,
  refused?: unknown,
): Promise<boolean> {
  if (refused instanceof GatewayError && refused.details.isTooSlow) return false
  if (!isStillComing(request, refused) || request.body === null) return true
  const bounds = isUnknownCaller ? ofUnknown : ofCallers
  const others = reading.get(bounds) ?? 0
  if (others >= bounds.mostAtOnce) return false
  reading.set(bounds, others + 1)
  try {
    return await readWithin(request.body.getReader(), bounds)
  } finally {
    reading.set(bounds, (reading.get(bounds) ?? 1) - 1)
  }
}

/** Sends a refusal after the rest of its body; closes the connection where there is more. */
export async function afterRest(
  request: Request,
  answer: Response,
  isUnknownCaller: boolean,
): Promise<Response> {
  if (!(await dropRest(request, isUnknownCaller))) answer.headers.set('connection', 'close')
  return answer
}

type LentReader = Pick<ReadableStreamDefaultReader<Uint8Array>, 'read' | 'releaseLock'>

async function readWithin(reader: LentReader, { mostBytes, mostMs }: Bounds): Promise<boolean> {
  let size = 0
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<boolean>((resolve) => {
    let seen = 0
    let spentMs = firstBytesMs
    const look = () => {
      if (size === seen || spentMs >= mostMs) return resolve(false)
      seen = size
      spentMs += silenceMs
      timer = setTimeout(look, silenceMs)
    }
    timer = setTimeout(look, firstBytesMs)
  })
  const read = async (): Promise<boolean> => {
    while (size <= mostBytes) {
      const { done, value } = await reader.read()
      if (done) return true
      size += value.byteLength
    }
    return false
  }
  try {
    return await Promise.race([read(), late])
  } catch {
    return false // the client has left
  } finally {
    clearTimeout(timer)
    reader.releaseLock()
  }
}
