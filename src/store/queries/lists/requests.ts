import type { ListedRequest } from '../../ports/lists.ts'
import { flagsOf, type RequestResult, selectRequests } from '../records.ts'
import { all, type Steps } from '../steps.ts'

const selectListed = () =>
  selectRequests().select((eb) =>
    eb
      .selectFrom('ledger')
      .select('ledger.amount_nano')
      .whereRef('ledger.request_id', '=', 'request.request_id')
      .$asScalar()
      .as('ledgerAmountNano'),
  )

type Found = RequestResult & { readonly ledgerAmountNano: number | null }

/** The requests with these row ids. */
export function* readRequests(
  ids: readonly number[],
  order: 'asc' | 'desc',
): Steps<readonly ListedRequest[]> {
  const rows = yield* all<Found>(
    selectListed().where('request.id', 'in', ids).orderBy('request.id', order),
  )
  return rows.map(toListed)
}

/** An upstream's own report may be long: it is in the receipt. */
function toListed({ usageRaw: _, ...row }: Found): ListedRequest {
  return Object.assign(row, flagsOf(row))
}
