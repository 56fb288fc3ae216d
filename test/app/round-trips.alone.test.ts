import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { dialects, wholeStream } from '../e2e/dialects.ts'
import {
  type FakeUpstream,
  jsonAnswer,
  sseAnswer,
  startFakeUpstream,
} from '../support/fake-upstream.ts'
import { type FarAway, startFarAway } from '../support/far-away.ts'
import { ask, hasPostgres, type PostgresServer, startPostgres } from '../support/postgres.ts'
import { usual } from './clocked.ts'
import { type Running, startServing } from './serving.ts'

// How often a request asks PostgreSQL, as the server counts it, and how long its client waits for that,
// with a server so far away that it can be told.

const { chat } = dialects
/** How long a round trip to the database takes. */
const tripMs = 150
const upstreamMs = 400
/** For everything else: much less than a round trip. */
const marginMs = 100

/** What every node asks again and again, and the test itself. */
const byTimers =
  'node|make_partitions|sweep_reservations|background_answer|kept_answer|pg_listening_channels|document|cooling|availability|pg_stat_statements'

describe.skipIf(!hasPostgres)('PostgreSQL is asked', () => {
  let server: PostgresServer
  let farAway: FarAway
  let upstream: FakeUpstream
  let running: Running
  let url: string
  const before = process.env.TOLLGATE_SECRET

  beforeAll(async () => {
    process.env.TOLLGATE_SECRET = 'one secret that all of the nodes have'
    server = await startPostgres(['shared_preload_libraries=pg_stat_statements'])
    url = server.url('postgres')
    await ask(url, 'CREATE EXTENSION pg_stat_statements')
    farAway = await startFarAway(server.port, tripMs)
    upstream = startFakeUpstream(async (request) => {
      await Bun.sleep(upstreamMs)
      const { stream } = request.json() as { stream?: boolean }
      return stream
        ? sseAnswer(wholeStream(chat, usual, ['one', ' two']))
        : jsonAnswer(chat.body(usual))
    })
    const store = url.replace(`:${server.port}/`, `:${farAway.port}/`)
    running = await startServing({ upstream: upstream.url, store, balance: 100 })
    await timed(false) // the token is known from now on
  })
  afterAll(async () => {
    await running[Symbol.asyncDispose]()
    farAway[Symbol.dispose]()
    await upstream.stop()
    await server[Symbol.asyncDispose]()
    if (before === undefined) delete process.env.TOLLGATE_SECRET
    else process.env.TOLLGATE_SECRET = before
  })

  /** How long one request took, to its last byte. */
  async function timed(stream: boolean): Promise<number> {
    const startTick = performance.now()
    const answer = await running.ask(chat.path(stream), chat.request(stream))
    await answer.text()
    expect(answer.status).toBe(200)
    return performance.now() - startTick
  }

  /** What the server was asked while something ran, but for what nodes ask by timers. */
  async function askedDuring(work: () => Promise<unknown>) {
    await ask(url, 'SELECT pg_stat_statements_reset()')
    await work()
    return ask<{ query: string; calls: number }>(
      url,
      `SELECT query, calls FROM pg_stat_statements WHERE query !~ '${byTimers}' ORDER BY calls DESC`,
    )
  }

  test.each([
    ['a whole answer', false],
    ['a stream', true],
  ])(
    'twice by %s, and once its client waits for it: the other runs beside the upstream',
    async (_, stream) => {
      const times: number[] = []
      // Of all, the fastest: others may have had to wait for this machine.
      const isDone = () => times.length >= 5 && Math.min(...times) < upstreamMs + tripMs + marginMs
      const asked = await askedDuring(async () => {
        while (!isDone() && times.length < 20) times.push(await timed(stream))
      })
      const [commits, ...others] = asked
      expect([commits?.query, others]).toEqual([expect.stringContaining('commit_requests'), []])
      // Wishes for leases may come by themselves, once a second.
      const seconds = times.reduce((sum, ms) => sum + ms, 0) / 1_000
      expect(commits?.calls).toBeWithin(times.length, 2 * times.length + Math.ceil(seconds) + 2)
      expect(Math.min(...times)).toBeWithin(
        upstreamMs + tripMs - 10,
        upstreamMs + tripMs + marginMs,
      )
    },
    120_000,
  )

  test('less than once by each of many requests, which share commits', async () => {
    const many = 100
    const asked = await askedDuring(() =>
      Promise.all(Array.from({ length: many }, () => timed(false))),
    )
    expect(asked.map(({ query }) => query)).toEqual([expect.stringContaining('commit_requests')])
    expect(asked[0]?.calls).toBeWithin(2, many / 4)
  })
})
