import type { CheckedPrice } from '../../../src/app/verify/prices.ts'
import type { CheckedEntry, CheckedRequest } from '../../../src/store/ports/verification.ts'
import { now } from '../../store/support.ts'

/** A price of 1 in, 4 out, 0.1 cached (USD per 1M), twice that above 1,000 tokens of context. */
export function price(changes: Partial<CheckedPrice> = {}): CheckedPrice {
  const base = {
    input: 1_000_000,
    output: 4_000_000,
    cacheRead: 100_000,
    cacheWrite: null,
    cacheWrite1h: null,
  }
  const tier = { ...base, input: 2_000_000, output: 8_000_000, above: 1_000 }
  return {
    id: 3,
    model: 'small',
    terms: { unit: 'tokens', base, tiers: [tier] },
    validFrom: now - 1_000,
    replacedAt: null,
    ...changes,
  }
}

/** A request of 100 in (50 of them cached) and 10 out at half of that price: 47,500 nano-USD. */
export function request(changes: Partial<CheckedRequest> = {}): CheckedRequest {
  return {
    row: 1,
    requestId: 'req_1',
    createdAt: now,
    durationMs: 500,
    accountId: 1,
    tokenId: 1,
    tokenAccountId: 1,
    model: 'small',
    clientProtocol: 'chat',
    upstreamProtocol: 'chat',
    ending: 'complete',
    inputTokens: 50,
    outputTokens: 10,
    reasoningTokens: 0,
    cacheReadTokens: 50,
    cacheWriteTokens: 0,
    cacheWrite1hTokens: 0,
    calls: 1,
    estimated: false,
    clamped: false,
    leftUncounted: false,
    usageRaw:
      '{"prompt_tokens":100,"completion_tokens":10,"prompt_tokens_details":{"cached_tokens":50}}',
    priceId: 3,
    tierAbove: null,
    longContextPricing: true,
    multiplierMillionths: 500_000,
    amountNano: 47_500,
    entryId: 9,
    entryKind: 'charge',
    entryAccountId: 1,
    entryAmountNano: -47_500,
    entryCreatedAt: now + 500,
    ...changes,
  }
}

/** What a request that cost nothing has in the ledger. */
export const noEntry = {
  entryId: null,
  entryKind: null,
  entryAccountId: null,
  entryAmountNano: null,
  entryCreatedAt: null,
} as const

/** A request that used nothing. */
export const nothingUsed = {
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  calls: 0,
  usageRaw: null,
  amountNano: 0,
  ...noEntry,
} as const

/** A charge of 5 that leaves 95. */
export function entry(changes: Partial<CheckedEntry> = {}): CheckedEntry {
  return {
    id: 2,
    accountId: 1,
    email: 'ann@example.com',
    kind: 'charge',
    amountNano: -5,
    balanceAfterNano: 95,
    requestId: 'req_1',
    hasRequest: true,
    beforeNano: null,
    balanceNano: 95,
    ...changes,
  }
}
