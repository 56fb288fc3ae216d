import { expect, test } from 'bun:test'
import type { Reconciliation } from '../../src/app/reconcile/reconcile.ts'
import { describeReconciliation } from '../../src/cli/reconcile-text.ts'
import type { CountForm } from '../../src/store/ports/matching.ts'

const billed = {
  ...{ ids: 1, lines: 1, inputTokens: 900, outputTokens: 60, cachedTokens: 20, costNano: 5n },
}
const own = {
  ...{ ids: 1, attempts: 1, inputTokens: 100, cacheReadTokens: 20, cacheWriteTokens: 3 },
  ...{ outputTokens: 50, reasoningTokens: 7, amountNano: 5n },
}

/** Only what the sums are made from. */
const foundWith = (form: CountForm) =>
  ({
    sums: {
      ...{ form, billed, matched: { billed, own }, unknownToUs: billed, notBilled: own },
      ...{ repeatedIds: 0, differing: 0 },
    },
    matching: { unknownToUs: () => [], notBilled: () => [], differing: () => [] },
    ...{ columns: {}, span: { since: 0, until: 0 } },
    skipped: { withoutId: 0, outsideSpan: 0 },
    attempts: { withoutId: 0, atTheEdge: 0 },
  }) as unknown as Reconciliation

test.each([
  ['all', 'all', '123', '50'],
  ['without_cache_reads', 'all', '103', '50'],
  ['uncached', 'without_reasoning', '100', '43'],
] as const)('our tokens as they count them: %s input, %s output', (input, output, ins, outs) => {
  const lines = describeReconciliation('usage.csv', ['main'], foundWith({ input, output }))
  const ours = lines.find((line) => line.startsWith('known to both, ours')) ?? ''
  expect(ours.split(/\s{2,}/).slice(1, 5)).toEqual(['1', ins, outs, '20'])
})
