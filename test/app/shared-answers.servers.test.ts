import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { type FakeUpstream, jsonAnswer, startFakeUpstream } from '../support/fake-upstream.ts'
import { ask, createDatabase, hasPostgres, type TestDatabase } from '../support/postgres.ts'
import { speaksAt, testKey, upstreamKey } from '../support/tollgate-yaml.ts'
import { hasValkey, startValkey, type Valkey } from '../support/valkey.ts'
import { type Running, startServing } from './serving.ts'

// Two gateways with one PostgreSQL and one Valkey: answers that vendors keep belong to a channel and a
// token, whichever node is asked for them.

const strangerKey = 'sk-stranger-0123456789abcdefghijkl'
const before = process.env.TOLLGATE_SECRET
let upstreams: readonly FakeUpstream[]
let valkey: Valkey
let database: TestDatabase
let nodes: readonly Running[]
let made = 0
/** How far upstreams are with what they do in the background. */
let status: 'queued' | 'completed' = 'completed'

/** An upstream that keeps its answers, and knows those that it has made alone. */
function startKeeper(): FakeUpstream {
  const kept = new Set<string>()
  return startFakeUpstream(({ method, path, json }) => {
    const known =
      path.split('/')[3] ??
      (json() as { previous_response_id?: string } | undefined)?.previous_response_id
    if (known !== undefined && !kept.has(known))
      return jsonAnswer({ error: { message: 'no such response' } }, 404)
    const id = method === 'GET' && known ? known : `resp_${++made}`
    kept.add(id)
    const text = { type: 'message', id: `msg_of_${id}`, role: 'assistant', content: [] }
    return jsonAnswer({
      ...{ id, object: 'response', status, background: status === 'queued', output: [text] },
      ...(status === 'completed' && { usage: { input_tokens: 10, output_tokens: 5 } }),
    })
  })
}

const create = async (at: number, more: object = {}, key = testKey) => {
  const body = { model: 'test-model', input: 'hello', ...more }
  const answer = await (nodes[at] as Running).ask('/v1/responses', body, key)
  return { status: answer.status, body: (await answer.json()) as { id: string } }
}

const fetchFrom = async (at: number, id: string, method = 'GET', key = testKey) => {
  const answer = await fetch(`${nodes[at]?.serving.url}/v1/responses/${id}`, {
    ...{ method, proxy: false, headers: { authorization: `Bearer ${key}` } },
  })
  await answer.text()
  return { status: answer.status }
}

/** Which of the upstreams were asked, from now on. */
function watchUpstreams() {
  const counts = upstreams.map(({ requests }) => requests.length)
  return () => upstreams.map(({ requests }, at) => requests.length - (counts[at] ?? 0))
}

describe.skipIf(!hasPostgres || !hasValkey)('two gateways with one Valkey', () => {
  beforeAll(async () => {
    process.env.TOLLGATE_SECRET = 'one secret that all of the nodes have'
    upstreams = [startKeeper(), startKeeper()]
    valkey = await startValkey()
  })
  afterAll(async () => {
    await Promise.all(upstreams.map((upstream) => upstream.stop()))
    await valkey?.stop()
    if (before === undefined) delete process.env.TOLLGATE_SECRET
    else process.env.TOLLGATE_SECRET = before
  })
  beforeEach(async () => {
    status = 'completed'
    await valkey.ask('FLUSHALL')
    database = await createDatabase()
    const [main, other] = upstreams
    const options = {
      ...{ upstream: main?.url ?? '', store: database.url, counters: valkey.url },
      group: { channels: ['main', 'other'] },
      moreChannels: [
        {
          ...{ name: 'other', speaks: speaksAt(other?.url ?? ''), api_key: upstreamKey },
          ...{ models: ['test-model'], allow_private: true },
        },
      ],
      moreAccounts: [
        {
          ...{ email: 'stranger@example.com', balance: 1 },
          tokens: [{ name: 'stranger', key: strangerKey, group: 'default' }],
        },
      ],
    }
    nodes = await Promise.all([startServing(options), startServing(options)])
  })
  afterEach(async () => {
    await Promise.all(nodes.map((node) => node[Symbol.asyncDispose]()))
    await database[Symbol.asyncDispose]()
  })

  test('an answer is continued, fetched and deleted where it was made, through either', async () => {
    for (let round = 0; round < 8; round++) {
      const asked = watchUpstreams()
      const { body } = await create(0, { input: `conversation ${round}` })
      const next = await create(1, { previous_response_id: body.id })
      expect(next.status).toBe(200)
      const last = { type: 'item_reference', id: `msg_of_${next.body.id}` }
      expect((await create(0, { input: [last] })).status).toBe(200)
      expect((await fetchFrom(0, next.body.id)).status).toBe(200)
      expect((await fetchFrom(1, body.id, 'DELETE')).status).toBe(200)
      expect(asked().toSorted((a, b) => a - b)).toEqual([0, 5])
    }
  })

  test('another token gets it from neither', async () => {
    const { body } = await create(0)
    const asked = watchUpstreams()
    for (const at of [0, 1]) {
      const refused = await create(at, { previous_response_id: body.id }, strangerKey)
      expect([refused.status, JSON.stringify(refused.body)]).toEqual([
        404,
        expect.stringContaining('is not known to this account'),
      ])
      expect((await fetchFrom(at, body.id, 'GET', strangerKey)).status).toBe(404)
    }
    expect(asked()).toEqual([0, 0])
    // Nor beside an answer of its own.
    const own = await create(0, {}, strangerKey)
    const item = { type: 'item_reference', id: `msg_of_${body.id}` }
    const both = { previous_response_id: own.body.id, input: [item] }
    for (const at of [0, 1]) expect((await create(at, both, strangerKey)).status).toBe(404)
    // Whoever has it still gets it where a stranger has asked before.
    expect((await create(1, { previous_response_id: body.id })).status).toBe(200)
  })

  test('made in the background it is charged once, by whichever of them it is fetched', async () => {
    status = 'queued'
    const { body } = await create(0, { background: true })
    expect((await fetchFrom(1, body.id)).status).toBe(200)
    status = 'completed'
    expect((await fetchFrom(1, body.id)).status).toBe(200)
    await Promise.all([0, 1, 0].map((at) => fetchFrom(at, body.id)))
    // Whoever was first: a client, or the gateway by itself.
    const rows = await ask<{ id: string; amount: number; model: string }>(
      database.url,
      'SELECT request_id AS id, amount_nano AS amount, upstream_model AS model FROM request ORDER BY id',
    )
    // 10 in for 1 USD a million, 5 out for 2.
    expect(rows).toMatchObject([
      { amount: 0, model: 'test-model' },
      { id: expect.stringMatching(/_fetched$/), amount: 20_000, model: 'test-model' },
    ])
    const entries = await ask(
      database.url,
      "SELECT amount_nano AS n FROM ledger WHERE kind = 'charge'",
    )
    expect(entries).toEqual([{ n: -20_000 }])
  })

  test('while Valkey is away both know what either has made, and no request fails for it', async () => {
    await valkey.stop()
    const { body } = await create(0)
    const asked = watchUpstreams()
    expect((await create(0, { previous_response_id: body.id })).status).toBe(200)
    expect((await fetchFrom(0, body.id)).status).toBe(200)
    expect((await fetchFrom(1, body.id)).status).toBe(200)
    expect(asked().toSorted((a, b) => a - b)).toEqual([0, 3])
    await valkey.start()
  })
})
