import { expect, test } from 'bun:test'
import { createMetrics } from '../../src/app/metrics.ts'
import { requestIdOf } from '../e2e/caller.ts'
import { costNano, dialects, wholeStream } from '../e2e/dialects.ts'
import { until } from '../e2e/until.ts'
import { settlement } from '../store/support.ts'
import { parseExposition } from '../support/exposition.ts'
import { startClocked, usual } from './clocked.ts'

// What is under way is charged, though somebody else has spent the balance meanwhile: another node, or
// this one before it was frozen.

const { chat } = dialects
const account = 'user@example.com'
const start = '2026-11-22T10:00:00Z'
const balanceNano = 1_000_000_000

test('an account that is overdrawn is told of once, with the request that took it there', async () => {
  await using clocked = await startClocked({ start, balance: 1 })
  const { store, tollgate, upstream, complaints } = clocked
  const go = Promise.withResolvers<void>()
  upstream.handle(async () => {
    await go.promise
    return new Response(wholeStream(chat, usual, ['Hello', ' there']))
  })
  const under = [1, 2, 3].map(() => clocked.ask(chat, { stream: true }))
  const held = async () => (await store.nodes.reservations())[0]?.requests === under.length
  await until('all have set something aside', held)
  expect(tollgate.metrics.overdrawn()).toBeUndefined() // not looked at yet
  const spent = settlement({ requestId: 'req_elsewhere', amountNano: balanceNano - 1 })
  await store.records.commit({ settle: [spent] })
  const before = await store.admin.overdrawn({ atMost: 9 })
  expect(before).toEqual({ count: 0, accounts: [] })
  go.resolve()
  const ids = new Set<string>()
  for (const answer of await Promise.all(under)) {
    expect(await answer.text()).toContain('[DONE]')
    ids.add(requestIdOf(answer))
  }
  const left = 1 - ids.size * costNano(usual)
  expect(await clocked.balanceNano()).toBe(left)

  const { count, accounts } = await store.admin.overdrawn({ atMost: 9 })
  expect({ count, accounts }).toMatchObject({
    count: 1,
    accounts: [{ email: account, balanceNano: left, creditLimitNano: 0 }],
  })
  const ledger = await store.admin.ledger(account, 9)
  const [first] = ledger.filter(({ balanceAfterNano }) => balanceAfterNano < 0)
  expect(accounts[0]?.requestId).toBe(first?.requestId ?? '')
  expect(ids).toContain(accounts[0]?.requestId ?? '')

  const told = () => complaints.filter((line) => line.includes('account is overdrawn'))
  await until('it is said', () => told().length > 0)
  await tollgate.settled()
  expect(told().map((line) => JSON.parse(line))).toEqual([
    expect.objectContaining({
      ...{ level: 'warn', message: 'account is overdrawn', account, credit_limit_nano: 0 },
      ...{ balance_nano: expect.any(Number), overdrawn_nano: expect.any(Number) },
      request_id: first?.requestId,
    }),
  ])
  expect(await clocked.ask(chat).then(({ status }) => status)).toBe(401)
})

test('the metrics count the accounts that are overdrawn', async () => {
  await using clocked = await startClocked({ start, balance: 1 })
  const { store, tollgate } = clocked
  await store.records.commit({ settle: [settlement({ requestId: 'req_1', amountNano: 2e9 })] })
  const metrics = createMetrics(tollgate.metrics, { longestMs: () => 0 })
  const value = async () =>
    parseExposition(await metrics.text()).get('tollgate_accounts_overdrawn')?.lines[0]?.value
  // Nobody who reads them waits for the database.
  expect(await until('it is known', value)).toBe(1)
})

test('who may go below zero is not overdrawn before the limit, and no more when it is paid', async () => {
  await using clocked = await startClocked({ start, balance: 1 })
  const { admin, records } = clocked.store
  const actor = 'a test'
  await admin.changeAccount({ account, actor, creditLimitNano: balanceNano })
  const charge = (requestId: string, amountNano: number) =>
    records.commit({ settle: [settlement({ requestId, amountNano })] })
  const overdrawn = async () => (await admin.overdrawn({ accountId: 1, atMost: 1 })).accounts
  await charge('req_1', 2 * balanceNano)
  expect(await overdrawn()).toEqual([])
  await charge('req_2', 1)
  await charge('req_3', 1)
  expect(await overdrawn()).toMatchObject([{ balanceNano: -1e9 - 2, requestId: 'req_2' }])
  await admin.changeAccount({ account, actor, creditLimitNano: 5 })
  expect(await overdrawn()).toMatchObject([{ requestId: 'req_1' }])
  const paid = { account, actor, reason: 'paid', idempotencyKey: null, kind: 'credit' } as const
  await admin.adjust({ ...paid, amountNano: balanceNano })
  expect(await overdrawn()).toEqual([])
})
