import { clientRequestFields, exportLines, requestFields } from '../../billing/receipt/fields.ts'
import { type Clock, utcDay } from '../../lib/clock.ts'
import type { Logger } from '../../lib/log.ts'
import type { ListStore } from '../../store/ports/lists.ts'
import type { SignedIn } from '../access.ts'
import { download, tableTypes } from '../download.ts'
import { createExportPlaces } from '../places.ts'
import type { AllExportQuery } from './schema.ts'
import { accountIdOf, type RequestParts, toFilter } from './service.ts'

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

export type RequestExport = ReturnType<typeof createRequestExport>

/** Exports of requests, oldest first, read page by page as fast as they are taken. */
export function createRequestExport({ lists, accounts, clock, log }: ExportParts) {
  const places = createExportPlaces()

  async function send({ who, query, signal }: Asked, lines: AsyncGenerator<string>) {
    const { format = 'csv' } = query
    const file = { name: `requests-${utcDay(clock())}.${format}`, type: tableTypes[format] }
    return download(lines, file, { signal, log, onEnd: places.take(who) })
  }

  return {
    async own(asked: Asked): Promise<Response> {
      const { account: _, channel: __, ...wanted } = asked.query
      const rows = lists.exportRequests(toFilter(wanted, asked.who.accountId), asked.signal)
      return send(asked, exportLines(rows, clientRequestFields, formOf(asked.query)))
    },
    async all(asked: Asked): Promise<Response> {
      const accountId = await accountIdOf(accounts, asked.query)
      const rows = lists.exportRequests(toFilter(asked.query, accountId), asked.signal)
      return send(asked, exportLines(rows, requestFields, formOf(asked.query)))
    },
  }
}

const formOf = ({ format = 'csv' }: AllExportQuery) => ({ format }) as const
