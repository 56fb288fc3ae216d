import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { until } from '../e2e/until.ts'
import {
  type BackgroundUpstream,
  backgroundNano,
  startBackgroundUpstream,
} from '../support/background-upstream.ts'
import { ask, createDatabase, hasPostgres, type TestDatabase } from '../support/postgres.ts'
import { type Running, startServing } from './serving.ts'

// Two gateways with one PostgreSQL: whichever lives asks the upstream, and never both at once.

const before = process.env.TOLLGATE_SECRET
let upstream: BackgroundUpstream
let database: TestDatabase
let nodes: Running[]

describe.skipIf(!hasPostgres)('two gateways with one database', () => {
  beforeAll(async () => {
    process.env.TOLLGATE_SECRET = 'one secret that all of the nodes have'
    upstream = startBackgroundUpstream()
    database = await createDatabase()
    const options = { upstream: upstream.url, store: database.url, balance: 1 }
    nodes = [await startServing(options), await startServing(options)]
  })
  afterAll(async () => {
    await Promise.all(nodes.map((node) => node[Symbol.asyncDispose]()))
    await database[Symbol.asyncDispose]()
    await upstream[Symbol.asyncDispose]()
    if (before === undefined) delete process.env.TOLLGATE_SECRET
    else process.env.TOLLGATE_SECRET = before
  })

  const begin = async () => {
    const asked = { model: 'test-model', input: 'Think.', background: true }
    const answer = await (nodes[0] as Running).ask('/v1/responses', asked)
    return ((await answer.json()) as { id: string }).id
  }
  const charges = () =>
    ask<{ nano: number }>(
      database.url,
      "SELECT amount_nano AS nano FROM ledger WHERE kind = 'charge'",
    )
  const charged = (count: number) =>
    until(`${count} charges`, async () => (await charges()).length === count)

  test('an answer is charged once, and asked for by one of them at a time', async () => {
    const id = await begin()
    const asks = () => upstream.requests.filter(({ path }) => path.includes(id))
    await until('it to be asked for twice', () => asks().length >= 2)
    const times = asks().map(({ receivedAt }) => receivedAt)
    for (const [at, time] of times.slice(1).entries()) {
      expect(time - (times[at] ?? 0)).toBeGreaterThan(500)
    }
    upstream.finish()
    await charged(1)
    expect(await charges()).toEqual([{ nano: -backgroundNano }])
  })

  test('when the one that began it has stopped, the other charges it', async () => {
    upstream.work()
    await begin()
    await nodes.shift()?.[Symbol.asyncDispose]()
    upstream.finish()
    await charged(2)
    const [account] = await ask<{ reserved: number }>(
      database.url,
      "SELECT reserved_nano AS reserved FROM account WHERE email = 'user@example.com'",
    )
    expect(account?.reserved).toBe(0)
  })
})
