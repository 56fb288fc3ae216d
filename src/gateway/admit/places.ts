import { repeatByTimer } from '../../lib/clock.ts'
import { countOpenFiles, mostOpenFiles } from '../../lib/process-state.ts'
import { GatewayError } from '../errors.ts'

/** How many requests, and connections, there may be at once. */
export type Places = ReturnType<typeof createPlaces>

interface PlacesParts {
  /** Undefined: no limit but memory. */
  readonly mostRequests: () => number | undefined
  /** Undefined: by the files that this process may have open. */
  readonly mostConnections: () => number | undefined
  readonly count?: () => number | undefined
  readonly most?: number
}

/** Above this part of the files that may be open, connections are closed behind their answers. */
const partOfFiles = 0.9
/** Above this one requests are refused: the rest is for the database and for what says so. */
const lastPartOfFiles = 0.97
const lookMs = 1_000
const retryAfter = 2

/**
 * The server does not count connections, so open files are counted once a second. Requests with a
 * good key are answered as long as files are left.
 */
export function createPlaces(parts: PlacesParts) {
  const { mostRequests, mostConnections, count = countOpenFiles } = parts
  const { most = mostOpenFiles() ?? Number.POSITIVE_INFINITY } = parts
  const refused = { requests: 0, connections: 0 }
  let areShort = false
  let areGone = false
  let entered = 0
  const look = () => {
    const open = count() ?? 0
    areShort = open > (mostConnections() ?? most * partOfFiles)
    areGone = open > most * lastPartOfFiles
  }
  const stop = repeatByTimer(look, lookMs)

  return {
    /** Takes the place of a request whose key is known; throws the 429 where there is none. */
    enter(): void {
      if (entered >= (mostRequests() ?? Number.POSITIVE_INFINITY)) {
        refused.requests++
        throw overloaded('requests under way as it may (server.max_requests)')
      }
      if (areGone) {
        refused.connections++
        throw overloaded('connections open as it may (ulimit -n)')
      }
      entered++
    },
    leave(): void {
      entered--
    },
    /** There are too many connections: they are closed behind their answers. */
    areShort: (): boolean => areShort,
    refused: (): { readonly requests: number; readonly connections: number } => refused,
    stop,
  }
}

const overloaded = (what: string) =>
  new GatewayError(
    'overloaded',
    `This gateway has as many ${what}. Nothing is wrong with this request: repeat it in a few seconds.`,
    { retryAfter },
  )
