import { clientRequestFields, exportLines, requestFields } from '../../billing/receipt/fields.ts'
import { type Clock, utcDay } from '../../lib/clock.ts'
import type { Logger } from '../../lib/log.ts'
import type { AdminStore } from '../../store/ports/admin.ts'
import type { ListedRequest, ListStore, RequestFilter } from '../../store/ports/lists.ts'
import type { ReceiptRows, RecordStore } from '../../store/ports/records.ts'
import type { SignedIn } from '../access.ts'
import { ApiError } from '../api-error.ts'
import { createExportPlaces, download, tableTypes } from '../download.ts'
import { answerPage, readSpan, withSearch } from '../paging.ts'
import type { AllExportQuery, AllRequestsQuery, AllRequestsWanted } from './schema.ts'
import { toAnyItem, toAnyReceipt, toItem, toReceipt } from './view.ts'

export interface RequestParts {
  readonly lists: Pick<ListStore, 'requests'>
  readonly records: Pick<RecordStore, 'receipt'>
  readonly accounts: Pick<AdminStore, 'accountsNamed'>
  /** Takes what is only the upstream's (keys, hosts) out of what an upstream has reported. */
  readonly hideUpstream: (rows: ReceiptRows) => Promise<ReceiptRows>
}

export type RequestService = ReturnType<typeof createRequestService>

/** Requests that have ended, as lists and receipts: to their own account, and to administrators. */
export function createRequestService(parts: RequestParts) {
  const { lists } = parts
  return {
    async listOwn(who: SignedIn, query: Omit<AllRequestsQuery, 'account' | 'channel'>) {
      const filter = toFilter(query, who.accountId)
      const read = answerPage(query, (page) => lists.requests(filter, page), toItem)
      return withSearch(await read)
    },
    async listAll(query: AllRequestsQuery) {
      const filter = toFilter(query, await accountIdOf(parts.accounts, query))
      const read = answerPage(query, (page) => lists.requests(filter, page), toAnyItem)
      return withSearch(await read)
    },
    async ownReceipt(who: SignedIn, id: string) {
      return toReceipt(await parts.hideUpstream(await findOwnRequest(parts.records, who, id)))
    },
    async anyReceipt(id: string) {
      return toAnyReceipt(await parts.hideUpstream(await findRequest(parts.records, id)))
    },
  }
}

/** The id of the account that is asked for; throws when there is none of that e-mail. */
export async function accountIdOf(
  accounts: RequestParts['accounts'],
  { account }: Pick<AllRequestsWanted, 'account'>,
): Promise<number | undefined> {
  if (account === undefined) return undefined
  const [found] = await accounts.accountsNamed([account])
  if (found) return found.id
  throw new ApiError('invalid_value', `There is no account "${account.slice(0, 100)}".`, {
    field: 'account',
    fault: 'not_known',
  })
}

/** A request's rows; another account's is told from none by nothing. */
export async function findOwnRequest(
  records: RequestParts['records'],
  who: SignedIn,
  id: string,
): Promise<ReceiptRows> {
  const rows = await records.receipt(id)
  if (rows?.request.accountId === who.accountId) return rows
  throw notFound(id)
}

/** The same of any account. */
export async function findRequest(
  records: RequestParts['records'],
  id: string,
): Promise<ReceiptRows> {
  const rows = await records.receipt(id)
  if (rows) return rows
  throw notFound(id)
}

const notFound = (id: string) =>
  new ApiError(
    'not_found',
    `There is no record of a request "${id.slice(0, 80)}". Its id is the x-request-id of the ` +
      'answer, and its record exists once it has ended. Counting tokens, listing models, and ' +
      'requests with a wrong path or without a valid key leave none.',
  )

/** What was asked for as the store knows it; throws on a time that is none. */
export function toFilter(
  wanted: Omit<AllRequestsWanted, 'account'>,
  accountId: number | undefined,
): RequestFilter {
  const { token, group, model, outcome, cause, status, protocol, channel } = wanted
  return {
    ...(accountId !== undefined && { accountId }),
    ...(token !== undefined && { tokenId: token }),
    ...(group !== undefined && { group }),
    ...(model !== undefined && { model }),
    ...(outcome !== undefined && { outcome }),
    ...(cause !== undefined && { cause }),
    ...(status !== undefined && { status }),
    ...(protocol !== undefined && { clientProtocol: protocol }),
    ...(channel !== undefined && { channel }),
    ...(wanted.request_id !== undefined && { requestId: wanted.request_id }),
    ...readSpan(wanted),
  }
}

/** Whether a request is one of those that a filter means. */
export function isMeant(row: ListedRequest, filter: RequestFilter): boolean {
  const { outcome = 'any', since = 0, until = Number.POSITIVE_INFINITY } = filter
  const same = <Value>(wanted: Value | undefined, is: Value) =>
    wanted === undefined || wanted === is
  return (
    same(filter.accountId, row.accountId) &&
    same(filter.tokenId, row.tokenId) &&
    same(filter.group, row.group) &&
    same<string | null>(filter.model, row.model) &&
    same<string | null>(filter.channel, row.channel) &&
    same<string | null>(filter.cause, row.cause) &&
    same(filter.status, row.status) &&
    same(filter.clientProtocol, row.clientProtocol) &&
    same(filter.requestId, row.requestId) &&
    (outcome === 'any' || (row.cause === null) === (outcome === 'succeeded')) &&
    row.createdAt >= since &&
    row.createdAt < until
  )
}

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
