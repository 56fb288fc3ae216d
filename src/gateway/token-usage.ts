import { formatDecimal, formatNano } from '../billing/money.ts'
import type { Catalog } from '../catalog/catalog.ts'
import type { Clock } from '../lib/clock.ts'
import type { RecordStore, UsageTotals } from '../store/ports/records.ts'
import type { Caller } from './authenticate.ts'

/** What `GET /v1/usage` tells the calling token of itself. Money is a decimal string in USD. */
export async function tokenUsage(
  records: RecordStore,
  catalog: Catalog,
  caller: Caller,
  clock: Clock,
) {
  const group = catalog.groups.get(caller.token.groupId)
  const today = new Date(clock()).toISOString().slice(0, 10)
  const [since, total] = await Promise.all([
    records.tokenUsage(caller.token.id, today),
    records.tokenUsage(caller.token.id),
  ])
  return {
    object: 'usage',
    currency: 'USD',
    token: caller.token.name,
    balance: formatNano(caller.account.balanceNano),
    group: group?.name ?? null,
    rate_multiplier: group ? formatDecimal(group.multiplierMillionths, 6) : null,
    today: encodeTotals(since),
    total: encodeTotals(total),
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
