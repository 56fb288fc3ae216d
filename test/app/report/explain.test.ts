import { describe, expect, test } from 'bun:test'
import { explainCharge } from '../../../src/app/report/explain.ts'
import { receiptView } from '../../../src/app/report/receipt.ts'
import { charge } from '../../../src/billing/charge.ts'
import type { PriceTerms } from '../../../src/store/ports/catalog.ts'
import type { ReceiptRows, RequestRow } from '../../../src/store/ports/records.ts'
import { attemptRow, now, priceWrite, requestRow } from '../../store/support.ts'

const names = { account: 'ann@example.com', token: 'laptop', group: 'g', channel: 'main' }

function receiptOf(terms: PriceTerms | null, changes: Partial<RequestRow> = {}): ReceiptRows {
  const request = { ...requestRow({ requestId: 'req_1' }), ...changes }
  const charged = terms && charge({ terms, usage: request, ...request })
  return {
    request: { ...request, ...charged, ...names, id: 7, attemptCount: 1 },
    attempts: [{ ...attemptRow({ usageRaw: '{"prompt_tokens":16}' }), channel: 'main' }],
    price: terms && { id: 3, validFrom: now, ...priceWrite('small', terms) },
    ledgerId: terms && 9,
  }
}

const rates = {
  input: 250_000,
  output: 2_000_000,
  cacheRead: 25_000,
  cacheWrite: null,
  cacheWrite1h: null,
}
const tokens: PriceTerms = {
  unit: 'tokens',
  base: rates,
  tiers: [{ ...rates, above: 15, output: 4_000_000 }],
}
const short = {
  inputTokens: 8,
  outputTokens: 5,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  cacheWrite1hTokens: 0,
}

describe('the formula', () => {
  const cases: readonly (readonly [string, ReceiptRows, string | undefined])[] = [
    [
      'multiplies tokens, prices and multiplier',
      receiptOf(tokens, short),
      '(8 × 250000 + 5 × 2000000) × 0.8 / 1000 = 9600 nano-USD',
    ],
    [
      'has all kinds of tokens, the tier that was charged, and prices that were not set',
      receiptOf(tokens),
      '(10 × 250000 + 20 × 4000000 + 3 × 25000 + 2 × 250000 + 1 × 250000) × 0.8 / 1000 = 66660 nano-USD',
    ],
    [
      'shows the exact value where it was rounded',
      receiptOf({ ...tokens, base: { ...rates, input: 1 } }, { ...short, outputTokens: 0 }),
      '(8 × 1) × 0.8 / 1000 = 0.0064, rounded half up to 0 nano-USD',
    ],
    [
      'counts calls',
      receiptOf({ unit: 'call', perCallNano: 40_000_000 }, { calls: 3 }),
      '3 × 40000000 × 0.8 = 96000000 nano-USD',
    ],
    ['says that a model is free', receiptOf({ unit: 'free' }), 'free = 0 nano-USD'],
    ['is not there without a price', receiptOf(null), undefined],
  ]
  for (const [name, rows, formula] of cases) {
    test(name, () => {
      const explained = explainCharge(rows)?.formula
      expect(explained).toBe(formula)
      if (explained && rows.price)
        expect(explained).toEndWith(` ${rows.request.amountNano} nano-USD`)
    })
  }

  test('is computed from the record, not copied from its amount', () => {
    const rows = receiptOf(tokens, short)
    const wrong = { ...rows, request: { ...rows.request, amountNano: 1 } }
    expect(explainCharge(wrong)?.formula).toEndWith(' 9600 nano-USD')
  })
})

test('a receipt has the prices as they are charged, and the raw usage', () => {
  expect(receiptView(receiptOf(tokens))).toMatchObject({
    request_id: 'req_1',
    created_at: '2026-11-21T08:00:00.000Z',
    usage_raw: { prompt_tokens: 16 },
    price: {
      id: 3,
      valid_from: '2026-11-21T08:00:00.000Z',
      unit: 'tokens',
      input: 250_000,
      output: 2_000_000,
      cache_read: 25_000,
      cache_write: 250_000,
      cache_write_1h: 250_000,
      tiers: [{ above: 15, output: 4_000_000, cache_write_1h: 250_000 }],
    },
    tier_above: 15,
    multiplier: 0.8,
    attempts: [
      {
        channel: 'main',
        started_at: '2026-11-21T08:00:00.000Z',
        status: 200,
        cause: null,
        first_byte_ms: 11,
        upstream_request_id: 'up-1',
        usage: { prompt_tokens: 16 },
      },
    ],
    ledger_id: 9,
  })
})

test('a refused request has no price and no formula', () => {
  const rows = receiptOf(null, { status: 404, ending: 'refused', amountNano: 0, usageRaw: null })
  expect(receiptView(rows)).toMatchObject({
    price: null,
    formula: null,
    ledger_id: null,
    usage_raw: null,
    amount_nano: 0,
  })
})
