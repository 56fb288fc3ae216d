import { repeatByTimer } from '../../lib/clock.ts'
import { countOpenFiles, descriptorLimit } from '../../lib/process-state.ts'
import { GatewayError } from '../errors.ts'

export type RequestSlots = ReturnType<typeof createRequestSlots>

interface RequestSlotsParts {
  readonly mostRequests: () => number | undefined
  /** Undefined: derived from the process's limit of open files. */
  readonly mostConnections: () => number | undefined
  readonly count?: () => number | undefined
  readonly most?: number
}

/** Above this part of the open-file limit, connections are closed after their answers. */
const partOfFiles = 0.9
/** Above this part requests are refused: the rest is for the database and for refusals. */
const lastPartOfFiles = 0.97
const lookMs = 1_000
const retryAfter = 2

/** The server does not count connections, so open files are counted once a second. */
export function createRequestSlots(parts: RequestSlotsParts) {
  const { mostRequests, mostConnections, count = countOpenFiles } = parts
  const { most = descriptorLimit() ?? Number.POSITIVE_INFINITY } = parts
  const refused = { requests: 0, connections: 0 }
  let areConnectionsShort = false
  let areFilesUsedUp = false
  let taken = 0
  const look = () => {
    const open = count() ?? 0
    areConnectionsShort = open > (mostConnections() ?? most * partOfFiles)
    areFilesUsedUp = open > most * lastPartOfFiles
  }
  const stop = repeatByTimer(look, lookMs)

  return {
    /** Throws the 429 when no slot is free. */
    take(): void {
      if (taken >= (mostRequests() ?? Number.POSITIVE_INFINITY)) {
        refused.requests++
        throw overloaded('requests under way as it may (server.max_requests)')
      }
      if (areFilesUsedUp) {
        refused.connections++
        throw overloaded('connections open as it may (ulimit -n)')
      }
      taken++
    },
    release(): void {
      taken--
    },
    areConnectionsShort: (): boolean => areConnectionsShort,
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
