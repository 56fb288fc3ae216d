import { expect, test } from 'bun:test'
import { createEntryWalk } from '../../../src/app/verify/check-sums.ts'
import { describeDifference } from '../../../src/app/verify/findings.ts'
import type { CheckedEntry } from '../../../src/store/ports/verification.ts'
import { entry } from './rows.ts'

function walk(...entries: readonly Partial<CheckedEntry>[]): readonly string[] {
  const walking = createEntryWalk()
  const found = entries.flatMap((changes) => walking.next(entry(changes)))
  return [...found, ...walking.end()].map(describeDifference)
}

const opening = {
  id: 1,
  kind: 'opening',
  amountNano: 100,
  balanceAfterNano: 100,
  requestId: null,
  beforeNano: 0,
} as const
const charge = (id: number, balanceAfterNano: number) => ({ id, balanceAfterNano, balanceNano: 85 })

test('balances that follow from one another, account by account', () => {
  expect(walk(opening, charge(2, 95), charge(3, 90), charge(4, 85))).toEqual([])
  const other = { accountId: 2, email: 'bob@example.com' }
  expect(
    walk({ ...opening, balanceNano: 100 }, { ...opening, ...other, id: 9, balanceNano: 100 }),
  ).toEqual([])
  expect(walk()).toEqual([])
})

test('one wrong balance is told once, though the ones after it do not follow from it', () => {
  expect(walk(opening, charge(2, 96), charge(3, 90), charge(4, 85))).toEqual([
    'ledger entry 2: balance_after_nano is 96, should be 95: -5 after a balance of 100 of account 1',
  ])
})

test('a missing entry is told once, and in the balance', () => {
  expect(walk(opening, charge(3, 90), charge(4, 85))).toEqual([
    'ledger entry 3: balance_after_nano is 90, should be 95: -5 after a balance of 100 of account 1',
    'account 1 (ann@example.com): balance_nano is 85, should be 90: the sum of its ledger entries',
  ])
})

test('an entry too many is told once, and in the balance', () => {
  expect(walk(opening, charge(2, 95), charge(7, 1_234), charge(3, 90), charge(4, 85))).toEqual([
    'ledger entry 7: balance_after_nano is 1234, should be 90: -5 after a balance of 95 of account 1',
    'account 1 (ann@example.com): balance_nano is 85, should be 80: the sum of its ledger entries',
  ])
})

test('a walk may begin at any balance', () => {
  expect(walk({ ...charge(4, 85), beforeNano: 90 })).toEqual([])
  expect(walk({ ...charge(4, 85), beforeNano: 91 })).toHaveLength(2)
})

test.each<[string, Partial<CheckedEntry>, string]>([
  [
    'a credit that takes',
    { kind: 'credit', requestId: null },
    'but with kind "credit" it is a whole number above 0',
  ],
  [
    'a debit that gives',
    { kind: 'debit', amountNano: 5, requestId: null },
    'but with kind "debit" it is a whole number below 0',
  ],
  ['a charge that gives', { amountNano: 5 }, 'but with kind "charge" it is a whole number below 0'],
  [
    'an opening of nothing',
    { kind: 'opening', amountNano: 0, requestId: null },
    'but with kind "opening" it is',
  ],
  [
    'a late opening',
    { kind: 'opening', amountNano: 5, requestId: null, beforeNano: 1 },
    'not the first entry of its account',
  ],
  ['a charge of no request', { requestId: null }, 'is a charge without a request'],
  ['a debit of a request', { kind: 'debit' }, 'is a debit, but names the request req_1'],
  [
    'a charge of a request that is gone',
    { hasRequest: false },
    'charges 5 nano-USD for request req_1, which does not exist',
  ],
])('%s', (_name, changes, text) => {
  const before = { beforeNano: 0, ...changes }
  const after = (before.beforeNano ?? 0) + (changes.amountNano ?? -5)
  const found = walk({ ...before, balanceAfterNano: after, balanceNano: after })
  expect(found).toEqual([expect.stringContaining(text)])
})

test('an account that is gone is left to the check of the file', () => {
  expect(walk({ ...charge(4, 85), beforeNano: 90, balanceNano: null, email: null })).toEqual([])
})
