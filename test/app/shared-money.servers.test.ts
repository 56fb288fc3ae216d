import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { dialects } from '../e2e/dialects.ts'
import { until } from '../e2e/until.ts'
import { type FakeUpstream, jsonAnswer, startFakeUpstream } from '../support/fake-upstream.ts'
import { ask, createDatabase, hasPostgres, type TestDatabase } from '../support/postgres.ts'
import { expectWithinASecond } from '../support/within-a-second.ts'
import { outcomeOf, usual } from './clocked.ts'
import { type Running, startServing } from './serving.ts'

// Three whole gateways with one PostgreSQL: what they share is money, and what is known of tokens.

const { chat } = dialects
const email = 'user@example.com'
let upstream: FakeUpstream
const before = process.env.TOLLGATE_SECRET

interface Gateways extends AsyncDisposable {
  readonly nodes: readonly Running[]
  readonly database: TestDatabase
  ask(at: number): Promise<Response>
}

/** They start together, on a database that nobody has made tables in. */
async function startGateways(balance: number, token: object = {}): Promise<Gateways> {
  const database = await createDatabase()
  const prices = { 'test-model': { per_call: 0.01 } }
  const options = { upstream: upstream.url, store: database.url, balance, prices, token }
  const nodes = await Promise.all([1, 2, 3].map(() => startServing(options)))
  return {
    nodes,
    database,
    ask: (at) =>
      (nodes[at % 3] as Running).ask('/v1/chat/completions', {
        ...{ model: 'test-model', max_tokens: 20, messages: [{ role: 'user', content: 'hi' }] },
      }),
    async [Symbol.asyncDispose]() {
      await Promise.all(nodes.map((node) => node[Symbol.asyncDispose]()))
      await database[Symbol.asyncDispose]()
    },
  }
}

const statusOf = async (coming: Promise<Response>) => {
  const answer = await coming
  await answer.body?.cancel()
  return answer.status
}

describe.skipIf(!hasPostgres)('three gateways with one PostgreSQL', () => {
  beforeAll(() => {
    process.env.TOLLGATE_SECRET = 'one secret that all of the nodes have'
    upstream = startFakeUpstream(() => jsonAnswer(chat.body(usual)))
  })
  afterAll(async () => {
    await upstream.stop()
    if (before === undefined) delete process.env.TOLLGATE_SECRET
    else process.env.TOLLGATE_SECRET = before
  })

  test('pass as many requests of one account as its balance pays', async () => {
    upstream.clear()
    await using gateways = await startGateways(1)
    const statuses = await Promise.all(
      Array.from({ length: 300 }, (_, at) => statusOf(gateways.ask(at))),
    )
    expect(statuses.filter((status) => status === 200)).toHaveLength(100)
    // Refused while the money is set aside for others, and when it is spent.
    expect(statuses.filter((status) => status === 429 || status === 401)).toHaveLength(200)
    // Hardly anybody was asked for an answer that nobody pays: the first of a node, if at all.
    expect(upstream.requests.length).toBeWithin(100, 103)
    expect(await statusOf(gateways.ask(0))).toBe(401)
    const [account] = await ask(
      gateways.database.url,
      `SELECT balance_nano, reserved_nano, (SELECT sum(amount_nano) FROM ledger) AS entries,
        (SELECT count(*) FROM request WHERE amount_nano > 0) AS charged FROM account`,
    )
    expect(account).toEqual({ balance_nano: 0, reserved_nano: 0, entries: 0, charged: 100 })
  })

  test.each([
    ['in all', { total: 0.6 }],
    ['of a day', { day: 0.6 }],
  ])('pass as many requests of one token as its budget pays: %s', async (_, budget) => {
    await using gateways = await startGateways(100, { budget })
    const outcomes = await Promise.all(
      Array.from({ length: 180 }, (_, at) => outcomeOf(gateways.ask(at))),
    )
    const counts = Object.groupBy(outcomes, ([status]) => status)
    expect(counts[200]).toHaveLength(60)
    expect([...(counts[429] ?? []), ...(counts[401] ?? [])]).toHaveLength(120)
    expect(await outcomeOf(gateways.ask(0))).toEqual([401, 'budget'])
    const [sums] = await ask(
      gateways.database.url,
      `SELECT total_nano, token_spending.reserved_nano, (account.reserved_nano - (SELECT sum(amount_nano)
            FROM lease WHERE purse = account.id))::bigint AS of_account,
          (SELECT count(*) FROM request WHERE amount_nano > 0) AS charged
        FROM token_spending, account`,
    )
    expect(sums).toEqual({
      ...{ total_nano: 600_000_000, reserved_nano: 0 },
      ...{ of_account: 0, charged: 60 },
    })
  })

  test('a token that is revoked on one is refused on the others within a second', async () => {
    await using gateways = await startGateways(1_000)
    for (let at = 0; at < 3; at++) expect(await statusOf(gateways.ask(at))).toBe(200)
    const { store } = gateways.nodes[0]?.instance ?? {}
    const [token] = (await store?.admin.tokens({ account: email })) ?? []
    const accountId = (await store?.admin.account(email))?.id ?? 0
    const whose = { id: token?.id ?? 0, accountId }
    const set = (status: 'active' | 'disabled') =>
      store?.edits.setToken(whose, { status }, { actor: 'someone' })
    const others = async () =>
      (await Promise.all([1, 2].map((at) => statusOf(gateways.ask(at))))).join()
    await expectWithinASecond(
      async () => {
        await set('active')
        await until('it to pass', async () => (await others()) === '200,200')
        await set('disabled')
      },
      async () => (await others()) === '401,401',
    )
  })

  test('money that comes in on one is there on the others within a second', async () => {
    await using gateways = await startGateways(0.01)
    expect(await statusOf(gateways.ask(0))).toBe(200)
    expect(await statusOf(gateways.ask(1))).toBe(401)
    const adjustment = { kind: 'credit', amountNano: 10_000_000, reason: 'paid' } as const
    const by = { account: email, idempotencyKey: null, actor: 'someone' }
    const pay = async () => gateways.nodes[0]?.instance.store.admin.adjust({ ...adjustment, ...by })
    await expectWithinASecond(pay, async () => (await statusOf(gateways.ask(1))) === 200)
    expect(await statusOf(gateways.ask(2))).toBe(401)
  })

  test('know each other, and leave the list when they end', async () => {
    await using gateways = await startGateways(1)
    const [first, second] = gateways.nodes
    expect(await first?.instance.store.nodes.list()).toHaveLength(3)
    await second?.serving.stop()
    expect(await first?.instance.store.nodes.list()).toHaveLength(2)
  })
})
