import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { openPostgresStore, type PostgresStore } from '../../../src/store/postgres/open.ts'
import { newestVersion } from '../../../src/store/schema/versions.ts'
import { ask, createDatabase, hasPostgres, type TestDatabase } from '../../support/postgres.ts'
import { reservation } from '../sqlite/file-store.ts'
import { accountWrite, now, seed, settlement, tokenWrite } from '../support.ts'

const charge = 10

describe.skipIf(!hasPostgres)('a node whose database a newer one brings up to date', () => {
  let database: TestDatabase
  let store: PostgresStore

  beforeEach(async () => {
    database = await createDatabase()
    store = await openPostgresStore({ url: database.url, clock: () => now })
    await seed(store)
  })
  afterEach(async () => {
    await store.close()
    await database[Symbol.asyncDispose]()
  })

  /** What a step may do: it adds to each table, and leaves what is there. */
  async function migrateAsNewer(): Promise<void> {
    const tables = await ask<{ name: string }>(
      database.url,
      `SELECT format('%I', relname) AS name FROM pg_class WHERE relkind IN ('r', 'p') AND NOT relispartition
         AND relnamespace = current_schema()::regnamespace AND relname <> 'schema_version'`,
    )
    const added = tables.map(({ name }) => `ALTER TABLE ${name} ADD COLUMN of_newer text;`)
    const version = `UPDATE schema_version SET version = ${newestVersion + 1};`
    const locks = 'LOCK TABLE schema_version IN EXCLUSIVE MODE; LOCK TABLE account;'
    await ask(database.url, `BEGIN; ${locks} ${added.join(' ')} ${version} COMMIT`)
  }

  /** Requests of one client, one after the other, until it is told to stop. */
  async function serve(name: string, isOver: () => boolean): Promise<number> {
    let served = 0
    while (!isOver()) {
      const requestId = `req_${name}_${++served}`
      const { denied } = await store.records.commit({ reserve: [reservation({ requestId })] })
      if (denied.size > 0) throw new Error(`${requestId} was denied`)
      await store.records.commit({ settle: [settlement({ requestId, amountNano: charge })] })
    }
    return served
  }

  test('goes on meanwhile and beside it: nothing fails, all is charged once', async () => {
    let isOver = false
    const serving = Promise.all(['a', 'b', 'c', 'd'].map((name) => serve(name, () => isOver)))
    await store.lists.requests({}, { size: 5 })
    await migrateAsNewer()
    await store.admin.write({
      accounts: [accountWrite({ email: 'new@example.com' })],
      tokens: [
        tokenWrite({
          name: 'new',
          keyHash: 'hash-new',
          budget: { totalNano: 5, dayNano: null, monthNano: null },
        }),
      ],
    })
    await store.nodes.heartbeat(await store.nodes.register({ name: 'here', version: 'old' }), {})
    isOver = true
    const served = (await serving).reduce((sum, one) => sum + one, 0)
    expect(served).toBeGreaterThan(4)
    const books = `SELECT (SELECT count(*) FROM request) AS requests,
      (SELECT sum(amount_nano) FROM ledger WHERE kind = 'charge') AS charged,
      (SELECT count(*) FROM reservation) AS reserved`
    expect(await ask<object>(database.url, books)).toEqual([
      { requests: served, charged: -charge * served, reserved: 0 },
    ])
    expect((await store.lists.requests({}, { size: 5 })).rows).toHaveLength(5)
  })

  test('is not started anew: it would not know what it writes into', async () => {
    await migrateAsNewer()
    await expect(openPostgresStore({ url: database.url, clock: () => now })).rejects.toThrow(
      `was written by a newer version of this program (it is at version ${newestVersion + 1}`,
    )
  })
})
