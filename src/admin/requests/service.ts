import { clientRequestFields, exportLines, requestFields } from '../../billing/receipt/fields.ts'
import { type Clock, utcDay } from '../../lib/clock.ts'
import type { Logger } from '../../lib/log.ts'
import type { AdminStore } from '../../store/ports/admin.ts'
import type { ListedRequest, ListStore, RequestFilter } from '../../store/ports/lists.ts'
import type { ReceiptRows, RecordStore } from '../../store/ports/records.ts'
import type { SignedIn } from '../access.ts'
import { ApiError } from '../api-error.ts'
import type { FindChannelKeys } from '../channels/keys.ts'
import { createExportPlaces, download, tableTypes } from '../download.ts'
import { answerPage, named, readSpan, withSearch } from '../paging.ts'
import type { AllExportQuery, AllRequestsQuery, AllRequestsWanted } from './schema.ts'
import { toAnyItem, toAnyReceipt, toItem, toReceipt } from './view.ts'

interface RequestParts {
  readonly lists: Pick<ListStore, 'requests'>
  readonly records: Pick<RecordStore, 'receipt'>
  readonly accounts: Pick<AdminStore, 'accountsNamed'>
  /** Redacts keys and hosts of the upstream. */
  readonly hideUpstream: (rows: ReceiptRows) => Promise<ReceiptRows>
  readonly channelKeys: FindChannelKeys
}

export type RequestService = ReturnType<typeof createRequestService>

/** Requests that have ended, as lists and receipts. */
export function createRequestService(parts: RequestParts) {
  const list = async <Item>(
    owner: Owner,
    query: AllRequestsQuery,
    toItem: (row: ListedRequest) => Item,
  ) => {
    const filter = await filterOf(parts.accounts, owner, query)
    return withSearch(await answerPage(query, (page) => parts.lists.requests(filter, page), toItem))
  }
  const read = async (owner: Owner, id: string) =>
    parts.hideUpstream(await findRequest(parts.records, owner, id))
  return {
    listOwn: (who: SignedIn, query: AllRequestsQuery) => list(who, query, toItem),
    listAll: (query: AllRequestsQuery) => list('all', query, toAnyItem),
    ownReceipt: async (who: SignedIn, id: string) => toReceipt(await read(who, id)),
    async anyReceipt(id: string) {
      const rows = await read('all', id)
      const asked = new Set(rows.attempts.map(({ channelId }) => channelId))
      return toAnyReceipt(rows, await parts.channelKeys([...asked]))
    },
  }
}

/** Whose requests are read: those of one account, or, for administrators, of all. */
export type Owner = SignedIn | 'all'

/** The query as the store's filter. Throws an `ApiError` for an unknown account and an invalid time. */
export async function filterOf(
  accounts: RequestParts['accounts'],
  owner: Owner,
  { account, channel, ...wanted }: AllRequestsWanted,
): Promise<RequestFilter> {
  if (owner !== 'all') return toFilter(wanted, owner.accountId)
  return { ...toFilter(wanted, await accountIdOf(accounts, account)), ...named({ channel }) }
}

async function accountIdOf(accounts: RequestParts['accounts'], account: string | undefined) {
  if (account === undefined) return undefined
  const [found] = await accounts.accountsNamed([account])
  if (found) return found.id
  throw new ApiError('invalid_value', `There is no account "${account.slice(0, 100)}".`, {
    field: 'account',
    fault: 'not_known',
  })
}

/** A request's rows. Throws the same 404 for another account's request as for a missing one. */
export async function findRequest(
  records: RequestParts['records'],
  owner: Owner,
  id: string,
): Promise<ReceiptRows> {
  const rows = await records.receipt(id)
  if (rows && (owner === 'all' || rows.request.accountId === owner.accountId)) return rows
  throw new ApiError(
    'not_found',
    `There is no record of a request "${id.slice(0, 80)}". Its id is the x-request-id of the ` +
      'answer, and its record exists once it has ended. Counting tokens, listing models, and ' +
      'requests with a wrong path or without a valid key leave none.',
  )
}

function toFilter(
  wanted: Omit<AllRequestsWanted, 'account' | 'channel'>,
  accountId: number | undefined,
): RequestFilter {
  const { token, group, model, outcome, cause, status, protocol } = wanted
  return {
    ...named({ accountId, group, model, outcome, cause, status }),
    ...named({ tokenId: token, clientProtocol: protocol, requestId: wanted.request_id }),
    ...readSpan(wanted),
  }
}

const comparedFields = [
  ...(['accountId', 'tokenId', 'group', 'model', 'channel', 'cause', 'status'] as const),
  ...(['clientProtocol', 'requestId'] as const),
]

export function matches(row: ListedRequest, filter: RequestFilter): boolean {
  const { outcome = 'any', since = 0, until = Number.POSITIVE_INFINITY } = filter
  return (
    comparedFields.every((name) => filter[name] === undefined || filter[name] === row[name]) &&
    (outcome === 'any' || (row.cause === null) === (outcome === 'succeeded')) &&
    row.createdAt >= since &&
    row.createdAt < until
  )
}

interface ExportParts extends Pick<RequestParts, 'accounts'> {
  readonly lists: Pick<ListStore, 'exportRequests'>
  readonly clock: Clock
  readonly log: Logger
}

interface Asked {
  readonly who: SignedIn
  readonly query: AllExportQuery
  readonly signal: AbortSignal
}

export type RequestExport = ReturnType<typeof createRequestExport>

/** Exports of requests, oldest first, read page by page as the client reads. */
export function createRequestExport({ lists, accounts, clock, log }: ExportParts) {
  const places = createExportPlaces()
  return async (owner: Owner, { who, query, signal }: Asked): Promise<Response> => {
    const { format = 'csv', ...wanted } = query
    const rows = lists.exportRequests(await filterOf(accounts, owner, wanted), signal)
    const fields = owner === 'all' ? requestFields : clientRequestFields
    const file = { name: `requests-${utcDay(clock())}.${format}`, type: tableTypes[format] }
    return download(exportLines(rows, fields, { format }), file, {
      ...{ signal, log, onEnd: places.take(who) },
    })
  }
}
