import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { Client } from 'pg'
import { openPostgresStore, type PostgresStore } from '../../../src/store/postgres/open.ts'
import { ask, createDatabase, hasPostgres, type TestDatabase } from '../../support/postgres.ts'
import { reservation } from '../sqlite/file-store.ts'
import { seed, settlement } from '../support.ts'

const dayMs = 86_400_000
const now = Date.now()
const idAt = (ms: number, n = 1) =>
  `req_${ms.toString(16).padStart(12, '0')}7${n.toString(16).padStart(19, '0')}`
const quarterOf = (ms: number) => {
  const at = new Date(ms)
  return `${at.getUTCFullYear()}_q${Math.floor(at.getUTCMonth() / 3) + 1}`
}

describe.skipIf(!hasPostgres)('requests of PostgreSQL, in partitions', () => {
  let database: TestDatabase
  let store: PostgresStore
  const opened: PostgresStore[] = []

  async function open(): Promise<PostgresStore> {
    const one = await openPostgresStore({ url: database.url, clock: Date.now })
    opened.push(one)
    return one
  }
  beforeEach(async () => {
    database = await createDatabase()
    store = await open()
    await seed(store)
  })
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((one) => one.close()))
    await database[Symbol.asyncDispose]()
  })

  const rows = <Row extends object>(text: string) => ask<Row>(database.url, text)
  const make = (...times: number[]) => rows(`SELECT make_partitions(ARRAY[${times}]::bigint[])`)
  const settle = (...ids: string[]) =>
    store.records.commit({
      settle: ids.map((requestId) => settlement({ requestId, createdAt: now, amountNano: 7 })),
    })
  /** Which partition has which requests, and attempts. */
  const places = async () =>
    Object.fromEntries(
      (
        await rows<{ id: string; place: string; tried: string }>(`
          SELECT request.request_id AS id, request.tableoid::regclass::text AS place,
            attempt.tableoid::regclass::text AS tried
          FROM request JOIN attempt ON attempt.request_row = request.id AND position = 0`)
      ).map(({ id, place, tried }) => [id, [place, tried]]),
    )
  const inPartition = (name: string) => [`request_${name}`, `attempt_${name}`]

  test('lie where their ids say, and what has no such id, or no partition, in the default one', async () => {
    const ids = [
      idAt(now),
      `${idAt(now, 2)}.charge`,
      idAt(now + 400 * dayMs),
      idAt(0),
      'req_1',
      'x',
    ]
    await settle(...ids)
    const [own, other] = [inPartition(quarterOf(now)), inPartition('default')]
    expect(await places()).toEqual(
      Object.fromEntries(ids.map((id, at) => [id, at < 2 ? own : other])),
    )
    for (const id of ids) expect((await store.records.receipt(id))?.attempts.length).toBe(1)
  })

  test('are committed once, whichever partition and however many nodes', async () => {
    const last = Date.UTC(new Date(now).getUTCFullYear(), new Date(now).getUTCMonth() - 6)
    await make(last)
    const ids = [idAt(last), idAt(last, 2), idAt(now), idAt(now, 2), 'zzz', 'req_1', '']
    const nodes = [store, await open(), await open()]
    const batches = Array.from({ length: 12 }, (_, at) => ({
      settle: ids
        .slice(at % 3)
        .map((requestId) => settlement({ requestId, createdAt: now, amountNano: 7 + at })),
    }))
    await Promise.all(batches.map((batch, at) => nodes[at % 3]?.records.commit(batch)))
    const found = await rows<{ id: string; count: number; charges: number }>(
      `SELECT request_id AS id, count(*) AS count, (SELECT count(*) FROM ledger
         WHERE ledger.request_id = request.request_id) AS charges
       FROM request GROUP BY request_id ORDER BY request_id COLLATE "C"`,
    )
    expect(found).toEqual(ids.toSorted().map((id) => ({ id, count: 1, charges: 1 })))
    const { denied } = await store.records.commit({
      reserve: ids.map((requestId) => reservation({ requestId, createdAt: now })),
    })
    expect([...denied.keys()].sort()).toEqual(ids.toSorted())
  })

  test('of a node that was taken for dead count as it says, across partitions', async () => {
    const ids = [idAt(now), 'req_1']
    await settle(...ids)
    await rows(`UPDATE request SET ending = 'interrupted'`)
    await rows('DELETE FROM ledger WHERE request_id IS NOT NULL; DELETE FROM attempt')
    await settle(...ids)
    expect(await rows('SELECT ending, count(*) AS count FROM request GROUP BY 1')).toEqual([
      { ending: 'complete', count: 2 },
    ])
    expect(await rows('SELECT sum(requests) AS sum FROM usage_total')).toEqual([{ sum: 2 }])
  })

  test('have theirs made ahead of time by whichever node, once', async () => {
    const ahead = new Set([now, now + 28 * dayMs].map(quarterOf))
    const made = async () =>
      (
        await rows<{ name: string }>(
          `SELECT inhrelid::regclass::text AS name FROM pg_inherits
             WHERE inhparent IN ('request'::regclass, 'attempt'::regclass) ORDER BY 1`,
        )
      ).map(({ name }) => name)
    const wanted = [...ahead, 'default'].flatMap(inPartition).sort()
    expect(await made()).toEqual(wanted)
    await rows(`DROP TABLE request_${quarterOf(now)}, attempt_${quarterOf(now)}`)
    const nodes = [store, await open(), await open()]
    await Promise.all(nodes.map((node) => node.records.sweep()))
    await store.records.sweep()
    expect(await made()).toEqual(wanted)
  })

  test('of the default one go into theirs when it is made, also while others are committed', async () => {
    const before = now - 300 * dayMs
    const ids = [idAt(before), idAt(before, 2), 'req_1']
    await settle(...ids)
    await Promise.all([make(before), make(before), settle(idAt(now)), settle(idAt(before, 3))])
    await make(before)
    const own = inPartition(quarterOf(before))
    expect(await places()).toEqual({
      [idAt(before)]: own,
      [idAt(before, 2)]: own,
      [idAt(before, 3)]: own,
      [idAt(now)]: inPartition(quarterOf(now)),
      req_1: inPartition('default'),
    })
    await settle(...ids)
    expect(await rows('SELECT count(*) AS count FROM request')).toEqual([{ count: 5 }])
  })

  test('wait for nobody: what a reader keeps open is made the next time', async () => {
    const before = now - 300 * dayMs
    const found = async () =>
      (
        await rows<{ is: boolean }>(
          `SELECT to_regclass('request_${quarterOf(before)}') IS NOT NULL AS is`,
        )
      )[0]?.is
    const client = new Client({ connectionString: database.url })
    await client.connect()
    await client.query('BEGIN; SELECT count(*) FROM request')
    const startedTick = performance.now()
    await make(before)
    const isMade = await found()
    await client.end()
    expect([isMade, performance.now() - startedTick < 2_000]).toEqual([false, true])
    await make(before)
    expect(await found()).toBe(true)
  })

  test('are removed with their partitions, and nothing else is', async () => {
    const before = now - 300 * dayMs
    await make(before)
    await settle(idAt(before), idAt(before, 2), idAt(now), 'req_1')
    await rows(`DROP TABLE request_${quarterOf(before)}, attempt_${quarterOf(before)}`)
    expect(Object.keys(await places()).sort()).toEqual([idAt(now), 'req_1'].sort())
    const { rows: listed } = await store.lists.requests({}, { size: 10 })
    expect(listed.map(({ requestId }) => requestId).sort()).toEqual([idAt(now), 'req_1'].sort())
    expect(await rows('SELECT count(*) AS count FROM ledger WHERE request_id IS NOT NULL')).toEqual(
      [{ count: 4 }],
    )
    await store.records.sweep()
    await settle(idAt(now, 2))
    expect((await store.records.receipt(idAt(now, 2)))?.ledgerAmountNano).toBe(-7)
  })

  test('are looked for in the partition of their id alone', async () => {
    await make(now - 100 * dayMs, now - 200 * dayMs, now - 300 * dayMs)
    const plan = async (text: string) =>
      JSON.stringify(await rows(`EXPLAIN (FORMAT JSON) ${text}`)).match(
        /request_\w+?_q\d|request_default/g,
      )
    const one = `SELECT * FROM request JOIN attempt ON request_row = id AND attempt.request_id = request.request_id`
    expect(new Set(await plan(`${one} WHERE request.request_id = '${idAt(now)}'`))).toEqual(
      new Set([`request_${quarterOf(now)}`]),
    )
    expect(new Set(await plan(`${one} WHERE request.request_id = 'req_1'`))).toEqual(
      new Set(['request_default']),
    )
  })
})
