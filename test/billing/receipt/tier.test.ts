import { expect, test } from 'bun:test'
import { explainTier } from '../../../src/billing/receipt/explain.ts'
import type { RequestRow } from '../../../src/store/ports/records.ts'
import { flat, receiptOf, tiered, uncached } from './rows.ts'

const cases: readonly (readonly [
  string,
  typeof flat | typeof tiered,
  Partial<RequestRow>,
  number | null,
])[] = [
  ['base tier: this price has no other', flat, uncached(900_000, 0), null],
  [
    'base tier: 1,200 tokens of context, the next tier begins above 200,000',
    tiered,
    uncached(1200, 9),
    null,
  ],
  [
    'base tier: 200,000 tokens of context, the next tier begins above 200,000',
    tiered,
    uncached(200_000, 0),
    null,
  ],
  [
    'tier above 200,000: 213,000 tokens of context, the next tier begins above 500,000',
    tiered,
    uncached(213_000, 0),
    200_000,
  ],
  ['tier above 500,000: 500,001 tokens of context', tiered, uncached(500_001, 0), 500_000],
  [
    'base tier: the group charges no long-context prices',
    tiered,
    { ...uncached(500_001, 0), longContextPricing: false },
    null,
  ],
  [
    'tier above 200,000: 200,001 tokens of context, the next tier begins above 500,000',
    tiered,
    { inputTokens: 1, cacheReadTokens: 199_997, cacheWriteTokens: 1, cacheWrite1hTokens: 2 },
    200_000,
  ],
]
test.each(cases)('tells %j', (reason, terms, changes, above) => {
  const { request } = receiptOf(terms, changes)
  expect(explainTier(terms, request)).toMatchObject({ above, reason })
  // The reason is that of the charge itself.
  expect(request.tierAbove).toBe(above)
})
