import { expect, test } from 'bun:test'
import { createFindings } from '../../src/app/verify/findings.ts'
import { describeVerified, verifiedView } from '../../src/cli/verify-text.ts'

const verified = {
  isDamaged: false,
  unchecked: [],
  requests: 1,
  entries: 1,
  accounts: 1,
  reservations: 0,
  chargedNano: 2n ** 70n,
  durationMs: 0,
}

test('a sum beyond the integers of a number is told to the last digit', () => {
  const findings = createFindings()
  const sum = '1180591620717.411303424'
  expect(describeVerified(verified, findings, undefined).join()).toContain(`charged ${sum} USD`)
  expect(verifiedView(verified, findings, undefined).charged_usd).toBe(sum)
})

test('one of each is one', () => {
  expect(describeVerified(verified, createFindings(), undefined)).toEqual([
    expect.stringContaining(
      'Verified 1 request and 1 ledger entry, 1 account, 0 open reservations',
    ),
  ])
})
