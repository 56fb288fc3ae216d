import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { Client } from 'pg'
import { createHearing } from '../../src/app/database-watch.ts'
import { until } from '../e2e/until.ts'
import { administer, createDatabase, hasPostgres, type TestDatabase } from '../support/postgres.ts'
import { testKey } from '../support/tollgate-yaml.ts'
import { type Running, startServing } from './serving.ts'

test('a loss that is over within seconds is not told, one that lasts is until it is over', async () => {
  let now = 0
  let isLost = true
  const store = {
    async changedElsewhere() {
      if (isLost) throw new Error('no connection')
      return false as const
    },
    check: async () => {},
  }
  const hearing = createHearing(
    store,
    async () => {},
    () => now,
  )
  const look = (at: number) => {
    now = at
    return hearing.changedElsewhere().catch(() => undefined)
  }
  for (const at of [0, 2_000, 4_999]) await look(at)
  expect(hearing.isDeaf()).toBe(false)
  isLost = false
  await look(5_000)
  isLost = true
  for (const at of [6_000, 10_999]) await look(at)
  expect(hearing.isDeaf()).toBe(false)
  await look(11_000)
  expect(hearing.isDeaf()).toBe(true)
  isLost = false
  await look(11_500)
  expect(hearing.isDeaf()).toBe(false)
})

// A whole gateway whose PostgreSQL answers, but tells it no more of what others change.

describe.skipIf(!hasPostgres)('a gateway that hears of no changes', () => {
  let database: TestDatabase
  let running: Running
  /** Of another node, or of a person, that is connected all the while. */
  let other: Client

  beforeEach(async () => {
    database = await createDatabase()
    running = await startServing({ upstream: 'http://127.0.0.1:1', store: database.url })
    other = new Client({ connectionString: database.url })
    await other.connect()
  })
  afterEach(async () => {
    await takeConnections(true)
    await other.end()
    await running[Symbol.asyncDispose]()
    await database[Symbol.asyncDispose]()
  })

  const takeConnections = (areTaken: boolean) =>
    administer(`ALTER DATABASE ${database.name} ALLOW_CONNECTIONS ${areTaken}`)

  /** Ends the connection that listens, which can't be made anew; all others are there and work. */
  async function deafen(): Promise<void> {
    // As many as requests ever have: none of them needs a new one.
    await Promise.all(Array.from({ length: 50 }, () => running.instance.store.check()))
    await takeConnections(false)
    const listening = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND query LIKE 'SELECT FROM pg_listening_channels%'`
    await until('it to be found', async () => (await other.query(listening)).rowCount === 1)
  }

  const models = async () => {
    const headers = { authorization: `Bearer ${testKey}` }
    return (await fetch(`${running.serving.url}/v1/models`, { headers, proxy: false })).status
  }
  const readiness = async () => {
    const answer = await fetch(`${running.serving.url}/readyz`, { proxy: false })
    return [answer.status, await answer.text()]
  }

  test('refuses a key that was revoked elsewhere, and takes it when that is taken back', async () => {
    expect(await models()).toBe(200)
    await deafen()
    await other.query("UPDATE token SET status = 'disabled'")
    await until('the key to be refused', async () => (await models()) === 401)
    await other.query("UPDATE token SET status = 'active'")
    await until('the key to be taken', async () => (await models()) === 200)
  })

  test('offers nothing of a channel that was switched off elsewhere', async () => {
    const offered = async () => {
      const { data } = (await running.get('/v1/models')) as { data: readonly object[] }
      return data.length
    }
    expect(await offered()).toBeGreaterThan(0)
    await deafen()
    await other.query("UPDATE channel SET status = 'disabled'")
    await until('it to be offered no more', async () => (await offered()) === 0)
  })

  test('says so to load balancers when it lasts, and no more when it is over', async () => {
    expect(await readiness()).toEqual([200, 'ready\n'])
    await deafen()
    await until('it to be told', async () => (await readiness())[0] === 503)
    expect(await readiness()).toEqual([503, 'the database reports no changes\n'])
    await takeConnections(true)
    await until('it to be over', async () => (await readiness())[0] === 200)
  })
})
