import { describe, expect, test } from 'bun:test'
import type { AvailabilityBucket } from '../../../src/store/ports/availability.ts'
import { openPostgresStore } from '../../../src/store/postgres/open.ts'
import { until } from '../../e2e/until.ts'
import { ask, createDatabase, hasPostgres } from '../../support/postgres.ts'
import { now, seed } from '../support.ts'

const minutes = 10
const models = 500

const bucket = (minute: number, model: number): AvailabilityBucket => ({
  ...{ groupId: 1, model: `m${model}`, startedAt: now - (now % 60_000) + minute * 60_000 },
  ...{ succeeded: 1, failed: {}, firstByte: [0, 1], firstByteMs: 60 },
  ...{ outputTokens: 10, generationMs: 200 },
})

describe.skipIf(!hasPostgres)('minutes of a table that was another one a moment ago', () => {
  test('are looked up by their keys, and no others', async () => {
    // Of its own: what was done in a lent one may be counted late.
    await using database = await createDatabase()
    const { url } = database
    const store = await openPostgresStore({ url, clock: () => now })
    await seed(store)
    await ask(url, 'ALTER TABLE availability SET (autovacuum_enabled = false)')
    await ask(
      url,
      `INSERT INTO availability (size, started_at, group_id, model, counts)
       SELECT 'day', i, 1, 'x', '[]' FROM generate_series(1, 3000) i`,
    )
    await ask(url, 'ANALYZE availability')
    await ask(url, 'DELETE FROM availability')
    await ask(url, "SELECT pg_stat_reset_single_table_counters('availability'::regclass)")
    const added = Array.from({ length: minutes }, (_, minute) =>
      Array.from({ length: models }, (_, model) => bucket(minute, model)),
    ).flat()
    await store.availability.add(added)
    await store.close()
    const seen = await until('the server to tell what was read', async () => {
      const rows = await ask(
        url,
        `SELECT n_tup_ins::int AS made, (seq_tup_read + coalesce(idx_tup_fetch, 0))::int AS read
         FROM pg_stat_user_tables WHERE relname = 'availability'`,
      )
      const [row] = rows as readonly { made: number; read: number }[]
      return row !== undefined && row.made > 0 ? row : undefined
    })
    expect(seen.made).toBe(added.length + 2 * models)
    expect(seen.read).toBeLessThan(added.length)
  }, 60_000)
})
