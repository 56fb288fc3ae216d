import { expect, test } from 'bun:test'
import { type Caller, checkCaller } from '../../src/gateway/admit/authenticate.ts'

const now = Date.UTC(2026, 10, 21, 12)

/** Only the parts of a caller that are looked at. */
const expiring = (expiresAt: number | null) =>
  ({
    token: { status: 'active', deletedAt: null, expiresAt },
    account: { status: 'active', deletedAt: null, regions: null },
    ipAllow: [],
  }) as unknown as Caller

const check = (caller: Caller) =>
  checkCaller(caller, {} as Parameters<typeof checkCaller>[1], {
    ...{ now, today: '2026-11-21', groupRegions: null, needsBalance: false },
    clientAddress: () => '127.0.0.1',
    clientCountries: () => [],
  })

test.each([
  ['before', now - 1],
  ['at that very moment', now],
])('a token that has expired %s is refused', (_, expiresAt) => {
  expect(() => check(expiring(expiresAt))).toThrow('Invalid API key')
})

test.each([null, now + 1])('a token that expires at %p may be used', (expiresAt) => {
  expect(() => check(expiring(expiresAt))).not.toThrow()
})
