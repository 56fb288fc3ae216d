import { charge } from '../../../src/billing/charge.ts'
import { recordedUsage } from '../../../src/billing/extras.ts'
import type { PriceTerms } from '../../../src/store/ports/catalog.ts'
import type { AttemptRow, ReceiptRows, RequestRow } from '../../../src/store/ports/records.ts'
import { attemptRow, now, priceWrite, requestRow } from '../../store/support.ts'

const names = { account: 'ann@example.com', token: 'laptop', group: 'g' }

/** Prices by tokens: 0.25 in, 2 out, 0.025 for cached input, nothing set for cache writes. */
export const rates = {
  input: 250_000,
  output: 2_000_000,
  cacheRead: 25_000,
  cacheWrite: null,
  cacheWrite1h: null,
}
/** The same, without tiers. */
export const flat = { unit: 'tokens', base: rates, tiers: [] } as const satisfies PriceTerms
/** Two tiers above the base. */
export const tiered = {
  unit: 'tokens',
  base: rates,
  tiers: [
    { ...rates, above: 200_000, input: 500_000, output: 4_000_000 },
    { ...rates, above: 500_000, input: 1_000_000 },
  ],
} as const satisfies PriceTerms
/** Four cents a call. */
export const perCall: PriceTerms = { unit: 'call', perCallNano: 40_000_000 }

/** Counts of a request that touched no cache. */
export const uncached = (inputTokens: number, outputTokens: number) => ({
  inputTokens,
  outputTokens,
  reasoningTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  cacheWrite1hTokens: 0,
})

/** Counts of a request that came to nothing. */
export const unused = { ...uncached(0, 0), calls: 0, usageRaw: null }

/** What a receipt is made from: a request, rightly charged by a price (null: by none). */
export function receiptOf(
  terms: PriceTerms | null,
  changes: Partial<RequestRow> = {},
  attempts: readonly Partial<AttemptRow & { channel: string }>[] = [
    { usageRaw: '{"prompt_tokens":16}' },
  ],
): ReceiptRows {
  const row = { ...requestRow({ requestId: 'req_1' }), priceId: terms && 3, ...changes }
  const charged = terms
    ? charge({ terms, ...row, ...recordedUsage(row) })
    : { amountNano: 0, tierAbove: null }
  const request = { ...row, ...charged, ...names, id: 7, attemptCount: attempts.length }
  const taken = charged.amountNano > 0
  return {
    request: { ...request, channel: request.channelId === null ? null : 'main' },
    attempts: attempts.map((attempt) => ({ ...attemptRow(), channel: 'main', ...attempt })),
    price: terms && { id: 3, validFrom: now, ...priceWrite('small', terms) },
    ledgerId: taken ? 9 : null,
    ledgerAmountNano: taken ? -charged.amountNano : null,
    balanceAfterNano: taken ? 1_000_000_000 - charged.amountNano : null,
  }
}

/** The same rows with fields of the request changed by hand. */
export const tampered = (rows: ReceiptRows, changes: Partial<RequestRow>): ReceiptRows => ({
  ...rows,
  request: { ...rows.request, ...changes },
})
