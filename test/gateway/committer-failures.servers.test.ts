import { describe, expect, test } from 'bun:test'
import { createCommitter } from '../../src/gateway/money/committer.ts'
import { createLogger } from '../../src/lib/log.ts'
import { openPostgresStore } from '../../src/store/postgres/open.ts'
import { calls } from '../../src/store/schema/postgres-rows.ts'
import { now, seed, settlement } from '../store/support.ts'
import { ask, createDatabase, hasPostgres } from '../support/postgres.ts'

const opening = 1_000_000_000

/** What goes wrong on a server, and what ends it. */
const faults = [
  [
    'is being restored',
    `ALTER FUNCTION ${calls.commitRequests} RENAME TO away`,
    `ALTER FUNCTION away RENAME TO ${calls.commitRequests}`,
  ],
  [
    'has another transaction in the way each time',
    `CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS
       $$ BEGIN RAISE serialization_failure; END $$;
     CREATE TRIGGER fail BEFORE INSERT ON request EXECUTE FUNCTION fail()`,
    'DROP TRIGGER fail ON request',
  ],
  [
    'fails in itself',
    `CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS
       $$ BEGIN RAISE internal_error; END $$;
     CREATE TRIGGER fail BEFORE INSERT ON request EXECUTE FUNCTION fail()`,
    'DROP TRIGGER fail ON request',
  ],
] as const

describe.skipIf(!hasPostgres)(
  'what was delivered is charged when a PostgreSQL works again that',
  () => {
    test.each(faults)('%s', async (_, begin, end) => {
      await using database = await createDatabase()
      const store = await openPostgresStore({ url: database.url, clock: () => now })
      await seed(store)
      const log = createLogger({ sink() {}, pretty: false, clock: () => now, level: 'error' })
      const { settle, keep, idle } = createCommitter(store.records, () => {}, log)
      const delivered = settlement({ requestId: 'delivered', amountNano: 70 })
      await ask(database.url, begin)
      await expect(settle(delivered)).rejects.toThrow()
      keep(delivered)
      await idle()
      await ask(database.url, end)
      await idle()
      expect((await store.admin.account('ann@example.com'))?.balanceNano).toBe(opening - 70)
      await store.close()
    })
  },
)
