import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { openPostgresStore } from '../../src/store/postgres/open.ts'
import { newestVersion } from '../../src/store/schema/versions.ts'
import { openSqliteStore } from '../../src/store/sqlite/open.ts'
import { formerSteps } from '../support/old-databases.ts'
import { ask, createDatabase, hasPostgres } from '../support/postgres.ts'
import { createWorkplace, program, readUntil, type Workplace } from './cli.ts'

const env = { TOLLGATE_SECRET: 'a secret for these tests, long enough' }
let place: Workplace

beforeEach(async () => {
  place = await createWorkplace()
})
afterEach(() => place[Symbol.asyncDispose]())

test('says whether a process serves from a file', async () => {
  await place.write('tollgate.yaml', 'store: sqlite:./gate.db\n')
  const store = openSqliteStore({ path: join(place.path, 'gate.db'), clock: Date.now })
  expect((await place.run(['status'], { env })).out).toStartWith('No process serves from ')
  await store.claimServing()
  const { out } = await place.run(['status'], { env })
  expect(out).toStartWith('A process serves from ')
  expect(out).toContain('/metrics')
  await store.close()
})

describe.skipIf(!hasPostgres)('of a PostgreSQL', () => {
  test('lists all nodes, and shows no password', async () => {
    await using database = await createDatabase()
    await place.write('tollgate.yaml', `store: "${database.url}"\n`)
    const empty = await place.run(['status'], { env })
    expect(empty).toMatchObject({ code: 0, err: '' })
    expect(empty.out).toMatch(
      /^No process serves from postgres:\/\/127\.0\.0\.1:\d+\/test_\d+\.\n$/,
    )
    const store = await openPostgresStore({ url: database.url, clock: Date.now })
    const id = await store.nodes.register({ name: 'one:17', version: '0.1.0' })
    await store.nodes.heartbeat(id, { requests: 3 })
    await store.close()
    const shown = await place.run(['status'], { env })
    expect(shown.out).toMatch(/one:17 +0\.1\.0 +serves .* 3 requests/)
    const { served, nodes } = JSON.parse((await place.run(['status', '--json'], { env })).out)
    expect(served).toBe(true)
    expect(nodes).toMatchObject([{ name: 'one:17', alive: true, load: { requests: 3 } }])
  })

  test('tells who leads, and whose Valkey is away', async () => {
    await using database = await createDatabase()
    await place.write('tollgate.yaml', `store: "${database.url}"\n`)
    const store = await openPostgresStore({ url: database.url, clock: Date.now })
    const [one, other, dead] = [
      await store.nodes.register({ name: 'one:1', version: '0.1.0' }),
      await store.nodes.register({ name: 'other:2', version: '0.1.0' }),
      await store.nodes.register({ name: 'dead:3', version: '0.1.0' }),
    ]
    const load = { requests: 3, streams: 1, requestsPerMinute: 40, leads: false } as const
    await store.nodes.heartbeat(one, { ...load, leads: true, counting: 'together' })
    await store.nodes.heartbeat(other, { ...load, counting: 'apart' })
    await store.nodes.heartbeat(dead, { ...load, leads: true, counting: 'apart' })
    await store.close()
    await ask(database.url, `UPDATE node SET seen_at = seen_at - 31000 WHERE id = ${dead}`)
    const { out } = await place.run(['status'], { env })
    expect(out).toMatch(/one:1 .* serves, leads .* 3 requests, 40 a minute +with all nodes\n/)
    expect(out).toMatch(/other:2 .* serves {2}.* its share: Valkey is away\n/)
    expect(out).toMatch(/dead:3 .* dead .* 40 a minute *\n/)
    const { nodes } = JSON.parse((await place.run(['status', '--json'], { env })).out)
    expect(nodes[0].load).toEqual({
      ...{ requests: 3, streams: 1, requests_per_minute: 40 },
      ...{ leads: true, counting: 'together' },
    })
  })

  test('shows each process of a node that has several', async () => {
    await using database = await createDatabase()
    await place.write('tollgate.yaml', `store: "${database.url}"\n`)
    const store = await openPostgresStore({ url: database.url, clock: Date.now })
    const node = await store.nodes.register({ name: 'big:1', version: '0.1.0' })
    const keeper = {
      ...{ worker: null, pid: 20, requests: 0, streams: 0, requestsPerMinute: 0 },
      ...{ memoryBytes: 80_000_000, cpuPercent: 12 },
    }
    const worker = {
      ...{ worker: 0, pid: 21, requests: 5, streams: 2, requestsPerMinute: 40 },
      ...{ memoryBytes: 50_000_000, cpuPercent: 71 },
    }
    const sum = {
      requests: 5,
      streams: 2,
      requestsPerMinute: 40,
      memoryBytes: 1.3e8,
      cpuPercent: 83,
    }
    await store.nodes.heartbeat(node, { ...sum, processes: [keeper, worker] })
    await store.close()
    const { out } = await place.run(['status'], { env })
    expect(out).toMatch(/big:1 .* 5 requests, 40 a minute, CPU 83 %, 130 MB/)
    expect(out).toMatch(/\n {2}keeper +pid 20 +0 requests, 0 a minute, CPU 12 %, 80 MB *\n/)
    expect(out).toMatch(/\n {2}worker 0 +pid 21 +5 requests, 40 a minute, CPU 71 %, 50 MB *\n/)
    const { nodes } = JSON.parse((await place.run(['status', '--json'], { env })).out)
    expect(nodes[0].processes).toEqual([
      {
        ...{ worker: null, pid: 20, requests: 0, streams: 0, requests_per_minute: 0 },
        ...{ memory_bytes: 80_000_000, cpu_percent: 12 },
      },
      {
        ...{ worker: 0, pid: 21, requests: 5, streams: 2, requests_per_minute: 40 },
        ...{ memory_bytes: 50_000_000, cpu_percent: 71 },
      },
    ])
  })

  /** A cluster of version 7, in which a node serves. */
  async function makeFormer(url: string): Promise<void> {
    await place.write('tollgate.yaml', `store: "${url}"\nserver: { listen: "127.0.0.1:0" }\n`)
    await ask(
      url,
      `${formerSteps[6]?.postgres}; CREATE TABLE schema_version (version bigint NOT NULL);
       INSERT INTO schema_version VALUES (7);
       INSERT INTO node (name, version, started_at, seen_at, load)
         VALUES ('old:1', '0.1.0', 0, now_ms(), '{}')`,
    )
  }
  const versions = (url: string) => ask<object>(url, 'SELECT version FROM schema_version')

  test.each(['status', 'plan', 'token list', 'export requests', 'receipt req_1', 'verify'])(
    '%s of a newer program leaves a cluster as it is, and says what to do',
    async (words) => {
      await using database = await createDatabase()
      await makeFormer(database.url)
      const refused = await place.run(words.split(' '), { env })
      expect(refused).toMatchObject({ code: 1, out: '' })
      expect(refused.err).toContain('is at version 7, and this program needs version')
      expect(refused.err).toContain('"tollgate serve" upgrades it')
      expect(await versions(database.url)).toEqual([{ version: 7 }])
    },
  )

  test('serve of a newer program takes a cluster over, once none of its nodes serves', async () => {
    await using database = await createDatabase()
    await makeFormer(database.url)
    const refused = await place.run(['serve'], { env })
    expect(refused.code).toBe(1)
    expect(refused.err).toContain('(old:1): stop them all, then start this one')
    expect(await versions(database.url)).toEqual([{ version: 7 }])
    await ask(database.url, 'UPDATE node SET seen_at = now_ms() - 60000')
    const serving = Bun.spawn([...program, 'serve', '--log', 'json'], {
      cwd: place.path,
      env: { ...(await place.environment(['serve'])), ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    await readUntil(serving.stdout, (text) => text.includes('"message":"listening"'))
    expect(await versions(database.url)).toEqual([{ version: newestVersion }])
    serving.kill('SIGTERM')
    expect(await serving.exited).toBe(0)
  })

  test('a node without the secret that all have is refused, with the way out', async () => {
    await using database = await createDatabase()
    await place.write('tollgate.yaml', `store: "${database.url}"\n`)
    const refused = await place.run(['status'], { env: { TOLLGATE_SECRET: '' } })
    expect(refused.code).toBe(1)
    expect(refused.err).toContain('the same TOLLGATE_SECRET')
    expect(refused.err).not.toContain('word')
  })

  test('a server that is not there is named without its password', async () => {
    await place.write('tollgate.yaml', 'store: "postgres://gate:hunter2@127.0.0.1:1/gate"\n')
    const failed = await place.run(['status'], { env })
    expect(failed.code).toBe(1)
    expect(failed.err).toContain('The database postgres://127.0.0.1:1/gate can not be reached')
    expect(failed.err).not.toContain('hunter2')
  })

  test.each(['backup', 'restore'])('%s says how it is done there', async (command) => {
    await place.write('tollgate.yaml', 'store: "postgres://gate:hunter2@127.0.0.1:1/gate"\n')
    const refused = await place.run([command, 'file.db'], { env })
    expect(refused.code).toBe(1)
    expect(refused.err).toContain(`pg_${command === 'backup' ? 'dump' : 'restore'}`)
    expect(refused.err).not.toContain('hunter2')
  })
})
