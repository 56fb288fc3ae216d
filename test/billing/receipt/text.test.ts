import { describe, expect, test } from 'bun:test'
import { describeClientReceipt, describeReceipt } from '../../../src/billing/receipt/text.ts'
import type { ReceiptRows } from '../../../src/store/ports/records.ts'
import { flat, perCall, receiptOf, tampered, tiered, uncached, unused } from './rows.ts'

const textOf = (rows: ReceiptRows) => `${describeReceipt(rows).join('\n')}\n`
const usage = '{"prompt_tokens":213000,"completion_tokens":900}'
const failedOver = receiptOf(
  tiered,
  { ...uncached(213_000, 900), reasoningTokens: 300, usageRaw: usage, durationMs: 1234 },
  [
    { channel: 'flaky', status: 503, cause: 'upstream_failed', upstreamRequestId: null },
    { channel: 'gone', status: null, cause: 'connect_failed', firstByteMs: null },
    { usageRaw: usage },
  ],
)

test('a receipt tells who asked what, who answered, by which price, and the sum line by line', () => {
  expect(textOf(failedOver)).toBe(`Request    req_1
When       2026-11-21 08:00:00 UTC, took 1.234 s, first byte after 12 ms
Asked      chat completions, model small, streamed
By         ann@example.com, token "laptop", group g
Answer     200 complete
Channel    main, as small-1, speaking chat
Attempt 1  flaky: 503, upstream_failed, first byte after 11 ms, took 33 ms
Attempt 2  gone: no answer, connect_failed, took 33 ms, upstream id up-1
Attempt 3  main: 200, first byte after 11 ms, took 33 ms, upstream id up-1
Usage      reported by the upstream: {"prompt_tokens":213000,"completion_tokens":900}
Price      number 3, valid from 2026-11-21 08:00:00 UTC
           USD per 1M tokens: input 0.5, output 4, cache read 0.025, cache write 0.5, cache write 1h 0.5
Tier       tier above 200,000: 213,000 tokens of context, the next tier begins above 500,000

TOKENS    COUNT  USD PER 1M     USD
input   213,000         0.5  0.1065
output      900           4  0.0036
sum                          0.1101
Of the output, 300 tokens went into reasoning.
× 0.8 (multiplier of the group)
= 0.08808 USD

Formula: (213000 × 500000 + 900 × 4000000) × 0.8 / 1000 = 88080000 nano-USD
Ledger entry 9. The balance after it: 0.91192 USD.
`)
})

test('its own account is not shown what is the upstream’s alone', () => {
  const lines = describeClientReceipt(failedOver)
  expect(lines).toContain('Attempt 3  200, first byte after 11 ms, took 33 ms')
  const text = lines.join('\n')
  expect(text).not.toContain('small-1')
  expect(text).not.toContain('up-1')
  expect(text).not.toMatch(/main|flaky|gone/)
  // Nothing else differs.
  expect(lines.slice(8)).toEqual(describeReceipt(failedOver).slice(9))
})

test('every kind of tokens has its line, one line needs no sum', () => {
  expect(textOf(receiptOf(flat))).toContain(`
TOKENS          COUNT  USD PER 1M          USD
input              10        0.25    0.0000025
output             20           2      0.00004
cache read          3       0.025  0.000000075
cache write         2        0.25    0.0000005
cache write 1h      1        0.25   0.00000025
sum                                0.000043325
Of the output, 5 tokens went into reasoning.
× 0.8 (multiplier of the group)
= 0.00003466 USD
`)
  expect(textOf(receiptOf(perCall, { calls: 3, reasoningTokens: 5 }))).toContain(`
Price      number 3, valid from 2026-11-21 08:00:00 UTC: 0.04 USD per call

       COUNT  USD PER CALL   USD
calls      3          0.04  0.12
× 0.8 (multiplier of the group)
= 0.096 USD

Formula: 3 × 40000000 × 0.8 = 96000000 nano-USD
`)
})

const cut = { ending: 'cut', cause: 'upstream_timeout', causeText: 'It fell silent.' } as const
const left = { ending: 'client_left', cause: 'client_left', causeText: null } as const
const interrupted = {
  ...unused,
  status: 500,
  ending: 'interrupted',
  cause: 'interrupted',
  causeText: 'The gateway was ended while this request was under way.',
  channelId: null,
  durationMs: 0,
} as const
const refused = {
  ...unused,
  status: 404,
  ending: 'refused',
  cause: 'model_not_found',
  causeText: 'No model "x".',
  channelId: null,
} as const

describe('a line says', () => {
  const cases: readonly (readonly [string, ReceiptRows, string])[] = [
    ['free', receiptOf({ unit: 'free' }), 'Model small is free, so nothing was charged.'],
    [
      'free, and since when',
      receiptOf({ unit: 'free' }),
      'Price      number 3, valid from 2026-11-21 08:00:00 UTC: free',
    ],
    [
      'refused',
      receiptOf(null, refused, []),
      'Answer   404 refused: model_not_found (No model "x".)',
    ],
    ['unpriced', receiptOf(null, refused, []), 'No price applied, so nothing was charged.'],
    ['nobody asked', receiptOf(null, refused, []), 'Channel  none was asked'],
    ['no ledger entry', receiptOf(null, refused, []), 'No ledger entry.'],
    ['unused', receiptOf(flat, unused), 'Nothing was used, so nothing was charged.'],
    ['unreported', receiptOf(flat, unused), 'Usage      not reported by the upstream'],
    [
      'interrupted',
      receiptOf(flat, interrupted, []),
      'Answer   500 interrupted: The gateway was ended while this request was under way.',
    ],
    [
      'interrupted, uncharged',
      receiptOf(flat, interrupted, []),
      'The usage is unknown, so nothing was charged.',
    ],
    ['interrupted, when', receiptOf(flat, interrupted, []), 'When     2026-11-21 08:00:00 UTC'],
    ['interrupted, where', receiptOf(flat, interrupted, []), 'Channel  not known'],
    [
      'cut off, and why',
      receiptOf(flat, cut),
      'Answer     200 cut: upstream_timeout (It fell silent.)',
    ],
    [
      'left',
      receiptOf(flat, left),
      'Answer     200 client_left: the client disconnected before the end',
    ],
    [
      'stopped at a limit',
      receiptOf(flat, { ending: 'incomplete' }),
      'Answer     200 incomplete: the model stopped early, at a limit or by a filter',
    ],
    [
      'estimated, nothing reported',
      receiptOf(flat, { ...left, estimated: true, usageRaw: null }),
      'Estimated  The client disconnected before the upstream reported usage, so the gateway counted the prompt and the delivered output.',
    ],
    [
      'estimated, something reported',
      receiptOf(flat, { ...cut, estimated: true }),
      'Estimated  The answer was cut off before the upstream reported its final usage, so the gateway counted the delivered output.',
    ],
    [
      'estimated, though whole',
      receiptOf(flat, { estimated: true, usageRaw: null }),
      'Estimated  The upstream ended its answer without reporting usage, so the gateway counted the prompt and the delivered output.',
    ],
    [
      'what was reported where it was clamped',
      receiptOf(flat, { ...uncached(128_000, 20), clamped: true, usageRaw: '{"in":5000000}' }),
      'Usage      reported by the upstream: {"in":5000000}',
    ],
    [
      'clamped',
      receiptOf(flat, { ...uncached(128_000, 20), clamped: true, usageRaw: '{"in":5000000}' }),
      "Clamped    The upstream reported more than the model's context window can hold. Charged is what fits: 128,000 tokens of context and 20 of output.",
    ],
    [
      'clamped, though nobody reported',
      receiptOf(flat, { ...uncached(128_000, 20), clamped: true, estimated: true, usageRaw: null }),
      "Clamped    The gateway counted more than the model's context window can hold. Charged is what fits: 128,000 tokens of context and 20 of output.",
    ],
    [
      'what a failed attempt reported (B7)',
      receiptOf(flat, {}, [{ status: 200, cause: 'upstream_error', usageRaw: '{"in":7}' }, {}]),
      'Attempt 1  main: 200, upstream_error, first byte after 11 ms, took 33 ms, upstream id up-1, reported {"in":7}',
    ],
    [
      'no prices for a long context',
      receiptOf(tiered, { ...uncached(213_000, 1), longContextPricing: false }),
      'Tier       base tier: the group charges no long-context prices',
    ],
    [
      'images',
      receiptOf(perCall, { operation: 'images', stream: false, model: null }),
      'Asked      chat images, no model named',
    ],
  ]
  test.each(cases)('%s', (_, rows, line) => {
    expect(describeReceipt(rows)).toContain(line)
  })
})

test('a sound receipt does not speak of differences, a changed one does so plainly', () => {
  expect(textOf(failedOver)).not.toContain('ADD UP')
  expect(textOf(tampered(failedOver, { amountNano: 7 }))).toEndWith(`
Ledger entry 9. The balance after it: 0.91192 USD.

THIS RECEIPT DOES NOT ADD UP:
- The formula makes 0.08808 USD, but the amount on record is 0.000000007 USD.
- Ledger entry 9 took 0.08808 USD, but the amount on record is 0.000000007 USD.
A record was edited, or the gateway has a fault. Report this to the operator.
`)
})

test('names cannot steer the terminal', () => {
  const rows = receiptOf(null, { ...refused, causeText: 'a\u001b[31mb\nc' }, [])
  expect(describeReceipt(rows).join('\n')).toContain('(a\\u001b[31mb\\nc)')
})
