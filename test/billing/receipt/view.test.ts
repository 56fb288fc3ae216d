import { expect, test } from 'bun:test'
import { clientReceiptView, receiptView } from '../../../src/billing/receipt/view.ts'
import { receiptOf, tampered, tiered, uncached, unused } from './rows.ts'

const contract =
  'request_id, created_at, account, token, group, model, upstream_model, channel, client_protocol, upstream_protocol, stream, status, cause, ending, input_tokens, output_tokens, reasoning_tokens, cache_read_tokens, cache_write_tokens, cache_write_1h_tokens, estimated, amount_nano, first_byte_ms, duration_ms, attempts, usage_raw, price, tier_above, multiplier, formula, ledger_id'

const rows = receiptOf(tiered, uncached(213_000, 900))
const price = {
  id: 3,
  model: 'small',
  valid_from: '2026-11-21T08:00:00.000Z',
  unit: 'tokens' as const,
  input: 250_000,
  output: 2_000_000,
  cache_read: 25_000,
  cache_write: 250_000,
  cache_write_1h: 250_000,
  tiers: [
    {
      above: 200_000,
      input: 500_000,
      output: 4_000_000,
      cache_read: 25_000,
      cache_write: 500_000,
      cache_write_1h: 500_000,
    },
    {
      above: 500_000,
      input: 1_000_000,
      output: 2_000_000,
      cache_read: 25_000,
      cache_write: 1_000_000,
      cache_write_1h: 1_000_000,
    },
  ],
}

test('a receipt for machines has the names of the contract', () => {
  expect(Object.keys(receiptView(rows))).toContainValues(contract.split(', '))
  expect(Object.keys(receiptView(rows).attempts[0] ?? {})).toContainValues([
    'channel',
    'started_at',
    'status',
    'cause',
    'first_byte_ms',
    'upstream_request_id',
    'usage',
  ])
})

test('a receipt has all that explains the charge', () => {
  expect(receiptView(rows)).toEqual({
    request_id: 'req_1',
    created_at: '2026-11-21T08:00:00.000Z',
    account: 'ann@example.com',
    token: 'laptop',
    group: 'g',
    model: 'small',
    upstream_model: 'small-1',
    channel: 'main',
    client_protocol: 'chat',
    upstream_protocol: 'chat',
    operation: 'completions',
    stream: true,
    status: 200,
    cause: null,
    cause_text: null,
    ending: 'complete',
    input_tokens: 213_000,
    output_tokens: 900,
    reasoning_tokens: 0,
    cache_read_tokens: 0,
    cache_write_tokens: 0,
    cache_write_1h_tokens: 0,
    calls: 1,
    estimated: false,
    clamped: false,
    amount_nano: 88_080_000,
    first_byte_ms: 12,
    duration_ms: 34,
    estimated_reason: null,
    clamped_reason: null,
    extras: null,
    usage_raw: { prompt_tokens: 16 },
    price,
    context_tokens: 213_000,
    long_context_pricing: true,
    tier_above: 200_000,
    tier_reason:
      'tier above 200,000: 213,000 tokens of context, the next tier begins above 500,000',
    multiplier: 0.8,
    multiplier_millionths: 800_000,
    formula: '(213000 × 500000 + 900 × 4000000) × 0.8 / 1000 = 88080000 nano-USD',
    attempts: [
      {
        channel: 'main',
        started_at: '2026-11-21T08:00:00.000Z',
        status: 200,
        cause: null,
        first_byte_ms: 11,
        duration_ms: 33,
        upstream_request_id: 'up-1',
        key_mark: 'mark',
        usage: { prompt_tokens: 16 },
      },
    ],
    ledger_id: 9,
    balance_after_nano: 911_920_000,
    differences: [],
  })
})

test('its own account gets the same, but for what is the upstream’s alone', () => {
  const { upstream_model, channel, attempts, ...whole } = receiptView(rows)
  const own = clientReceiptView(rows)
  expect(Object.keys(own)).not.toContain('upstream_model')
  const { attempts: shown, ...rest } = own
  expect(rest).toEqual(whole)
  expect(shown).toEqual(
    attempts.map(({ channel, upstream_request_id, key_mark, ...attempt }) => attempt),
  )
  expect(JSON.stringify(own)).not.toMatch(/small-1|up-1|main/)
})

test('a refused request has no price, no formula and no entry', () => {
  const refused = receiptOf(null, { ...unused, status: 404, ending: 'refused' }, [])
  expect(receiptView(refused)).toMatchObject({
    price: null,
    formula: null,
    tier_reason: null,
    ledger_id: null,
    balance_after_nano: null,
    usage_raw: null,
    amount_nano: 0,
    attempts: [],
    differences: [],
  })
})

test('an estimate and a clamped report say why', () => {
  const odd = { estimated: true, clamped: true, ending: 'cut' as const, usageRaw: null }
  expect(receiptView(receiptOf(tiered, odd))).toMatchObject({
    estimated: true,
    estimated_reason: expect.stringContaining('cut off before the upstream reported usage'),
    clamped: true,
    clamped_reason: expect.stringContaining('16 tokens of context and 20 of output'),
  })
})

test('a record that was changed by hand is still shown, with what is wrong', () => {
  const changed = tampered(rows, { usageRaw: '{broken', amountNano: 1 })
  expect(receiptView(changed)).toMatchObject({
    usage_raw: '{broken',
    amount_nano: 1,
    differences: [
      'The formula makes 0.08808 USD, but the amount on record is 0.000000001 USD.',
      'Ledger entry 9 took 0.08808 USD, but the amount on record is 0.000000001 USD.',
    ],
  })
})
