import type { ListedRequest, RequestFilter } from '../../store/ports/lists.ts'
import { readSpan } from '../times.ts'
import type { AllRequestsWanted } from './schema.ts'

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
