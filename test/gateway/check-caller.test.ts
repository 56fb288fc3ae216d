import { expect, test } from 'bun:test'
import {
  type Caller,
  checkCaller,
  createAuthenticator,
} from '../../src/gateway/admit/authenticate.ts'
import type { TokenRecord } from '../../src/store/ports/admin.ts'

const now = Date.UTC(2026, 10, 21, 12)

/** Only the parts of a caller that are looked at. */
const expiring = (expiresAt: number | null) =>
  ({
    token: { status: 'active', deletedAt: null, expiresAt },
    account: { status: 'active', deletedAt: null, regions: null },
    ipAllow: [],
  }) as unknown as Caller

const check = (caller: Caller, needsBalance = false) =>
  checkCaller(caller, {} as Parameters<typeof checkCaller>[1], {
    ...{ now, today: '2026-11-21', groupRegions: null, needsBalance },
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

test('an account pays while it has something left, its credit included', () => {
  const left = (balanceNano: number, creditLimitNano: number) => {
    const { token, ...rest } = expiring(null)
    const account = { ...rest.account, balanceNano, creditLimitNano }
    const caller = { ...rest, account, token: { ...token, budget: {} } } as Caller
    return () => check(caller, true)
  }
  for (const [balance, credit] of [
    [1, 0],
    [0, 1],
    [-4, 5],
  ] as const)
    expect(left(balance, credit)).not.toThrow()
  for (const [balance, credit] of [
    [0, 0],
    [-5, 5],
  ] as const)
    expect(left(balance, credit)).toThrow()
})

test('a key that is changed while it is looked up is looked up again', async () => {
  const found = [Promise.withResolvers<TokenRecord>(), Promise.withResolvers<TokenRecord>()]
  let lookUps = 0
  const authenticator = createAuthenticator({
    tokens: { findByHash: async () => found[lookUps++]?.promise },
    keyedHash: (key) => key,
    unknownKeys: {
      ...{ isRefused: () => false, lookedUp() {}, found() {} },
      delay: async () => {},
    },
    keys: { add() {}, changed() {} },
    onBalance() {},
  })
  const record = (status: string) =>
    ({ id: 1, status, spent: null, ipAllow: [], models: [], account: { id: 1 } }) as never
  const first = authenticator.identify('sk-one', () => '')
  authenticator.forgetToken('sk-one')
  found[0]?.resolve(record('active'))
  await first
  found[1]?.resolve(record('disabled'))
  expect((await authenticator.identify('sk-one', () => '')).token.status).toBe('disabled')
  await authenticator.identify('sk-one', () => '')
  expect(lookUps).toBe(2)
})

test('whoever has itself renewed keeps no other from being remembered', async () => {
  const lookUps: string[] = []
  const slow = Promise.withResolvers<void>()
  const authenticator = createAuthenticator({
    tokens: {
      async findByHash(hash) {
        lookUps.push(hash)
        if (hash === 'sk-slow') await slow.promise
        const id = hash === 'sk-slow' ? 1 : 2
        return { id, spent: null, ipAllow: [], models: [], account: { id } } as never
      },
    },
    keyedHash: (key) => key,
    unknownKeys: {
      ...{ isRefused: () => false, lookedUp() {}, found() {} },
      delay: async () => {},
    },
    keys: { add() {}, changed() {} },
    onBalance() {},
  })
  const first = authenticator.identify('sk-slow', () => '')
  await authenticator.renewed(await authenticator.identify('sk-often', () => ''))
  slow.resolve()
  await first
  await authenticator.identify('sk-slow', () => '')
  expect(lookUps).toEqual(['sk-slow', 'sk-often', 'sk-often'])
})
