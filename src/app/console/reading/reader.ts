import type { SignedIn } from '../../../admin/access.ts'
import { ApiError } from '../../../admin/api-error.ts'
import type { Peer } from '../parts.ts'
import { type ProcessParts, type ReadingProcess, startProcess } from './process.ts'

interface ReaderParts extends ProcessParts {
  /** How long the process stays when it has nothing to do. */
  readonly idleForMs?: number
}

/** Reads lists, charts and exports in a process of their own. */
export interface Reader {
  /** Rejects with an `ApiError`: too many wait, or the process was lost. */
  answer(request: Request, who: SignedIn, limitSilence?: Peer['limitSilence']): Promise<Response>
  /** Ends what is being read; then nothing is any more. */
  close(): Promise<void>
}

/** So many answers may wait for the ones before them: some seconds of work at most. */
const maxWaiting = 64
const idleMs = 60_000

/** Has a process when one is needed, and until it had nothing to do for a minute. */
export function createReader({ idleForMs = idleMs, ...parts }: ReaderParts): Reader {
  let current: ReadingProcess | undefined
  let idle: ReturnType<typeof setTimeout> | undefined
  let closing: Promise<void> | undefined
  let isClosed = false

  async function end(): Promise<void> {
    clearTimeout(idle)
    const ended = current
    current = undefined
    await ended?.close()
  }

  function start(): ReadingProcess {
    const started = startProcess(parts, {
      onIdle() {
        if (current !== started) return
        idle = setTimeout(() => {
          closing = end()
        }, idleForMs)
        idle.unref()
      },
      onLost() {
        if (current === started) current = undefined
      },
    })
    return started
  }

  return {
    async answer(request, who, limitSilence) {
      if (isClosed) throw new ApiError('unavailable', 'The gateway is about to stop.')
      clearTimeout(idle)
      current ??= start()
      const waiting = current.waiting()
      if (waiting >= maxWaiting) {
        const full = `${waiting} lists are waiting to be read from the database. Try again in some seconds.`
        throw new ApiError('unavailable', full, { retryAfterSeconds: 2 })
      }
      return await current.read(request, who, limitSilence)
    },
    async close() {
      isClosed = true
      await closing
      await end()
    },
  }
}
