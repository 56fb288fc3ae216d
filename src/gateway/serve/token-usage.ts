import { formatDecimal, formatNano } from '../../billing/money.ts'
import type { Catalog } from '../../catalog/catalog.ts'
import { seenBy } from '../../catalog/seen-group.ts'
import { type Clock, utcDay } from '../../lib/clock.ts'
import type { RecordStore, UsageTotals } from '../../store/ports/records.ts'
import type { Caller } from '../admit/authenticate.ts'
import { type Reservations, spentOn } from '../money/reservations.ts'

export interface TokenUsageParts {
  readonly records: RecordStore
  readonly catalog: () => Catalog
  readonly reservations: Reservations
  readonly clock: Clock
}

/** What `GET /v1/usage` tells the calling token of itself. Money is a decimal string in USD. */
export async function tokenUsage(
  { records, catalog, reservations, clock }: TokenUsageParts,
  caller: Caller,
) {
  const { token, account } = caller
  const seen = seenBy(account, catalog().groups.get(token.groupId))
  const group = seen === 'closed' ? undefined : seen
  const today = utcDay(clock())
  const [since, total] = await Promise.all([
    records.tokenUsage(token.id, today),
    records.tokenUsage(token.id),
  ])
  return {
    object: 'usage',
    currency: 'USD',
    token: token.name,
    balance: formatNano(account.balanceNano),
    // What a new request can still count on: without what is set aside for those under way, with
    // the credit limit, and within the token's budget.
    available: formatNano(Math.max(0, reservations.room(caller).nano)),
    credit_limit: formatNano(account.creditLimitNano),
    budget: encodeBudget(caller, today),
    group: group?.name ?? null,
    rate_multiplier: group ? formatDecimal(group.multiplierMillionths, 6) : null,
    today: encodeTotals(since),
    total: encodeTotals(total),
  }
}

/** Null for a token without one; a part without a limit is null. */
function encodeBudget({ token, spending }: Caller, today: string) {
  if (spending === undefined) return null
  const spent = spentOn(spending.spent, today)
  const part = (limitNano: number | null, spentNano: number) =>
    limitNano === null ? null : { limit: formatNano(limitNano), spent: formatNano(spentNano) }
  return {
    total: part(token.budget.totalNano, spent.totalNano),
    day: part(token.budget.dayNano, spent.dayNano),
    month: part(token.budget.monthNano, spent.monthNano),
  }
}

function encodeTotals(totals: UsageTotals) {
  return {
    requests: totals.requests,
    input_tokens: totals.inputTokens,
    output_tokens: totals.outputTokens,
    cache_read_tokens: totals.cacheReadTokens,
    cache_write_tokens: totals.cacheWriteTokens,
    cost: formatNano(totals.amountNano),
  }
}
