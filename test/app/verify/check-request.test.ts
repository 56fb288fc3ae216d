import { describe, expect, test } from 'bun:test'
import { checkRequest } from '../../../src/app/verify/check-request.ts'
import { describeDifference } from '../../../src/app/verify/findings.ts'
import type { CheckedPrice } from '../../../src/app/verify/prices.ts'
import type { CheckedRequest } from '../../../src/store/ports/verification.ts'
import { now } from '../../store/support.ts'
import { noEntry, nothingUsed, price, request } from './rows.ts'

const found = (changes: Partial<CheckedRequest>, by: CheckedPrice | null = price()) =>
  checkRequest(request(changes), by).map(describeDifference)

describe('a request that is right', () => {
  test.each<[string, Partial<CheckedRequest>, CheckedPrice | null]>([
    ['by tokens', {}, price()],
    [
      'above a threshold, at that tier',
      {
        inputTokens: 951,
        usageRaw:
          '{"prompt_tokens":1001,"completion_tokens":10,"prompt_tokens_details":{"cached_tokens":50}}',
        tierAbove: 1_000,
        amountNano: 993_500,
        entryAmountNano: -993_500,
      },
      price(),
    ],
    [
      'per call, without a report of usage',
      {
        ...nothingUsed,
        calls: 2,
        amountNano: 7,
        entryId: 9,
        entryKind: 'charge',
        entryAccountId: 1,
        entryAmountNano: -7,
      },
      price({ terms: { unit: 'call', perCallNano: 7 } }),
    ],
    ['free', { amountNano: 0, ...noEntry }, price({ terms: { unit: 'free' } })],
    [
      'refused before it had a price',
      { ...nothingUsed, ending: 'refused', priceId: null, model: 'what?' },
      null,
    ],
    ['refused by its upstream', { ...nothingUsed, ending: 'refused' }, price()],
    ['interrupted', { ...nothingUsed, ending: 'interrupted', durationMs: 0 }, price()],
    [
      'estimated, whatever was reported',
      { estimated: true, usageRaw: '{"prompt_tokens":1}' },
      price(),
    ],
    ['clamped, whatever was reported', { clamped: true, usageRaw: '{"prompt_tokens":1}' }, price()],
    ['charged by a price that came while its body did', {}, price({ validFrom: now + 500 })],
    ['charged by a price of the same millisecond', { durationMs: 0 }, price({ validFrom: now })],
    ['charged by a price that was replaced a moment ago', {}, price({ replacedAt: now - 2_000 })],
    [
      'of a model with a very long name',
      { model: 'm'.repeat(200) },
      price({ model: 'm'.repeat(300) }),
    ],
  ])('%s', (_name, changes, by) => {
    expect(found(changes, by)).toEqual([])
  })
})

describe('a request that is wrong', () => {
  test.each<[string, Partial<CheckedRequest>, CheckedPrice | null, string[]]>([
    [
      'an amount that its counts do not make',
      { amountNano: 47_501, entryAmountNano: -47_501 },
      price(),
      [
        'request req_1: amount_nano is 47501, should be 47500: by its counts, its multiplier and price 3',
      ],
    ],
    [
      'an amount without a price',
      { priceId: null },
      null,
      ['request req_1: amount_nano is 47500, should be 0: it has no price'],
    ],
    [
      'an amount for what was interrupted',
      { ...nothingUsed, ending: 'interrupted', amountNano: 1 },
      price(),
      [
        'request req_1: amount_nano is 1, should be 0: what was interrupted costs nothing',
        'request req_1: the ledger has no entry that charges its 1 nano-USD',
      ],
    ],
    [
      'nothing for who left when the upstream had begun to answer',
      { ...nothingUsed, ending: 'client_left', leftUncounted: true },
      price(),
      [
        'request req_1: its client left when an upstream had begun to answer, and nothing was counted for it',
      ],
    ],
    [
      'a price that was removed',
      {},
      price({ terms: { unit: 'none' } }),
      ['request req_1: price 3: charged by a price that was removed'],
    ],
    [
      'a price that was replaced long before',
      {},
      price({ replacedAt: now - 61_000 }),
      ['request req_1: price 3 was replaced at 2026-11-21T07:58:59.000Z, before this request came'],
    ],
    [
      'a price that came after it had ended',
      {},
      price({ validFrom: now + 501 }),
      [
        'request req_1: price 3 holds from 2026-11-21T08:00:00.501Z on, after this request had ended',
      ],
    ],
    [
      'a price whose terms are none',
      {},
      price({ terms: null }),
      ["request req_1: the terms of price 3 can't be read"],
    ],
    [
      'a charge beyond all numbers',
      {
        multiplierMillionths: Number.MAX_SAFE_INTEGER,
        outputTokens: 10_000_000_000,
        estimated: true,
      },
      price(),
      ['request req_1: price 3: charge exceeds the safe integer range'],
    ],
    [
      'an entry of another kind, with its sign',
      { entryKind: 'credit', entryAmountNano: 47_500 },
      price(),
      [
        'ledger entry 9: kind is "credit", should be "charge"; amount_nano is 47500, should be -47500: by request req_1',
      ],
    ],
    [
      'counts that are none, with no word about what they would cost',
      { outputTokens: -1, inputTokens: 2 ** 53 },
      price(),
      [
        'request req_1: input_tokens is 9007199254740992; output_tokens is -1: not a count that can be charged for',
      ],
    ],
  ])('%s', (_name, changes, by, lines) => {
    expect(found(changes, by)).toEqual(lines)
  })
})

test('a token that is gone is left to the check of the file', () => {
  expect(found({ tokenAccountId: null })).toEqual([])
  expect(found({ tokenAccountId: 2 })).toEqual([
    'request req_1: account_id is 1, should be 2: the account of token 1',
  ])
})
