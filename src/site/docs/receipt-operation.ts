import type { Operation } from './operation.ts'

/** The receipt that the example shows: 1,200 tokens in, 40 out, of a model with two tiers. */
const receipt = {
  request_id: 'req_0123',
  created_at: '2026-11-21T08:00:00.000Z',
  account: 'kim@example.com',
  token: 'laptop',
  group: 'default',
  model: 'long-model',
  channel: 'main',
  client_protocol: 'chat',
  upstream_protocol: 'chat',
  operation: 'completions',
  stream: true,
  status: 200,
  cause: null,
  cause_text: null,
  ending: 'complete',
  input_tokens: 1200,
  output_tokens: 40,
  reasoning_tokens: 0,
  cache_read_tokens: 0,
  cache_write_tokens: 0,
  cache_write_1h_tokens: 0,
  calls: 1,
  estimated: false,
  clamped: false,
  amount_nano: 1_520_000,
  first_byte_ms: 210,
  duration_ms: 1480,
  estimated_reason: null,
  clamped_reason: null,
  usage_raw: { prompt_tokens: 1200, completion_tokens: 40, total_tokens: 1240 },
  extras: null,
  price: {
    id: 7,
    model: 'long-model',
    valid_from: '2026-11-01T00:00:00.000Z',
    unit: 'tokens',
    input: 1_250_000,
    output: 10_000_000,
    cache_read: 1_250_000,
    cache_write: 1_250_000,
    cache_write_1h: 1_250_000,
    tiers: [
      {
        above: 200_000,
        input: 2_500_000,
        output: 15_000_000,
        cache_read: 2_500_000,
        cache_write: 2_500_000,
        cache_write_1h: 2_500_000,
      },
    ],
  },
  context_tokens: 1200,
  long_context_pricing: true,
  tier_above: null,
  tier_reason: 'base tier: 1,200 tokens of context, the next tier begins above 200,000',
  multiplier: 0.8,
  multiplier_millionths: 800_000,
  formula: '(1200 × 1250000 + 40 × 10000000) × 0.8 / 1000 = 1520000 nano-USD',
  attempts: [
    {
      channel: 'main',
      started_at: '2026-11-21T08:00:00.004Z',
      status: 200,
      cause: null,
      first_byte_ms: 205,
      duration_ms: 1475,
      usage: { prompt_tokens: 1200, completion_tokens: 40, total_tokens: 1240 },
    },
  ],
  ledger_id: 42,
  balance_after_nano: 97_312_000_000,
  differences: [],
}

/** `GET /v1/receipts/{id}`. */
export const receiptOperation: Operation = {
  tag: 'Account',
  summary: 'Why a request cost what it did',
  description:
    'For the tokens of the account that made the request, once it has ended. The id is the ' +
    "x-request-id of its answer. Works with a used-up balance, too. With 'Accept: text/plain' " +
    'the same as text for people. Prices are micro-USD per 1M tokens or nano-USD per call, ' +
    'amounts are nano-USD (a billionth of a USD).',
  parameters: [
    {
      name: 'id',
      place: 'path',
      description: 'Id of a request.',
      example: 'req_0123',
    },
  ],
  answer: 'Reported usage, counts, price, tier and why, multiplier, formula, amount, attempts.',
  example: receipt,
  others: {
    404: 'This account has made no such request, or it is still under way, or it leaves no record.',
  },
}
