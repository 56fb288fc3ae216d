import { afterAll, beforeAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import { formatNano } from '../../src/billing/money.ts'
import { type RunningBinary, runBinary, startBinary } from '../support/binary.ts'
import { type FakeUpstream, jsonAnswer, startFakeUpstream } from '../support/fake-upstream.ts'
import { testKey, tollgateYaml } from '../support/tollgate-yaml.ts'
import { ask } from './caller.ts'
import { costNano, dialects } from './dialects.ts'
import { type Ledger, openLedger } from './ledger.ts'
import { until } from './until.ts'

// Balances, limits and budgets are changed beside a running gateway: its next request, at most a
// second later, goes by them.

const tokens = { input: 10, output: 20 }
const dialect = dialects.chat
const user = 'user@example.com'
const withinMs = 1000

let upstream: FakeUpstream
let gateway: RunningBinary
let ledger: Ledger

beforeAll(async () => {
  upstream = startFakeUpstream(() => jsonAnswer(dialect.body(tokens)))
  gateway = await startBinary({
    config: (listen) => tollgateYaml({ listen, upstream: upstream.url }),
  })
  ledger = openLedger(gateway.cwd)
})
afterAll(async () => {
  await ledger[Symbol.asyncDispose]()
  await gateway.stop()
  await upstream.stop()
})

async function tollgate(...args: string[]) {
  const file = join(gateway.cwd, 'tollgate.yaml')
  const { stdout, stderr, exitCode } = await runBinary([...args, '--json', '--config', file])
  if (exitCode !== 0) throw new Error(`tollgate ${args.join(' ')}: ${stderr}${stdout}`)
  return JSON.parse(stdout)
}

const adjust = (kind: 'credit' | 'debit', amountNano: number, ...options: string[]) =>
  tollgate('account', kind, user, (amountNano / 1e9).toFixed(9), '--reason', 'test', ...options)

/** Asks until the answer has this status and reason. */
const answersWith = (...expected: readonly [status: number, reason?: string]) =>
  until(
    expected.join(' '),
    async () => {
      const [status, reason] = await askOnce()
      return status === expected[0] && reason === (expected[1] ?? null)
    },
    withinMs,
  )

/** Waits until the gateway takes the balance for what the database says; asks for no model. */
const balanceArrives = () =>
  until(
    'the new balance',
    async () => {
      const headers = { authorization: `Bearer ${testKey}` }
      const answer = await fetch(`${gateway.url}/v1/usage`, { headers, proxy: false })
      const { balance } = (await answer.json()) as { balance: string }
      return balance === formatNano(await ledger.balanceNano())
    },
    withinMs,
  )

/** The status of one request and why. */
async function askOnce() {
  const answer = await ask(gateway.url, dialect, false)
  await answer.text()
  return [answer.status, answer.headers.get('x-tollgate-reason')]
}

test('a debit of all stops the account, and a credit lets it go on, each within a second', async () => {
  expect(await askOnce()).toEqual([200, null])
  await adjust('debit', await ledger.balanceNano())
  await balanceArrives()
  expect(await askOnce()).toEqual([401, 'balance'])
  expect(await ledger.balanceNano()).toBe(0)

  const credit = await adjust('credit', 1_000_000_000, '--key', 'payment-1')
  expect(credit).toMatchObject({ repeated: false, balance_after_nano: 1_000_000_000 })
  await balanceArrives()
  expect(await askOnce()).toEqual([200, null])
  expect(await ledger.balanceNano()).toBe(1_000_000_000 - costNano(tokens))
  await balanceArrives()

  expect(await adjust('credit', 1_000_000_000, '--key', 'payment-1')).toEqual({
    ...credit,
    repeated: true,
  })
  expect(await ledger.balanceNano()).toBe(1_000_000_000 - costNano(tokens))
})

test('a credit limit lets a balance go below zero, and taking it away ends that', async () => {
  await adjust('debit', await ledger.balanceNano())
  await balanceArrives()
  expect(await askOnce()).toEqual([401, 'balance'])
  await tollgate('account', 'set', user, '--credit-limit', '5')
  await answersWith(200)
  expect(await ledger.balanceNano()).toBe(-costNano(tokens))
  expect(await tollgate('account', 'show', user)).toMatchObject({
    balance_nano: -costNano(tokens),
    credit_limit_nano: 5_000_000_000,
    balance_low: true,
  })
  await tollgate('account', 'set', user, '--credit-limit', '0')
  await answersWith(401, 'balance')
})

test('a budget that is used up stops its token, and a larger one lets it go on', async () => {
  await adjust('credit', 2_000_000_000)
  await answersWith(200)
  await tollgate('token', 'set', '1', '--budget-day', '0')
  await answersWith(401, 'budget')
  await tollgate('token', 'set', '1', '--budget-day', '1')
  await answersWith(200)
  const { spent } = await tollgate('token', 'show', '1')
  const charged = (await ledger.charges()).reduce((sum, { amount_nano }) => sum - amount_nano, 0)
  expect(spent).toMatchObject({ total_nano: charged, day_nano: charged, month_nano: charged })
})

test('the balance is the sum of the ledger, and what was done by hand is in the audit', async () => {
  expect(await ledger.sumNano()).toBe(await ledger.balanceNano())
  const actions = await tollgate('audit', 'list')
  expect(actions.map(({ action }: { action: string }) => action)).toEqual([
    'account.debit',
    'account.credit',
    'account.debit',
    'account.set',
    'account.set',
    'account.credit',
    'token.set',
    'token.set',
  ])
})
