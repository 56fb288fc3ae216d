import { exportLines } from '../../billing/receipt/export-lines.ts'
import { clientRequestFields, requestFields } from '../../billing/receipt/fields.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Logger } from '../../lib/log.ts'
import type { ListStore } from '../../store/ports/lists.ts'
import type { SignedIn } from '../access.ts'
import { readList } from '../paging.ts'
import { toFilter } from './filter.ts'
import { createPlaces } from './places.ts'
import type { AllExportQuery } from './schema.ts'
import { accountIdOf, type RequestParts } from './service.ts'

export interface ExportParts extends Pick<RequestParts, 'accounts'> {
  readonly lists: Pick<ListStore, 'exportRequests'>
  readonly clock: Clock
  readonly log: Logger
}

/** Whom an export is for, and when it is given up. */
interface Asked {
  readonly who: SignedIn
  readonly query: AllExportQuery
  readonly signal: AbortSignal
}

/** So many exports are read at once: each keeps a page of rows for as long as its reader takes. */
const maxExports = 16
const maxExportsEach = 4

/** Large enough to be cheap, small enough to come at once. */
const chunkLength = 64 * 1024

const contentTypes = { csv: 'text/csv; charset=utf-8', jsonl: 'application/x-ndjson' } as const

export type RequestExport = ReturnType<typeof createRequestExport>

/** Exports of requests, oldest first, read page by page as fast as they are taken. */
export function createRequestExport(parts: ExportParts) {
  const { lists, accounts, clock, log } = parts
  const places = createPlaces({ what: 'exports', most: maxExports, mostEach: maxExportsEach })

  async function answer({ who, query, signal }: Asked, lines: AsyncGenerator<string>) {
    const leave = places.take(who.accountId)
    const chunks = inChunks(lines)
    signal.addEventListener('abort', leave, { once: true })
    try {
      // Before anything is answered: a database that has no time is told of by a status.
      const first = await readList(() => chunks.next())
      const body = streamOf({ first, chunks, signal, leave, log })
      return new Response(body, { headers: headersOf(query, clock()) })
    } catch (error) {
      leave()
      throw error
    }
  }

  return {
    async own(asked: Asked): Promise<Response> {
      const { account: _, channel: __, ...wanted } = asked.query
      const rows = lists.exportRequests(toFilter(wanted, asked.who.accountId))
      return answer(asked, exportLines(rows, clientRequestFields, formOf(asked.query)))
    },
    async all(asked: Asked): Promise<Response> {
      const accountId = await accountIdOf(accounts, asked.query)
      const rows = lists.exportRequests(toFilter(asked.query, accountId))
      return answer(asked, exportLines(rows, requestFields, formOf(asked.query)))
    },
  }
}

const formOf = ({ format = 'csv' }: AllExportQuery) =>
  ({ format, isForSpreadsheets: true }) as const

function headersOf({ format = 'csv' }: AllExportQuery, nowMs: number) {
  const day = new Date(nowMs).toISOString().slice(0, 10)
  return {
    'content-type': contentTypes[format],
    'content-disposition': `attachment; filename="requests-${day}.${format}"`,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  }
}

interface Sending {
  readonly first: IteratorResult<string>
  readonly chunks: AsyncGenerator<string>
  readonly signal: AbortSignal
  readonly leave: () => void
  readonly log: Logger
}

/** The body, read as it is taken: whoever leaves ends the reading; what breaks off never ends cleanly. */
function streamOf({ first, chunks, signal, leave, log }: Sending): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  let coming: IteratorResult<string> | undefined = first
  const end = async () => {
    leave()
    await chunks.return(undefined)
  }
  return new ReadableStream(
    {
      async pull(controller) {
        try {
          const { done, value } = coming ?? (await chunks.next())
          coming = undefined
          if (!done) return controller.enqueue(encoder.encode(value))
          leave()
          controller.close()
        } catch (error) {
          leave()
          if (!signal.aborted) log.error('console: an export broke off', { error: String(error) })
          controller.error(error)
        }
      },
      cancel: end,
    },
    { highWaterMark: 0 },
  )
}

async function* inChunks(lines: AsyncGenerator<string>): AsyncGenerator<string> {
  let chunk = ''
  for await (const line of lines) {
    chunk += line
    if (chunk.length < chunkLength) continue
    yield chunk
    chunk = ''
  }
  if (chunk !== '') yield chunk
}
