import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { Client } from 'pg'
import { openPostgresStore, type PostgresStore } from '../../../src/store/postgres/open.ts'
import { until } from '../../e2e/until.ts'
import { type Cable, layCable } from '../../support/cable.ts'
import { lendDatabase } from '../../support/lent-databases.ts'
import { startOwnTime } from '../../support/own-time.ts'
import { ask, hasPostgres, type TestDatabase } from '../../support/postgres.ts'
import { reservation } from '../sqlite/file-store.ts'
import { accountWrite, now, seed, settlement, tokenWrite } from '../support.ts'

const opening = 1_000_000_000

describe.skipIf(!hasPostgres)('a node whose connections are silent', () => {
  let database: TestDatabase
  let cable: Cable
  /** Beyond the cable. */
  let far: PostgresStore
  let near: PostgresStore

  beforeEach(async () => {
    database = await lendDatabase()
    const url = new URL(database.url)
    cable = await layCable(Number(url.port))
    url.port = String(cable.port)
    near = await openPostgresStore({ url: database.url, clock: () => now })
    far = await openPostgresStore({ url: url.href, clock: () => now, answerTimeoutMs: 1_000 })
    await seed(near)
  })
  afterEach(async () => {
    await near.close()
    await cable[Symbol.asyncDispose]()
    await far.close()
    await database[Symbol.asyncDispose]()
  })

  test('in the middle of a change holds up the others for a moment only', async () => {
    const blocker = new Client({ connectionString: database.url })
    await blocker.connect()
    await blocker.query('BEGIN; LOCK TABLE token IN ACCESS EXCLUSIVE MODE')
    // It has the account when it comes to the token, and there it waits.
    const stalled = far.admin
      .write({
        accounts: [accountWrite({ email: 'ann@example.com', creditLimitNano: 7 })],
        tokens: [tokenWrite({ name: 'new', keyHash: 'hash-new' })],
      })
      .catch((error: unknown) => error)
    const waiting = "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
    await until('it to wait', async () => (await ask(database.url, waiting)).length === 1)
    cable.silence()
    await blocker.end()
    const settled = await near.records.commit({ settle: [settlement({ requestId: 'a' })] })
    expect(settled.accounts).toEqual([{ accountId: 1, balanceNano: opening - 100 }])
    await near.admin.write({ accounts: [accountWrite({ email: 'bob@example.com' })] })
    await stalled
  })

  test('asks by new ones after the first silence', async () => {
    await Promise.all(Array.from({ length: 6 }, () => far.tokens.findByHash('hash-1')))
    await far.records.commit({ reserve: [reservation({ requestId: 'a' })] })
    cable.silence()
    using time = startOwnTime()
    for (let one = 0; one < 4; one++) {
      expect(await far.tokens.findByHash('hash-1')).toBeDefined()
      await far.records.commit({ settle: [settlement({ requestId: 'a' })] })
    }
    expect(time.now()).toBeLessThan(2_500)
    expect((await near.admin.account('ann@example.com'))?.balanceNano).toBe(opening - 100)
  })

  test('reads what others have changed within seconds, however long it may wait for an answer', async () => {
    const url = new URL(database.url)
    url.port = String(cable.port)
    await using closing = new AsyncDisposableStack()
    const patient = await openPostgresStore({ url: url.href, clock: () => now })
    closing.defer(patient.close)
    await patient.catalog.load()
    await Bun.sleep(1_000) // a connection that has just answered is not asked whether it lives
    cable.silence()
    using time = startOwnTime()
    await patient.catalog.load()
    expect(time.now()).toBeLessThan(20_000)
  })

  test('leads the others no more after some seconds', async () => {
    expect([await far.documents.leads(), await near.documents.leads()]).toEqual([true, false])
    cable.silence()
    const asking = setInterval(() => void near.changedElsewhere(), 500)
    await until('another to lead', () => near.documents.leads())
    clearInterval(asking)
    const old = { body: Uint8Array.of(1), gzip: Uint8Array.of(2), lastModifiedMs: now }
    await expect(far.documents.write('feed', old)).rejects.toThrow()
    expect(await far.documents.leads()).toBe(false)
  })
})

describe.skipIf(!hasPostgres)('answers that are lost', () => {
  test('of commits that did happen: asked again, nothing is charged or set aside twice', async () => {
    await using database = await lendDatabase()
    const url = new URL(database.url)
    await using cable = await layCable(Number(url.port))
    url.port = String(cable.port)
    const store = await openPostgresStore({ url: url.href, clock: () => now })
    await seed(store)
    await store.records.commit({ reserve: [reservation({ requestId: 'open' })] })
    const stored = async () => (await ask(database.url, 'SELECT 1 FROM request')).length
    for (let round = 0; round < 3; round++) {
      const requestId = `req_${round}`
      cable.cutAnswers(true)
      const committing = store.records.commit({
        settle: [settlement({ requestId })],
        reserve: [reservation({ requestId: `next_${round}`, amountNano: 5 })],
      })
      await until('it to be stored', async () => (await stored()) === round + 1)
      cable.cutAnswers(false)
      const { denied, accounts } = await committing
      expect([...denied]).toEqual([])
      expect(accounts).toEqual([{ accountId: 1, balanceNano: opening - 100 * (round + 1) }])
    }
    expect(
      await ask(database.url, 'SELECT balance_nano, reserved_nano FROM account WHERE id = 1'),
    ).toEqual([{ balance_nano: opening - 300, reserved_nano: 115 }])
    await store.close()
  })
})
