import { GatewayError } from '../errors.ts'

/**
 * What is read of a body that nobody wants any more: many clients look for an answer only when they have
 * sent all of it, and see a broken pipe where the connection is closed before.
 */
interface Bounds {
  readonly mostBytes: number
  readonly mostMs: number
  /** So many connections at once; others are answered, and closed, right away. */
  readonly mostAtOnce: number
}

const mebibyte = 1_048_576
const ofStrangers: Bounds = { mostBytes: 32 * mebibyte, mostMs: 5_000, mostAtOnce: 32 }
const ofCallers: Bounds = { mostBytes: 128 * mebibyte, mostMs: 10_000, mostAtOnce: 256 }

/** A body's first bytes come with its head, or right behind it: who sends none waits for the answer. */
const firstBytesMs = 100
/** Then a pause of so long is its end, as far as anybody here cares. */
const silenceMs = 1_000

/** How many are read now. */
const reading = new Map<Bounds, number>()

/** So much has arrived with the head, or soon after. */
const smallBodyBytes = 65_536

/** Whether a large body was not read, or not to its end; `refused` is what ended its reading. */
function isStillComing(request: Request, refused: unknown): boolean {
  const announced = Number(request.headers.get('content-length') ?? Number.NaN)
  if (announced <= smallBodyBytes) return false
  const isCutOff = refused instanceof GatewayError && refused.details.isCutOff === true
  if (request.bodyUsed && !isCutOff) return false
  return request.body !== null && !request.body.locked
}

/**
 * Reads and drops a bounded rest of a body whose request is refused; less of a stranger's, who has shown
 * no good key. False: there is more of it, and the connection has to be closed.
 */
export async function dropRest(
  request: Request,
  isStranger: boolean,
  refused?: unknown,
): Promise<boolean> {
  if (refused instanceof GatewayError && refused.details.isTooSlow) return false
  if (!isStillComing(request, refused) || request.body === null) return true
  const bounds = isStranger ? ofStrangers : ofCallers
  const others = reading.get(bounds) ?? 0
  if (others >= bounds.mostAtOnce) return false
  reading.set(bounds, others + 1)
  try {
    return await readWithin(request.body.getReader(), bounds)
  } finally {
    reading.set(bounds, (reading.get(bounds) ?? 1) - 1)
  }
}

/** The answer of a refusal, behind the rest of its body; it closes the connection where there is more. */
export async function afterRest(
  request: Request,
  answer: Response,
  isStranger: boolean,
): Promise<Response> {
  if (!(await dropRest(request, isStranger))) answer.headers.set('connection', 'close')
  return answer
}

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

/** What is used of a stream's reader. */
export interface ByteReader {
  read(): Promise<
    | { readonly done: false; readonly value: Uint8Array }
    | { readonly done: true; readonly value?: Uint8Array | undefined }
  >
  cancel(): Promise<void>
}

/** The same of a stream that others read on. */
export interface LentReader extends Pick<ByteReader, 'read'> {
  releaseLock(): void
}
