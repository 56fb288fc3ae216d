import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { createNodeService } from '../../../src/app/console/nodes.ts'
import { silentNodeMs } from '../../../src/store/ports/nodes.ts'
import { openPostgresStore, type PostgresStore } from '../../../src/store/postgres/open.ts'
import { reservation } from '../../store/sqlite/file-store.ts'
import { now, seed } from '../../store/support.ts'
import { lendDatabase } from '../../support/lent-databases.ts'
import { ask, hasPostgres, type TestDatabase } from '../../support/postgres.ts'
import { tollgateYaml } from '../../support/tollgate-yaml.ts'
import { configOf } from '../serving.ts'

describe.skipIf(!hasPostgres)('nodes that share a database', () => {
  let database: TestDatabase
  let store: PostgresStore

  beforeEach(async () => {
    database = await lendDatabase()
    store = await openPostgresStore({ url: database.url, clock: () => now })
    await seed(store)
  })
  afterEach(async () => {
    await store.close()
    await database[Symbol.asyncDispose]()
  })

  test('are told with their load, the living and the dead, and what those left', async () => {
    const { nodes, records } = store
    const dead = await nodes.register({ name: 'dead:1', version: '0.1.0' })
    await records.commit({ reserve: [reservation({ requestId: 'a', amountNano: 1_500_000 })] })
    const mine = await nodes.register({ name: 'mine:2', version: '0.2.0' })
    await nodes.heartbeat(mine, {
      ...{ requests: 7, streams: 3, requestsPerMinute: 90 },
      ...{ leads: true, counting: 'apart', memoryBytes: 2e8, cpuPercent: 130 },
      processes: [
        {
          ...{ worker: null, pid: 10, requests: 0, streams: 0, requestsPerMinute: 0 },
          ...{ memoryBytes: 1e8, cpuPercent: 40 },
        },
        {
          ...{ worker: 0, pid: 11, requests: 7, streams: 3, requestsPerMinute: 90 },
          ...{ memoryBytes: 1e8, cpuPercent: 90 },
        },
      ],
    })
    // A former version tells less.
    const older = await nodes.register({ name: 'older:3', version: '0.1.0' })
    await nodes.heartbeat(older, { requests: 1 })
    const startTick = performance.now()
    await ask(
      database.url,
      `UPDATE node SET seen_at = seen_at - ${silentNodeMs + 2_000} WHERE id = ${dead}`,
    )
    const config = configOf(tollgateYaml({ upstream: 'http://127.0.0.1:1', store: database.url }))
    const service = createNodeService(
      { config: () => config, store, clock: () => now },
      { load: () => ({}), membership: { id: () => mine, known: () => [] } },
    )
    const list = await service.list()
    expect(list.is_shared).toBe(true)
    expect(list.database).toMatch(/^postgres:\/\/127\.0\.0\.1:\d+\/test_\d+$/)
    expect(list.items).toMatchObject([
      {
        ...{ name: 'dead:1', is_this: false, is_alive: false, leads: false, counting: null },
        ...{ reserved_requests: 1, reserved: '0.0015', requests: null },
      },
      {
        ...{ name: 'mine:2', version: '0.2.0', is_this: true, is_alive: true, leads: true },
        ...{ counting: 'apart', requests: 7, streams: 3, requests_per_minute: 90 },
        ...{ memory_bytes: 2e8, cpu_percent: 130 },
        processes: [
          { worker: null, pid: 10, cpu_percent: 40, memory_bytes: 1e8 },
          { worker: 0, pid: 11, requests: 7, streams: 3, requests_per_minute: 90 },
        ],
        ...{ reserved_requests: 0, reserved: '0' },
      },
      {
        ...{ name: 'older:3', is_this: false, is_alive: true, leads: false, counting: null },
        ...{ requests: 1, streams: null, requests_per_minute: null },
      },
    ])
    const passedS = Math.floor((performance.now() - startTick) / 1_000)
    expect(list.items[0]?.silent_seconds).toBeWithin(31, 34 + passedS)
    expect(list.items[1]?.silent_seconds).toBeWithin(0, 3 + passedS)
    await nodes.sweepDead()
    expect((await service.list()).items[0]?.reserved_requests).toBe(0)
  })
})
