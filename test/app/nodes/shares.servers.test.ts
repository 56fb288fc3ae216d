import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { dialects } from '../../e2e/dialects.ts'
import { type FakeUpstream, jsonAnswer, startFakeUpstream } from '../../support/fake-upstream.ts'
import { createDatabase, hasPostgres, type TestDatabase } from '../../support/postgres.ts'
import { hasValkey, startValkey } from '../../support/valkey.ts'
import { usual } from '../clocked.ts'
import { type Running, startServing } from '../serving.ts'

// Whole gateways with one PostgreSQL, whose Valkey was away when they started.

const { chat } = dialects
const before = process.env.TOLLGATE_SECRET

describe.skipIf(!hasPostgres || !hasValkey)('a gateway that starts while Valkey is away', () => {
  let upstream: FakeUpstream
  let database: TestDatabase
  const nodes: Running[] = []

  beforeAll(async () => {
    process.env.TOLLGATE_SECRET = 'one secret that all of the nodes have'
    upstream = startFakeUpstream(() => jsonAnswer(chat.body(usual)))
    database = await createDatabase()
    const valkey = await startValkey()
    await valkey.stop()
    const shared = { store: database.url, counters: valkey.url, group: { limits: { rpm: 30 } } }
    for (let count = 0; count < 3; count++)
      nodes.push(await startServing({ upstream: upstream.url, ...shared }))
  })
  afterAll(async () => {
    await Promise.all(nodes.map((node) => node[Symbol.asyncDispose]()))
    await database[Symbol.asyncDispose]()
    await upstream.stop()
    if (before === undefined) delete process.env.TOLLGATE_SECRET
    else process.env.TOLLGATE_SECRET = before
  })

  async function statusOf(node: Running): Promise<number> {
    const answer = await node.ask('/v1/chat/completions', {
      ...{ model: 'test-model', max_tokens: 20, messages: [{ role: 'user', content: 'hi' }] },
    })
    await answer.body?.cancel()
    return answer.status
  }

  test('keeps to its share of the limits from its first request on', async () => {
    const node = nodes[2] as Running
    const statuses = await Promise.all(Array.from({ length: 30 }, () => statusOf(node)))
    expect(statuses.filter((status) => status === 200)).toHaveLength(10)
    expect(statuses.filter((status) => status === 429)).toHaveLength(20)
    expect(node.complaints.join('')).toContain('"nodes":3')
  })
})
