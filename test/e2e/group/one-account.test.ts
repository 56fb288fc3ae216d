import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { type RunningBinary, runBinary, startBinary } from '../../support/binary.ts'
import { type FakeUpstream, jsonAnswer, startFakeUpstream } from '../../support/fake-upstream.ts'
import { readGroup } from '../../support/processes.ts'
import { openTables, type Tables } from '../../support/tables.ts'
import { tollgateYaml } from '../../support/tollgate-yaml.ts'
import { ask } from '../caller.ts'
import { type Dialect, dialects } from '../dialects.ts'
import { until } from '../until.ts'

// What one customer can get out of four workers at once: each request comes by a connection of its own, and the
// kernel deals them out. Prices of a call are fixed but for `open-model`, whose answers turn out dearer.

const workers = 4
const priceUsd = 0.01
const { chat } = dialects
const withinMs = 1_000
/** So many connections reach every worker. */
const many = 48

const keyOf = (name: string) => `sk-${name}-0123456789abcdefghijklmnop`
const account = (name: string, balance: number, token: object = {}) => ({
  ...{ email: `${name}@example.com`, balance },
  tokens: [{ name, key: keyOf(name), group: 'default', ...token }],
})
/** Nothing bounds its answer, which costs twice the usual one. */
const open: Dialect = {
  ...chat,
  request: () => ({ ...chat.request(false), model: 'open-model' }),
}
const long = { input: 10, output: 9_000 }
const longNano = 10 * 1_000 + 9_000 * 2_000

let upstream: FakeUpstream
let gateway: RunningBinary
let tables: Tables
/** Keeps answers back until it resolves. */
let go: Promise<void> | undefined
let [inHand, mostInHand] = [0, 0]

beforeAll(async () => {
  upstream = startFakeUpstream(async (seen) => {
    mostInHand = Math.max(mostInHand, ++inHand)
    await (go ?? Bun.sleep(20))
    inHand--
    return jsonAnswer(
      chat.body(seen.text().includes('open-model') ? long : { input: 9, output: 9 }),
    )
  })
  gateway = await startBinary({
    config: (listen) =>
      tollgateYaml({
        ...{ listen, upstream: upstream.url, server: { workers } },
        models: ['test-model', 'open-model'],
        prices: { 'test-model': { per_call: priceUsd } },
        moreAccounts: [
          ...[account('dollar', 1), account('open', 1), account('switched', 100)],
          account('told', 1),
          ...[
            account('empty', priceUsd),
            account('budget', 100, { budget: { total: 30 * priceUsd } }),
          ],
          ...[
            account('three', 100, { limits: { concurrency: 3 } }),
            account('fifty', 100, { limits: { rpm: 50 } }),
            account('thousand', 100, { limits: { rpm: 1_000, concurrency: 500 } }),
          ],
        ],
      }),
  })
  tables = openTables(gateway.cwd)
})
afterAll(async () => {
  await tables[Symbol.asyncDispose]()
  await gateway.stop()
  await upstream.stop()
})

/** The status of a request with the key of that name, and why, when it was refused. */
async function outcome(name: string, dialect = chat): Promise<string> {
  const answer = await ask(gateway.url, dialect, false, { key: keyOf(name) })
  await answer.text()
  return `${answer.status} ${answer.headers.get('x-tollgate-reason') ?? ''}`.trim()
}

async function outcomes(name: string, count: number, dialect = chat): Promise<Map<string, number>> {
  const found = await Promise.all(Array.from({ length: count }, () => outcome(name, dialect)))
  return Map.groupBy(found, (one) => one)
    .entries()
    .reduce((counts, [key, all]) => counts.set(key, all.length), new Map<string, number>())
}

async function moneyOf(name: string) {
  const [found] = await tables.rows<{ balance: number; reserved: number; charges: number }>(
    `SELECT balance_nano AS balance, reserved_nano AS reserved, (SELECT count(*) FROM ledger
       WHERE account_id = account.id AND kind = 'charge') AS charges
     FROM account WHERE email = '${name}@example.com'`,
  )
  return found
}

async function tollgate(...words: readonly string[]): Promise<string> {
  const file = join(gateway.cwd, 'tollgate.yaml')
  const { stdout, stderr, exitCode } = await runBinary([...words, '--config', file])
  if (exitCode !== 0) throw new Error(`tollgate ${words.join(' ')}: ${stderr}${stdout}`)
  return stdout
}

test('there are four workers, and a keeper', () => {
  const group = readGroup(gateway.pid)
  expect(group.workers).toHaveLength(workers)
  expect(new Set([group.starter, group.keeper, ...group.workers]).size).toBe(workers + 2)
})

describe('400 requests at once by four workers', () => {
  test('spend a dollar, and not one cent more', async () => {
    const counts = await outcomes('dollar', 400)
    console.log('A dollar for 100 requests:', Object.fromEntries(counts))
    // What one worker holds may be missing at another for a moment: who asks again gets it.
    await until(
      'all of the dollar to be spent',
      async () => (await outcome('dollar')) === '401 balance',
    )
    expect(await moneyOf('dollar')).toEqual({ balance: 0, reserved: 0, charges: 100 })
  })

  test('overdraw an account by one answer that turns out dearer, and no more', async () => {
    const counts = await outcomes('open', 400, open)
    console.log('A dollar for answers that turn out dearer:', Object.fromEntries(counts))
    const money = await moneyOf('open')
    expect(money?.charges).toBe(counts.get('200') ?? 0)
    expect(money?.balance).toBeGreaterThan(-longNano)
  })

  test('spend a budget for 30 requests on 30 of them', async () => {
    const counts = await outcomes('budget', 400)
    console.log('A budget for 30 requests:', Object.fromEntries(counts))
    await until('all of it to be spent', async () => (await outcome('budget')) === '401 budget')
    expect((await moneyOf('budget'))?.charges).toBe(30)
  })

  test('pass a limit of 50 a minute 50 times', async () => {
    const counts = await outcomes('fifty', 400)
    expect(Object.fromEntries(counts)).toEqual({ 200: 50, '429 rate_limited': 350 })
  })

  test('pass a limit of 1,000 a minute 1,000 times, of which workers hold some in stock', async () => {
    const counts = new Map<string, number>()
    for (let round = 0; round < 12; round++)
      for (const [key, count] of await outcomes('thousand', 100))
        counts.set(key, (counts.get(key) ?? 0) + count)
    expect(Object.fromEntries(counts)).toEqual({ 200: 1_000, '429 rate_limited': 200 })
  })

  test('are three at once where three are allowed', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    go = promise
    mostInHand = 0
    const asked = outcomes('three', 400)
    await until('three to be upstream', () => inHand === 3)
    const early = await outcomes('three', many)
    resolve()
    go = undefined
    const counts = await asked
    expect(Object.fromEntries(early)).toEqual({ '429 concurrency_limited': many })
    expect(mostInHand).toBe(3)
    expect([...counts.keys()].toSorted()).toEqual(['200', '429 concurrency_limited'])
    // All places are free again.
    for (let times = 0; times < 12; times++) expect(await outcome('three')).toBe('200')
  })
})

test('a token that is disabled is refused by every worker within a second, and served when it is enabled', async () => {
  expect(Object.fromEntries(await outcomes('switched', many))).toEqual({ 200: many })
  const [token] = await tables.rows<{ id: number }>("SELECT id FROM token WHERE name = 'switched'")
  const isAll = async (expected: string) =>
    (await outcomes('switched', many)).get(expected) === many
  await tollgate('token', 'disable', `${token?.id}`)
  await until('all to refuse it', () => isAll('401 disabled'), withinMs)
  await tollgate('token', 'enable', `${token?.id}`)
  await until('all to serve it', () => isAll('200'), withinMs)
})

test('what is left is told alike by every worker, whoever spent the rest', async () => {
  const told = async () => {
    const headers = { authorization: `Bearer ${keyOf('told')}`, connection: 'close' }
    const answer = await fetch(`${gateway.url}/v1/usage`, { headers, proxy: false })
    return ((await answer.json()) as { balance: string }).balance
  }
  const all = () => Promise.all(Array.from({ length: many }, told))
  expect(new Set(await all())).toEqual(new Set(['1']))
  expect(Object.fromEntries(await outcomes('told', 40))).toEqual({ 200: 40 })
  expect(new Set(await all())).toEqual(new Set(['0.6']))
})

test('a top-up is seen by every worker within a second', async () => {
  expect(await outcome('empty')).toBe('200')
  expect(Object.fromEntries(await outcomes('empty', many))).toEqual({ '401 balance': many })
  await tollgate('account', 'credit', 'empty@example.com', '5', '--reason', 'test')
  await until(
    'all to serve it',
    async () => (await outcomes('empty', many)).get('200') === many,
    withinMs,
  )
})

test('nothing is left reserved, the books are right, and no fault was logged', async () => {
  const reserved = 'SELECT coalesce(sum(reserved_nano), 0) FROM account'
  await until('idle leases to be returned', async () => (await tables.one(reserved)) === 0)
  await tollgate('verify')
  const faults = [...gateway.stdout, ...gateway.stderr].filter((line) =>
    /internal error|unhandled|error/i.test(line),
  )
  expect(faults).toEqual([])
})
