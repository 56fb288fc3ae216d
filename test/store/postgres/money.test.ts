import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { Batch } from '../../../src/store/ports/records.ts'
import { openPostgresStore, type PostgresStore } from '../../../src/store/postgres/open.ts'
import { lendDatabase } from '../../support/lent-databases.ts'
import { startOwnTime } from '../../support/own-time.ts'
import {
  ask,
  hasPostgres,
  type PostgresServer,
  startPostgres,
  type TestDatabase,
} from '../../support/postgres.ts'
import { reservation } from '../sqlite/file-store.ts'
import { accountWrite, now, seed, settlement, tokenWrite } from '../support.ts'

const opening = 1_000_000_000

/** What must hold whatever happened: balances are the sums of the ledger, and so on. */
const oddSums = `
SELECT 'balance' AS odd, id FROM account WHERE balance_nano <>
  (SELECT coalesce(sum(amount_nano), 0) FROM ledger WHERE account_id = account.id)
UNION ALL SELECT 'reserved', id FROM account WHERE reserved_nano <>
  (SELECT coalesce(sum(amount_nano), 0) FROM reservation WHERE account_id = account.id)
UNION ALL SELECT 'after', id FROM (SELECT id, balance_after_nano - sum(amount_nano)
  OVER (PARTITION BY account_id ORDER BY id) AS off FROM ledger) AS entries WHERE off <> 0
UNION ALL SELECT 'days', 0 WHERE (SELECT sum(amount_nano) FROM usage_day) <>
  (SELECT sum(amount_nano) FROM request)
UNION ALL SELECT 'totals', 0 WHERE (SELECT sum(requests) FROM usage_total) <>
  (SELECT count(*) FROM request)`

describe.skipIf(!hasPostgres)('money on PostgreSQL', () => {
  let database: TestDatabase
  const opened: PostgresStore[] = []

  beforeEach(async () => {
    database = await lendDatabase()
    await seed(await open())
  })
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((store) => store.close()))
    await database[Symbol.asyncDispose]()
  })

  async function open(): Promise<PostgresStore> {
    const store = await openPostgresStore({ url: database.url, clock: () => now })
    opened.push(store)
    return store
  }
  const balanceOf = async (store: PostgresStore, email = 'ann@example.com') =>
    (await store.admin.account(email))?.balanceNano

  test('a batch of any size is one round trip, and so is a look-up', async () => {
    const [store] = opened
    if (store === undefined) throw new Error('no store')
    await store.records.commit({ reserve: [reservation({ requestId: 'before', amountNano: 5 })] })
    const batch: Batch = {
      settle: [settlement({ requestId: 'before' }), settlement({ requestId: 'other' })],
      reserve: [reservation({ requestId: 'a' }), reservation({ requestId: 'b' })],
      grow: [{ requestId: 'a', accountId: 1, tokenId: 1, byNano: 7 }],
      release: ['gone'],
    }
    const before = store.roundTrips()
    await store.records.commit(batch)
    expect(store.roundTrips() - before).toBe(1)
    await store.tokens.findByHash('hash-1')
    expect(store.roundTrips() - before).toBe(2)
  })

  test('what grows by a batch that is committed twice grows once, also where no more is left', async () => {
    const [store] = opened
    if (store === undefined) throw new Error('no store')
    await store.records.commit({
      reserve: [reservation({ requestId: 'a', amountNano: opening - 7 })],
    })
    const grow = [{ requestId: 'a', accountId: 1, tokenId: 1, byNano: 7, fromNano: opening - 7 }]
    for (let times = 0; times < 2; times++) {
      expect((await store.records.commit({ grow })).denied).toEqual(new Map())
    }
    // Taken for not done, it is asked for with what has become free since.
    await store.admin.adjust({
      ...{ account: 'ann@example.com', kind: 'credit', amountNano: 5, reason: 'paid' },
      ...{ actor: 'someone', idempotencyKey: null },
    })
    const again = [{ requestId: 'a', accountId: 1, tokenId: 1, byNano: 12, fromNano: opening - 7 }]
    expect((await store.records.commit({ grow: again })).denied).toEqual(new Map())
    const more = [{ requestId: 'a', accountId: 1, tokenId: 1, byNano: 1, fromNano: opening + 5 }]
    expect([...(await store.records.commit({ grow: more })).denied.keys()]).toEqual(['a'])
    // A node of the former version does not say from what.
    const former = [{ requestId: 'a', accountId: 1, tokenId: 1, byNano: 1 }]
    expect([...(await store.records.commit({ grow: former })).denied.keys()]).toEqual(['a'])
    expect(await ask(database.url, 'SELECT amount_nano AS nano FROM reservation')).toEqual([
      { nano: opening + 5 },
    ])
    expect(await ask(database.url, oddSums)).toEqual([])
  })

  test('nodes that compete for one account pass as many as its balance pays', async () => {
    const nodes = await Promise.all([open(), open(), open()])
    const price = opening / 100
    const passed = await Promise.all(
      nodes.flatMap((node, at) =>
        Array.from({ length: 100 }, async (_, one) => {
          const requestId = `req_${at}_${one}`
          const reserve = [reservation({ requestId, amountNano: price })]
          const { denied } = await node.records.commit({ reserve })
          if (denied.has(requestId)) return 0
          await node.records.commit({ settle: [settlement({ requestId, amountNano: price })] })
          return 1
        }),
      ),
    )
    expect(passed.filter((one) => one === 1)).toHaveLength(100)
    expect(await balanceOf(nodes[0])).toBe(0)
    expect(await ask(database.url, oddSums)).toEqual([])
    expect(await ask(database.url, 'SELECT 1 FROM reservation')).toEqual([])
  })

  test('batches over many accounts in any order never lock each other out', async () => {
    const nodes = await Promise.all([open(), open(), open()])
    const emails = ['b@example.com', 'c@example.com', 'd@example.com', 'e@example.com']
    await nodes[0].admin.write({
      accounts: emails.map((email) => accountWrite({ email })),
      tokens: emails.map((account) => tokenWrite({ account, keyHash: `key of ${account}` })),
    })
    let made = 0
    const random = (below: number) => Math.floor(Math.random() * below)
    const some = () =>
      Array.from({ length: 1 + random(8) }, () => {
        const id = 1 + random(5)
        return { requestId: `req_${++made}`, accountId: id, tokenId: id, amountNano: random(1000) }
      })
    const begun: string[] = []
    const work = async (node: PostgresStore) => {
      for (let round = 0; round < 40; round++) {
        const settled = some()
        const begins = some()
        begun.push(...begins.map(({ requestId }) => requestId))
        const ends = begun.splice(random(begun.length), 1)
        await node.records.commit({
          settle: settled.map((one) => settlement(one)),
          release: ends,
          reserve: begins.map((one) => reservation(one)),
        })
      }
    }
    // Two of each node at once, and people who change balances by hand between them.
    const credits = async () => {
      for (let round = 0; round < 15; round++) {
        const account = emails[round % 4] ?? ''
        const rest = { reason: 'paid', idempotencyKey: null, actor: 'someone' }
        await nodes[1].admin.adjust({ account, kind: 'credit', amountNano: 10, ...rest })
      }
    }
    await Promise.all([...nodes, ...nodes].map(work).concat(credits(), credits()))
    expect(await ask(database.url, oddSums)).toEqual([])
    const [found] = await ask<{ deadlocks: number }>(
      database.url,
      'SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()',
    )
    expect(found?.deadlocks).toBe(0)
    const byHand = "SELECT count(*) AS count FROM ledger WHERE kind = 'credit'"
    expect(await ask(database.url, byHand)).toEqual([{ count: 30 }])
  })

  test('text that the database can not hold is stored without it, not lost', async () => {
    const [store] = opened
    const odd = { model: 'a\0b', causeText: 'half \ud83d', upstreamModel: 'C:\\u0000' }
    await store?.records.commit({ settle: [settlement({ requestId: 'odd', ...odd })] })
    expect((await store?.records.receipt('odd'))?.request).toMatchObject({
      model: 'a\uFFFDb',
      causeText: 'half \uFFFD',
      upstreamModel: 'C:\\u0000',
    })
  })
})

describe.skipIf(!hasPostgres)('a PostgreSQL server that goes away', () => {
  let server: PostgresServer
  let store: PostgresStore

  beforeEach(async () => {
    server = await startPostgres()
    const url = server.url('postgres')
    store = await openPostgresStore({ url, clock: () => now, patienceMs: 20_000 })
    await seed(store)
  })
  afterEach(async () => {
    await store.close()
    await server[Symbol.asyncDispose]()
  })

  test('and comes back in time loses nothing and charges nothing twice', async () => {
    let made = 0
    let isOver = false
    const acknowledged: string[] = []
    const work = async () => {
      while (!isOver) {
        const requestId = `req_${++made}`
        await store.records.commit({ reserve: [reservation({ requestId })] })
        await store.records.commit({ settle: [settlement({ requestId, amountNano: 10 })] })
        acknowledged.push(requestId)
      }
    }
    const workers = [work(), work(), work(), work()]
    for (const mode of ['immediate', 'fast', 'immediate'] as const) {
      const seen = acknowledged.length
      while (acknowledged.length < seen + 20) await Bun.sleep(5)
      await server.stop(mode)
      await server.start()
    }
    const seen = acknowledged.length
    while (acknowledged.length < seen + 20) await Bun.sleep(5)
    isOver = true
    await Promise.all(workers)
    const url = server.url('postgres')
    const stored = await ask<{ id: string }>(url, 'SELECT request_id AS id FROM request')
    expect(stored.map(({ id }) => id).sort()).toEqual(acknowledged.sort())
    expect(await ask(url, oddSums)).toEqual([])
    const charged = opening - 10 * acknowledged.length
    expect((await store.admin.account('ann@example.com'))?.balanceNano).toBe(charged)
  })

  test('and stays away is said within the time that work waits, without the password', async () => {
    const url = server.url('postgres')
    const hasty = await openPostgresStore({ url, clock: () => now, patienceMs: 100 })
    await server.stop('immediate')
    const batch = { settle: [settlement({ requestId: 'a' })] }
    const failed = await hasty.records.commit(batch).catch((error: unknown) => error)
    expect(failed).toMatchObject({ name: 'StoreError' })
    expect(String(failed)).toContain(`The database postgres://127.0.0.1:${server.port}/postgres`)
    expect(String(failed)).not.toContain('word')
    await expect(hasty.tokens.findByHash('hash-1')).rejects.toThrow('can not be reached')
    await expect(hasty.changedElsewhere()).rejects.toThrow('can not be reached')
    await server.start()
    await hasty.records.commit(batch)
    await hasty.records.commit(batch)
    expect((await hasty.admin.account('ann@example.com'))?.balanceNano).toBe(opening - 100)
    expect(await hasty.changedElsewhere()).toBe('all') // nobody knows what was missed
    await hasty.close()
  })

  test('for long is said at once, to all who wait, and is forgotten when it is back', async () => {
    const patienceMs = 1_200
    const url = server.url('postgres')
    const hasty = await openPostgresStore({ url, clock: () => now, patienceMs })
    using time = startOwnTime()
    const msToFail = async (afterMs: number, tick = () => performance.now()) => {
      await Bun.sleep(afterMs)
      const startTick = tick()
      await expect(hasty.tokens.findByHash('hash-1')).rejects.toThrow('can not be reached')
      return tick() - startTick
    }
    await server.stop('immediate')
    const [first, late] = await Promise.all([msToFail(0), msToFail(patienceMs / 2)])
    expect(first).toBeWithin(patienceMs / 2, 2 * patienceMs)
    expect(late).toBeLessThan(first)
    expect(await msToFail(0, time.now)).toBeLessThan(patienceMs / 4)
    // Nobody has asked for a while: it may have been there, and gone again.
    expect(await msToFail(2 * patienceMs)).toBeGreaterThan(patienceMs / 2)
    await server.start()
    await hasty.tokens.findByHash('hash-1')
    await server.stop('immediate')
    const [again] = await Promise.all([msToFail(0)])
    expect(again).toBeGreaterThan(patienceMs / 2)
    await hasty.close()
    await server.start()
  })

  test('by one connection alone: what was asked on it is asked again', async () => {
    const url = server.url('postgres')
    const others = 'FROM pg_stat_activity WHERE pid <> pg_backend_pid()'
    for (let round = 0; round < 20; round++) {
      const [first] = await Promise.all([
        store.records.commit({ settle: [settlement({ requestId: `req_${round}` })] }),
        ask(url, `SELECT pg_terminate_backend(pid) ${others} AND datname = 'postgres'`),
      ])
      expect(first.accounts).toEqual([{ accountId: 1, balanceNano: opening - 100 * (round + 1) }])
    }
    expect(await ask(url, oddSums)).toEqual([])
  })
})
