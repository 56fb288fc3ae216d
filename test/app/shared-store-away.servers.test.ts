import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { allDialects, dialects } from '../e2e/dialects.ts'
import { until } from '../e2e/until.ts'
import { type FakeUpstream, jsonAnswer, startFakeUpstream } from '../support/fake-upstream.ts'
import { startOwnTime } from '../support/own-time.ts'
import {
  ask as askDatabase,
  hasPostgres,
  type PostgresServer,
  startPostgres,
} from '../support/postgres.ts'
import { testKey } from '../support/tollgate-yaml.ts'
import { usual } from './clocked.ts'
import { type Running, startServing } from './serving.ts'

// A whole gateway whose PostgreSQL goes away: what clients are told, how soon, and that it passes.

const notThere = /could not (store this request|read its database)\. Try again\./

const newest = 'SELECT id, ending, status, amount_nano FROM request ORDER BY id DESC LIMIT 1'

/** A database that is started anew is back sooner. */
const patienceMs = 5_000

describe.skipIf(!hasPostgres)('a gateway whose PostgreSQL is away', () => {
  let server: PostgresServer
  let upstream: FakeUpstream
  let running: Running
  const before = process.env.TOLLGATE_SECRET

  beforeAll(async () => {
    server = await startPostgres()
    process.env.TOLLGATE_SECRET = 'one secret that all of the nodes have'
    upstream = startFakeUpstream(() => jsonAnswer(dialects.chat.body(usual)))
    running = await startServing({ upstream: upstream.url, store: server.url('postgres') })
  })
  afterAll(async () => {
    await running[Symbol.asyncDispose]()
    await upstream.stop()
    await server[Symbol.asyncDispose]()
    if (before === undefined) delete process.env.TOLLGATE_SECRET
    else process.env.TOLLGATE_SECRET = before
  })

  const ask = (dialect: (typeof allDialects)[number]) =>
    running.ask(dialect.path(false), dialect.request(false))
  const usage = () =>
    fetch(`${running.serving.url}/v1/usage`, {
      headers: { authorization: `Bearer ${testKey}` },
      proxy: false,
    })

  const models = async () => {
    const headers = { authorization: `Bearer ${testKey}` }
    return (await fetch(`${running.serving.url}/v1/models`, { headers, proxy: false })).status
  }

  test('tells who asks in the words of its protocol when to come again, within the time it waits', async () => {
    expect((await ask(dialects.chat)).status).toBe(200)
    await server.stop('immediate')
    using ownTime = startOwnTime()
    /** The second one comes while the first is being stored, and waits behind it. */
    const answers = await Promise.all([
      ...allDialects.map(async (dialect) => [dialect, await ask(dialect)] as const),
      Bun.sleep(patienceMs / 2).then(
        async () => [dialects.chat, await ask(dialects.chat)] as const,
      ),
    ])
    expect(ownTime.now()).toBeLessThan(patienceMs + 1_500)
    for (const [dialect, answer] of answers) {
      expect([answer.status, answer.headers.get('retry-after')]).toEqual([500, '1'])
      const { error } = (await answer.json()) as { error: object }
      expect(error).toMatchObject({
        message: expect.stringMatching(notThere),
        ...(dialect.name === 'gemini' ? { status: 'INTERNAL' } : { type: 'api_error' }),
      })
    }
    // What needs no database is answered for who was known before.
    expect(await models()).toBe(200)
    // Who comes when it has been away for so long is told at once.
    const laterMs = ownTime.now()
    expect((await ask(dialects.chat)).status).toBe(500)
    const read = await usage()
    expect([read.status, read.headers.get('retry-after')]).toEqual([500, '1'])
    expect(await read.text()).toContain('could not read its database')
    expect(ownTime.now() - laterMs).toBeLessThan(1_500)
    await server.start()
    expect((await ask(dialects.chat)).status).toBe(200)
  })

  test('charges late what it could not store when its client has left meanwhile', async () => {
    const setAside = async () =>
      (await askDatabase(server.url('postgres'), 'SELECT 1 FROM reservation')).length
    // What others have asked before is over.
    await until('nothing to be set aside', async () => (await setAside()) === 0)
    const stored = async () => await askDatabase<{ id: number }>(server.url('postgres'), newest)
    const before = await stored()
    const leaving = new AbortController()
    upstream.handle(async () => {
      await until('the money', async () => (await setAside()) === 1)
      await server.stop('immediate')
      // By then the answer is here, and waits for a database that does not come back.
      setTimeout(() => leaving.abort(), 1_000)
      return jsonAnswer(dialects.chat.body(usual))
    })
    const { chat } = dialects
    const answer = fetch(running.serving.url + chat.path(false), {
      method: 'POST',
      headers: { authorization: `Bearer ${testKey}`, 'content-type': 'application/json' },
      body: JSON.stringify(chat.request(false)),
      proxy: false,
      signal: leaving.signal,
    })
    await expect(answer).rejects.toThrow()
    await Bun.sleep(patienceMs)
    await server.start()
    const row = await until('its record', async () => {
      const found = await stored()
      return found[0]?.id === before[0]?.id ? undefined : found[0]
    })
    expect(row).toMatchObject({ ending: 'complete', status: 200, amount_nano: 200_000 })
  }, 120_000)
})
