import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { type Connections, createConnections } from '../../../src/store/postgres/connections.ts'
import { migrate } from '../../../src/store/postgres/migrate.ts'
import { firstVersion, newestVersion, programVersion } from '../../../src/store/schema/versions.ts'
import { until } from '../../e2e/until.ts'
import { formerSteps } from '../../support/old-databases.ts'
import { createDatabase, hasPostgres, type TestDatabase } from '../../support/postgres.ts'

describe.skipIf(!hasPostgres)('a PostgreSQL database', () => {
  let database: TestDatabase
  let connections: Connections

  beforeEach(async () => {
    database = await createDatabase()
    connections = createConnections({ url: database.url })
  })
  afterEach(async () => {
    await connections.close()
    await database[Symbol.asyncDispose]()
  })

  const ask = async (text: string) => (await connections.query({ text })).rows
  const versions = () => ask('SELECT version FROM schema_version')

  /** As a program of a version has made it: the first that had PostgreSQL was of version 7. */
  async function makeFormer(version = 7): Promise<void> {
    for (const { postgres } of formerSteps.slice(0, version)) if (postgres) await ask(postgres)
    await ask('CREATE TABLE schema_version (version bigint NOT NULL)')
    await ask(`INSERT INTO schema_version VALUES (${version})`)
  }

  test('that is empty gets all tables, and no more the second time', async () => {
    await migrate(connections)
    expect(await versions()).toEqual([{ version: newestVersion }])
    expect(await ask('SELECT count(*) AS count FROM request')).toEqual([{ count: 0 }])
    await ask("INSERT INTO setting VALUES ('kept', '1', 0)")
    await migrate(connections)
    expect(await ask('SELECT name FROM setting')).toEqual([{ name: 'kept' }])
  })

  test('is migrated once by many nodes that start together', async () => {
    const nodes = Array.from({ length: 6 }, () => createConnections({ url: database.url }))
    await Promise.all(nodes.map((node) => migrate(node)))
    await Promise.all(nodes.map((node) => node.close()))
    expect(await versions()).toEqual([{ version: newestVersion }])
  })

  test('of a former version waits for what its nodes are writing, and they go on', async () => {
    await makeFormer()
    const former = createConnections({ url: database.url })
    let isMigrated = false
    const migrating = await former.lend(async ({ query }) => {
      await query({ text: 'BEGIN; LOCK TABLE account IN ROW EXCLUSIVE MODE' })
      const migrated = migrate(connections, { toServe: true }).then(() => {
        isMigrated = true
      })
      const waiting = "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
      await until('it to wait', async () => (await ask(waiting)).length === 1)
      // What it is about to do next must not need what the step has locked already.
      await query({ text: 'SELECT version FROM schema_version' })
      await query({ text: 'DELETE FROM reservation; DELETE FROM request; DELETE FROM ledger' })
      expect(isMigrated).toBe(false)
      await query({ text: 'COMMIT' })
      return migrated
    })
    await migrating
    expect(await versions()).toEqual([{ version: newestVersion }])
    await former.close()
  })

  test('of a former program is taken over by a node that comes to serve, once none of it serves', async () => {
    await makeFormer()
    await ask(`INSERT INTO node (name, version, started_at, seen_at, load)
      VALUES ('old:1', '0.1.0', 0, now_ms(), '{}')`)
    await expect(migrate(connections, { toServe: true })).rejects.toThrow(
      'nodes of it serve from there (old:1): stop them all, then start this one',
    )
    expect(await versions()).toEqual([{ version: 7 }])
    await ask('UPDATE node SET seen_at = now_ms() - 60000')
    await migrate(connections, { toServe: true })
    expect(await versions()).toEqual([{ version: newestVersion }])
    expect(await ask('SELECT * FROM program')).toEqual([{ version: programVersion, runs: null }])
    await migrate(connections)
  })

  test('has the tables of a new one when it is upgraded, also where a first program left one out', async () => {
    const schema = `SELECT table_name || '.' || column_name || ' ' || data_type || ' ' || is_nullable AS text
        FROM information_schema.columns WHERE table_schema = 'public'
      UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname = 'public'
      UNION ALL SELECT pg_get_functiondef(oid) FROM pg_proc WHERE pronamespace = 'public'::regnamespace
      UNION ALL SELECT pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal
      UNION ALL SELECT conrelid::regclass || ' ' || pg_get_constraintdef(oid)
        FROM pg_constraint WHERE connamespace = 'public'::regnamespace
      ORDER BY 1`
    await using other = await createDatabase()
    const fresh = createConnections({ url: other.url })
    await migrate(fresh)
    const wanted = (await fresh.query({ text: schema })).rows
    await fresh.close()
    for (const version of [7, 10, firstVersion - 1]) {
      await ask('DROP SCHEMA public CASCADE; CREATE SCHEMA public')
      await makeFormer(version)
      if (version === 7) await ask('DROP TABLE document')
      await migrate(connections, { toServe: true })
      expect(await ask(schema)).toEqual(wanted)
    }
  }, 30_000)

  test('of a former version is changed by no command', async () => {
    await makeFormer()
    await expect(migrate(connections)).rejects.toThrow(
      `is at version 7, and this program needs version ${newestVersion}. "tollgate serve" upgrades it`,
    )
    expect(await versions()).toEqual([{ version: 7 }])
  })

  test('stays as it was when a step fails, in words', async () => {
    await makeFormer()
    await ask('CREATE TABLE kept_answer (id bigint)')
    await expect(migrate(connections, { toServe: true })).rejects.toThrow(
      `could not be upgraded from version 7 to ${newestVersion} (column "created_at" does not exist)`,
    )
    expect(await versions()).toEqual([{ version: 7 }])
    expect(await ask("SELECT to_regclass('program') AS found")).toEqual([{ found: null }])
  })

  test('of a newer version is refused, and left alone', async () => {
    await migrate(connections)
    await ask(`UPDATE schema_version SET version = ${newestVersion + 1};
      UPDATE program SET version = '7.8.9'`)
    await expect(migrate(connections)).rejects.toThrow(
      `was written by a newer version of this program (it is at version ${newestVersion + 1}, ` +
        `of Tollgate 7.8.9; this program, Tollgate ${programVersion}, knows ${newestVersion})`,
    )
    expect(await versions()).toEqual([{ version: newestVersion + 1 }])
  })

  test('of another program is refused, and left alone', async () => {
    await ask('CREATE TABLE theirs (id int)')
    await expect(migrate(connections)).rejects.toThrow('belongs to another program')
    expect(await ask("SELECT to_regclass('account') AS found")).toEqual([{ found: null }])
  })

  test('is named in errors without its password', () => {
    expect(connections.place).toBe(
      `postgres://127.0.0.1:${new URL(database.url).port}/${database.name}`,
    )
  })

  test('compares text byte for byte, and refuses text that is no JSON', async () => {
    await migrate(connections)
    await ask(
      `INSERT INTO setting VALUES ('b', '1', 0), ('A', '1', 0), ('a', '1', 0), ('é', '1', 0)`,
    )
    const names = await ask('SELECT name FROM setting ORDER BY name')
    expect(names.map(({ name }) => name)).toEqual(['A', 'a', 'b', 'é'])
    await expect(ask("INSERT INTO setting VALUES ('c', '{', 0)")).rejects.toThrow('json')
  })
})
