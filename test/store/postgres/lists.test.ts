import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { ListsBusy } from '../../../src/store/ports/lists.ts'
import { StoreError } from '../../../src/store/ports/store-error.ts'
import { createConnections } from '../../../src/store/postgres/connections.ts'
import { createEngine, createPatience } from '../../../src/store/postgres/engine.ts'
import { createSource, listSettings } from '../../../src/store/postgres/lists.ts'
import { openPostgresStore } from '../../../src/store/postgres/open.ts'
import { all, run } from '../../../src/store/queries/steps.ts'
import { sql } from '../../../src/store/schema/sql.ts'
import { hasPostgres } from '../../support/postgres.ts'
import { createMadeStore, type MadeStore } from '../lists/scene.ts'
import { now, settlement } from '../support.ts'

const count = 300

describe.skipIf(!hasPostgres)('lists of PostgreSQL', () => {
  let made: MadeStore
  beforeAll(async () => {
    made = await createMadeStore(count, 'PostgreSQL')
  })
  afterAll(() => made[Symbol.asyncDispose]())

  /** Connections of a test's own, such as another node has. */
  function connect(settings = {}) {
    const connections = createConnections({ url: made.path, settings })
    return { ...connections, [Symbol.asyncDispose]: connections.close }
  }

  test('a request whose number is lower but which is stored later is not passed over', async () => {
    const { lists, records } = made.store
    const { lastRow } = await lists.newRequests(undefined, undefined, 5)
    const endedAt = { createdAt: Date.now(), durationMs: 1 }
    await using other = connect()
    const inserting = Promise.withResolvers<void>()
    const mayCommit = Promise.withResolvers<void>()
    const late = other.lend(async ({ query }) => {
      await query({ text: 'BEGIN' })
      const columns = (
        await query({
          text: `SELECT string_agg(column_name, ', ') AS names FROM information_schema.columns
            WHERE table_name = 'request' AND column_name NOT IN ('id', 'request_id', 'created_at')`,
        })
      ).rows[0]?.names
      await query({
        text: `INSERT INTO request (request_id, created_at, ${columns})
          SELECT 'req_late', $1, ${columns} FROM request WHERE id = 1`,
        values: [endedAt.createdAt],
      })
      inserting.resolve()
      await mayCommit.promise
      await query({ text: 'COMMIT' })
    })
    await inserting.promise
    await records.commit({ settle: [settlement({ requestId: 'req_soon', ...endedAt })] })
    const before = await lists.newRequests(lastRow, undefined, 5)
    expect(before).toEqual({ rows: [], lastRow })
    expect((await lists.newRequests(undefined, undefined, 5)).lastRow).toBe(lastRow)
    mayCommit.resolve()
    await late
    const after = await lists.newRequests(before.lastRow, undefined, 5)
    expect(after.rows.map(({ requestId }) => requestId)).toEqual(['req_late', 'req_soon'])
  })

  test('a number that nobody gets holds up nothing for long', async () => {
    const { lists, records } = made.store
    const { lastRow } = await lists.newRequests(undefined, undefined, 5)
    await using other = connect()
    await other.query({ text: "SELECT nextval(pg_get_serial_sequence('request', 'id'))" })
    const request = { requestId: 'req_behind', createdAt: Date.now() - 11_000, durationMs: 1 }
    await records.commit({ settle: [settlement(request)] })
    const { rows } = await lists.newRequests(lastRow, undefined, 5)
    expect(rows.map(({ requestId }) => requestId)).toEqual(['req_behind'])
  })

  test('take no connection from requests, and refuse what would wait too long', async () => {
    await using other = connect()
    const store = await openPostgresStore({ url: made.path, clock: () => now, connections: 1 })
    const locked = Promise.withResolvers<void>()
    const mayGoOn = Promise.withResolvers<void>()
    const locking = other.lend(async ({ query }) => {
      await query({ text: 'BEGIN' })
      await query({ text: 'LOCK TABLE ledger IN ACCESS EXCLUSIVE MODE' })
      locked.resolve()
      await mayGoOn.promise
      await query({ text: 'COMMIT' })
    })
    await locked.promise
    const asked = Array.from({ length: 70 }, () => store.lists.ledger({}, { size: 3 }))
    const answers = Promise.allSettled(asked)
    expect(await store.admin.account('account-7@example.com')).toMatchObject({ id: 7 })
    mayGoOn.resolve()
    await locking
    const refused = (await answers).flatMap((one) => (one.status === 'rejected' ? one.reason : []))
    expect(refused).toHaveLength(3)
    for (const reason of refused) expect(reason).toBeInstanceOf(ListsBusy)
    expect(String(refused[0])).toContain('Try again in some seconds')
    expect((await store.lists.ledger({}, { size: 3 })).rows).toHaveLength(3)
    await store.close()
  })

  test('change nothing, and are given up when they take too long', async () => {
    await using connections = connect({ ...listSettings, statement_timeout: 50 })
    const source = createSource(createEngine(connections, createPatience(connections, 100)))
    const writing = source.read(() => run(sql`DELETE FROM reservation`))
    await expect(writing).rejects.toBeInstanceOf(StoreError)
    const waiting = source.read(() => all(sql`SELECT pg_sleep(10)`))
    await expect(waiting).rejects.toBeInstanceOf(ListsBusy)
    expect(await source.read(() => all(sql`SELECT 1 AS one`))).toEqual([{ one: 1 }])
  })
})
