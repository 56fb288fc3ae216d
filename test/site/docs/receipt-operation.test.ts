import { expect, test } from 'bun:test'
import { clientReceiptView } from '../../../src/billing/receipt/view.ts'
import { receiptOperation } from '../../../src/site/docs/site-operations.ts'
import type { PriceTerms } from '../../../src/store/ports/catalog.ts'
import { receiptOf, uncached } from '../../billing/receipt/rows.ts'

const unset = { cacheRead: null, cacheWrite: null, cacheWrite1h: null }
const terms: PriceTerms = {
  unit: 'tokens',
  base: { ...unset, input: 1_250_000, output: 10_000_000 },
  tiers: [{ ...unset, above: 200_000, input: 2_500_000, output: 15_000_000 }],
}
const usageRaw = '{"prompt_tokens":1200,"completion_tokens":40,"total_tokens":1240}'

test('the example is a receipt as the gateway would write it', () => {
  const rows = receiptOf(
    terms,
    {
      ...uncached(1200, 40),
      requestId: 'req_0123',
      model: 'long-model',
      usageRaw,
      firstByteMs: 210,
      durationMs: 1480,
    },
    [{ usageRaw, startedAt: Date.UTC(2026, 10, 21, 8) + 4, firstByteMs: 205, durationMs: 1475 }],
  )
  const view = clientReceiptView({
    ...rows,
    request: { ...rows.request, account: 'kim@example.com', group: 'default' },
    price: rows.price && {
      ...rows.price,
      id: 7,
      model: 'long-model',
      validFrom: Date.UTC(2026, 10, 1),
    },
    ledgerId: 42,
    balanceAfterNano: 97_312_000_000,
  })
  expect(receiptOperation.example).toEqual(view)
})
