import type { Logger } from '../lib/log.ts'
import type { SignedIn } from './access.ts'
import { ApiError } from './api-error.ts'
import { readList } from './paging.ts'

/** A semaphore for long downloads and views. Administrators have as many places of their own. */
export interface Places {
  /** Returns the function that releases the place; calling it again does nothing. Throws a 503 without a free place. */
  take(who: Pick<SignedIn, 'accountId' | 'role'>): () => void
}

/** `what`: such as `exports`, for the refusal; `most`: of administrators, and of all others. */
export function createPlaces(what: string, most: number, mostEach: number): Places {
  const taken = new Map<number, number>()
  const all = { admin: 0, user: 0 }

  function release(accountId: number, role: SignedIn['role']): void {
    const left = (taken.get(accountId) ?? 0) - 1
    if (left > 0) taken.set(accountId, left)
    else taken.delete(accountId)
    all[role]--
  }

  return {
    take({ accountId, role }) {
      const own = taken.get(accountId) ?? 0
      if (own >= mostEach) throw tooMany(`You have ${mostEach} ${what} open already. Close one`)
      if (all[role] >= most) throw tooMany(`${most} ${what} are open already. Wait`)
      taken.set(accountId, own + 1)
      all[role]++
      let isMine = true
      return () => {
        if (isMine) release(accountId, role)
        isMine = false
      }
    },
  }
}

/** Places for exports: each holds a page of rows until its reader has taken it. */
export const createExportPlaces = (): Places => createPlaces('exports', 16, 4)

const tooMany = (message: string) =>
  new ApiError('unavailable', `${message}, and try again in some seconds.`, {
    retryAfterSeconds: 5,
  })

interface File {
  readonly name: string
  readonly type: string
}

interface Reader {
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal
  readonly log: Logger
  /** Called when reading ends, for whatever reason; possibly twice. */
  readonly onEnd?: () => void
  /** How long the response waits for the first chunk. */
  readonly patienceMs?: number
}

export const tableTypes = {
  csv: 'text/csv; charset=utf-8',
  jsonl: 'application/x-ndjson',
} as const

/** One system call per line would be expensive. */
const chunkLength = 128 * 1024

/** A chunk is sent after this time even if it is short. */
const soonMs = 100
/** After this time a failure breaks off the body instead of setting the status. A busy database fails sooner. */
const usualPatienceMs = 20_000

/** Headers of a download; nothing caches it. */
export const fileHeaders = ({ name, type }: File) => ({
  'content-type': type,
  'content-disposition': `attachment; filename="${name}"`,
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
})

/** Whether a response is a download. */
export const isFile = (headers: Headers): boolean => headers.has('content-disposition')

/**
 * Streams lines as a file. Rejects if the first chunk can't be read, so that a busy database is still
 * reported by a status.
 */
export async function download(
  lines: AsyncGenerator<string>,
  file: File,
  reader: Reader,
): Promise<Response> {
  const { signal, onEnd = () => {}, patienceMs = usualPatienceMs } = reader
  const chunks = inChunks(lines)
  signal.addEventListener('abort', onEnd, { once: true })
  const wait = startWait(patienceMs)
  try {
    const first = chunks.next()
    first.catch(() => {}) // reported by the race below
    await readList(() => Promise.race([first, wait.over]), signal)
    return new Response(streamOf(first, chunks, { ...reader, onEnd }), {
      headers: fileHeaders(file),
    })
  } catch (error) {
    onEnd()
    throw error
  } finally {
    wait.end()
  }
}

/** The body, read on demand. A client that disconnects ends the reading; a failure never ends the body cleanly. */
function streamOf(
  first: Promise<IteratorResult<string>>,
  chunks: AsyncGenerator<string>,
  { signal, log, onEnd }: Required<Omit<Reader, 'patienceMs'>>,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  let coming: Promise<IteratorResult<string>> | undefined = first
  return new ReadableStream(
    {
      async pull(controller) {
        try {
          const { done, value } = await (coming ?? chunks.next())
          coming = undefined
          if (!done) return controller.enqueue(encoder.encode(value))
          onEnd()
          controller.close()
        } catch (error) {
          onEnd()
          if (!signal.aborted) log.error('console: an export broke off', { error: String(error) })
          controller.error(error)
        }
      },
      async cancel() {
        onEnd()
        await chunks.return(undefined)
      },
    },
    { highWaterMark: 0 },
  )
}

/** Joins lines into chunks; a short chunk goes out when the next line takes long. */
async function* inChunks(lines: AsyncGenerator<string>): AsyncGenerator<string> {
  let chunk = ''
  let wait: Wait | undefined
  try {
    for (;;) {
      const coming = lines.next()
      if (wait !== undefined && (await Promise.race([coming, wait.over])) === 'over') {
        wait = undefined
        yield chunk
        chunk = ''
      }
      const { done, value } = await coming
      if (done) break
      chunk += value
      wait ??= startWait(soonMs)
      if (chunk.length < chunkLength) continue
      wait = wait.end()
      yield chunk
      chunk = ''
    }
    if (chunk !== '') yield chunk
  } finally {
    wait?.end()
    await lines.return(undefined)
  }
}

type Wait = ReturnType<typeof startWait>

function startWait(milliseconds: number) {
  const { promise: over, resolve } = Promise.withResolvers<'over'>()
  const timer = setTimeout(resolve, milliseconds, 'over')
  return { over, end: () => clearTimeout(timer) as undefined }
}
