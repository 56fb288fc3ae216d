import { describe, expect, test } from 'bun:test'
import { openPostgresStore } from '../../../src/store/postgres/open.ts'
import { layCable } from '../../support/cable.ts'
import { lendDatabase } from '../../support/lent-databases.ts'
import { hasPostgres } from '../../support/postgres.ts'
import { now, settlement } from '../support.ts'

describe.skipIf(!hasPostgres)('a store on PostgreSQL that is closed', () => {
  test('says so at once, and waits for no server', async () => {
    await using database = await lendDatabase()
    const store = await openPostgresStore({
      ...{ url: database.url, clock: () => now },
      patienceMs: 10_000,
    })
    await store.close()
    const asked: readonly (() => Promise<unknown>)[] = [
      () => store.tokens.findByHash('hash'),
      () => store.records.commit({ settle: [settlement({ requestId: 'req_1' })] }),
      () => store.catalog.load(),
      () => store.lists.accounts({}, { size: 10 }),
      () => store.check(),
    ]
    for (const ask of asked) await expect(ask()).rejects.toThrow('is closed')
  })

  test('waits for no connection that is dead without having said so', async () => {
    await using database = await lendDatabase()
    const url = new URL(database.url)
    await using cable = await layCable(Number(url.port))
    url.port = String(cable.port)
    const store = await openPostgresStore({ url: url.href, clock: () => now })
    // Both the connections of requests and those of the console have been used.
    await Promise.all([store.tokens.findByHash('hash'), store.catalog.load()])
    cable.silence()
    await store.close()
  })
})
