import type { Logger } from '../lib/log.ts'
import type { SignedIn } from './access.ts'
import { ApiError } from './api-error.ts'
import { readList } from './paging.ts'

/**
 * A bounded number of places for what lasts long, such as exports. Administrators have as many of their
 * own: nobody else keeps them from seeing what goes on.
 */
export interface Places {
  /** Takes a place; what it returns gives it back, once. Throws a 503 when there is none. */
  take(who: Pick<SignedIn, 'accountId' | 'role'>): () => void
}

interface PlacesOptions {
  /** What they are for, as the refusal calls it: `exports`. */
  readonly what: string
  /** Of administrators, and of all others. */
  readonly most: number
  /** One account can't keep all others out. */
  readonly mostEach: number
}

export function createPlaces({ what, most, mostEach }: PlacesOptions): Places {
  const taken = new Map<number, number>()
  const all = { admin: 0, user: 0 }

  function give(accountId: number, role: SignedIn['role']): void {
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
        if (isMine) give(accountId, role)
        isMine = false
      }
    },
  }
}

/** Places for exports: each keeps a page of rows for as long as its reader takes. */
export const createExportPlaces = (): Places =>
  createPlaces({ what: 'exports', most: 16, mostEach: 4 })

const tooMany = (message: string) =>
  new ApiError('unavailable', `${message}, and try again in some seconds.`, {
    retryAfterSeconds: 5,
  })

/** A file as its reader's computer keeps it. */
interface File {
  readonly name: string
  /** Content type. */
  readonly type: string
}

interface Reader {
  /** Of the reader's request: it has left. */
  readonly signal: AbortSignal
  readonly log: Logger
  /** Called when nothing is read any more, however it ended; also twice. */
  readonly onEnd?: () => void
  /** How long an answer may wait for the beginning of the file, in milliseconds. */
  readonly patienceMs?: number
}

/** Content types of tables. */
export const tableTypes = {
  csv: 'text/csv; charset=utf-8',
  jsonl: 'application/x-ndjson',
} as const

/** Large enough to be cheap, small enough to come at once: single lines cost a system call each. */
const chunkLength = 128 * 1024

/** What is there waits for more no longer than this. */
const soonMs = 100
/**
 * A beginning that is longer in coming can still fail, but not by a status any more. A database says
 * sooner that it has no time, and a connection may be silent for longer.
 */
const usualPatienceMs = 20_000

/** Headers of what is kept as a file, and by nobody in between. */
export const fileHeaders = ({ name, type }: File) => ({
  'content-type': type,
  'content-disposition': `attachment; filename="${name}"`,
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
})

/** Whether an answer is such a file. */
export const isFile = (headers: Headers): boolean => headers.has('content-disposition')

/**
 * A file that is written while it is sent: what it is made of is never in memory as a whole. Rejects
 * before anything is answered when its beginning can't be read: a database that has no time is told
 * of by a status.
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
    first.catch(() => {}) // told to whoever waits for it
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

/** The body, read as it is taken: whoever leaves ends the reading; what breaks off never ends cleanly. */
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

/** What is there goes ahead when the next line is long in coming. */
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

/** So long a time, from now on. */
function startWait(milliseconds: number) {
  const { promise: over, resolve } = Promise.withResolvers<'over'>()
  const timer = setTimeout(resolve, milliseconds, 'over')
  return { over, end: () => clearTimeout(timer) as undefined }
}
