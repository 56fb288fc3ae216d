import type { SignedIn } from '../../../admin/access.ts'
import { ApiError } from '../../../admin/api-error.ts'
import type { Peer } from '../parts.ts'
import { type ProcessParts, type ReadingProcess, startProcess } from './process.ts'

/** The most answers that may wait: some seconds of work. */
const maxWaiting = 64

/** Reads lists, charts and exports in a process of their own, started on demand and ended when idle. */
export function createReader(parts: ProcessParts, idleMs = 60_000) {
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
    const started = startProcess(parts, onIdle, () => {
      if (current === started) current = undefined
    })
    return started

    function onIdle(): void {
      if (current !== started) return
      idle = setTimeout(() => {
        closing = end()
      }, idleMs)
      idle.unref()
    }
  }

  return {
    /** Rejects with an `ApiError`: too many requests wait, or the process ended. */
    async answer(request: Request, who: SignedIn, limitSilence?: Peer['limitSilence']) {
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
    async close(): Promise<void> {
      isClosed = true
      await closing
      await end()
    },
  }
}

interface Route {
  readonly method: string
  readonly path: string
}

/** Finds requests that only read. A literal segment goes before a parameter, as in the router. */
export function createReadingPaths(reading: readonly Route[], all: readonly Route[]) {
  const hasParameter = ({ path }: Route) => path.includes('/:')
  const own = new Set(reading.map(({ path }) => path))
  const others = new Set(all.filter((one) => !hasParameter(one)).map(({ path }) => path))
  const patterns = reading.filter(hasParameter).map(({ path }) => patternOf(path))
  return ({ method, url }: Pick<Request, 'method' | 'url'>): boolean => {
    if (method !== 'GET' && method !== 'HEAD') return false
    const { pathname } = new URL(url)
    if (own.has(pathname)) return true
    return !others.has(pathname) && patterns.some((pattern) => pattern.test(pathname))
  }
}

const patternOf = (path: string) => new RegExp(`^${path.replace(/:[^/]+/g, '[^/]+')}$`)
