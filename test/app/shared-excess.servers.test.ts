import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { dialects } from '../e2e/dialects.ts'
import { until } from '../e2e/until.ts'
import { type FakeUpstream, jsonAnswer, startFakeUpstream } from '../support/fake-upstream.ts'
import { startFarAway } from '../support/far-away.ts'
import { ask, createDatabase, hasPostgres } from '../support/postgres.ts'
import { type Running, startServing } from './serving.ts'

// Two whole gateways with one PostgreSQL, and an upstream that overlooks the limits of requests.

const { chat } = dialects
const before = process.env.TOLLGATE_SECRET
/** What each answer costs, in nano-USD, and more than it is reckoned to cost at the most. */
const costNano = 1_010_000
const reckonedNano = 120_000
/** So many at once are let in by what they are reckoned to cost. */
const many = 8

describe.skipIf(!hasPostgres)('two gateways with one PostgreSQL', () => {
  let upstream: FakeUpstream

  beforeAll(() => {
    process.env.TOLLGATE_SECRET = 'one secret that all of the nodes have'
    upstream = startFakeUpstream(() => jsonAnswer(chat.body({ input: 10, output: 500 })))
  })
  afterAll(async () => {
    await upstream.stop()
    if (before === undefined) delete process.env.TOLLGATE_SECRET
    else process.env.TOLLGATE_SECRET = before
  })

  async function statusOf(node: Running): Promise<number> {
    const answer = await node.ask('/v1/chat/completions', {
      ...{ model: 'test-model', max_tokens: 5, messages: [{ role: 'user', content: 'hi' }] },
    })
    await answer.body?.cancel()
    return answer.status
  }

  test.each([
    ['when it is charged', 0],
    ['and where news of it comes later than the next requests', 50],
  ])(
    'what one has seen turn out dearer lets nobody in for little on the other, %s',
    async (_, tripMs) => {
      await using database = await createDatabase()
      const { port } = new URL(database.url)
      using way = await startFarAway(Number(port), tripMs)
      const far = database.url.replace(`:${port}/`, `:${way.port}/`)
      // For two such answers.
      const options = { upstream: upstream.url, balance: (2 * costNano) / 1e9 }
      await using one = await startServing({ ...options, store: database.url })
      await using other = await startServing({ ...options, store: far })
      // It knows the token from now on.
      expect(await other.get('/v1/models')).toMatchObject({ object: 'list' })
      expect(await statusOf(one)).toBe(200)
      expect(many * reckonedNano).toBeLessThan(costNano)
      const statuses = await Promise.all(Array.from({ length: many }, () => statusOf(other)))
      expect(statuses.filter((status) => status === 200).length).toBeLessThanOrEqual(1)
      // Who was refused for the news alone may come again.
      await until('all to be spent', async () => (await statusOf(other)) === 401)
      const [account] = await ask(database.url, 'SELECT balance_nano, reserved_nano FROM account')
      expect(account).toEqual({ balance_nano: 0, reserved_nano: 0 })
    },
  )
})
