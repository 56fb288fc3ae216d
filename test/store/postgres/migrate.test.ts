import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { type Connections, createConnections } from '../../../src/store/postgres/connections.ts'
import { migrate } from '../../../src/store/postgres/migrate.ts'
import { firstVersion, newestVersion, programVersion } from '../../../src/store/schema/versions.ts'
import { until } from '../../e2e/until.ts'
import { formerSteps } from '../../support/old-databases.ts'
import { createDatabase, hasPostgres, type TestDatabase } from '../../support/postgres.ts'
import { someOf } from '../../support/rounds.ts'

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
  })

  // The first one takes all steps that the others take.
  test.each(someOf([7, 10, firstVersion - 1], 1))(
    'of version %d keeps each request and attempt, with its number, and who commits one again finds it',
    async (version) => {
      await makeFormer(version)
      const required = `account_id, token_id, group_id, client_protocol, operation, stream, status, ending,
        input_tokens, output_tokens, reasoning_tokens, cache_read_tokens, cache_write_tokens,
        cache_write_1h_tokens, calls, estimated, clamped, long_context_pricing, multiplier_millionths,
        amount_nano, duration_ms`
      // Most have ids of five quarters, one in a hundred has another; some have no attempt, or two.
      await ask(`INSERT INTO request (id, request_id, created_at, cause_text, ${required})
        SELECT 3 * n, CASE WHEN n % 100 = 0 THEN 'own-' || n
            ELSE 'req_' || lpad(to_hex(at), 12, '0') || '7' || lpad(to_hex(n), 19, '0') END, at, 'no. ' || n,
          1, 1, 1, 'chat', 'completions', 0, 200, 'complete', n, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1000000, n, 5
        FROM (SELECT n, ${Date.UTC(2025, 6)} + n * 600000::bigint AS at FROM generate_series(1, 60000) AS n) AS made`)
      await ask(`INSERT INTO attempt (request_row, position, channel_id, started_at, duration_ms)
        SELECT id, position, 1, created_at, 4 FROM request, generate_series(0, id % 7 - 5) AS position
        UNION ALL SELECT 1000000, 0, 1, 0, 0`)
      const columns = 'id, request_id, created_at, cause_text, amount_nano'
      const request = `SELECT count(*) AS count, md5(string_agg(format('%s', ROW(${columns})), ',' ORDER BY id)) AS sum FROM `
      const attempt = `SELECT count(*) AS count, md5(string_agg(format('%s %s', request_row, position), ','
        ORDER BY request_row, position)) AS sum FROM `
      const before = [await ask(`${request} request`), await ask(`${attempt} attempt`)]

      const told: unknown[] = []
      await migrate(connections, { toServe: true, onProgress: (progress) => told.push(progress) })
      expect(told).toEqual([
        { done: 50_000, total: 60_000 },
        { done: 60_000, total: 60_000 },
      ])
      expect([await ask(`${request} request`), await ask(`${attempt} attempt`)]).toEqual(before)
      expect(
        await ask(`SELECT tableoid::regclass::text AS place, count(*) AS count FROM request
          GROUP BY 1 ORDER BY 1`),
      ).toEqual([
        { place: 'request_2025_q3', count: 13_115 },
        { place: 'request_2025_q4', count: 13_116 },
        { place: 'request_2026_q1', count: 12_830 },
        { place: 'request_2026_q2', count: 12_973 },
        { place: 'request_2026_q3', count: 7_366 },
        { place: 'request_default', count: 600 },
      ])
      expect(
        await ask(`SELECT count(*) AS count FROM attempt LEFT JOIN request ON id = request_row
          WHERE request.request_id IS DISTINCT FROM attempt.request_id`),
      ).toEqual([{ count: 1 }])
      const same = `INSERT INTO request (request_id, created_at, ${required})
        SELECT request_id, created_at, ${required} FROM request`
      expect(await ask(`${same} ON CONFLICT (request_id) DO NOTHING RETURNING id`)).toEqual([])
      expect(await ask(`SELECT nextval('request_id_seq') > 180000 AS "isNew"`)).toEqual([
        { isNew: true },
      ])
    },
  )

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
