import { describe, expect, test } from 'bun:test'
import type { AvailabilityBucket } from '../../../src/store/ports/availability.ts'
import { openPostgresStore } from '../../../src/store/postgres/open.ts'
import { until } from '../../e2e/until.ts'
import { ask, createDatabase, hasPostgres } from '../../support/postgres.ts'
import { now, seed } from '../support.ts'

const minutes = 10
const models = 500
const dayMs = 86_400_000

const bucket = (minute: number, model: number): AvailabilityBucket => ({
  ...{ groupId: 1, model: `m${model}`, startedAt: now - (now % 60_000) + minute * 60_000 },
  ...{ succeeded: 1, failed: {}, firstByte: [0, 1], firstByteMs: 60 },
  ...{ outputTokens: 10, generationMs: 200 },
})

const added = Array.from({ length: minutes }, (_, minute) =>
  Array.from({ length: models }, (_, model) => bucket(minute, model)),
).flat()

/** A store of its own, whose server never learns what has become of its table of minutes. */
async function openUnknown() {
  // Of its own: what was done in a lent one may be counted late.
  const database = await createDatabase()
  const { url } = database
  const store = await openPostgresStore({ url, clock: () => now })
  await seed(store)
  await ask(url, 'ALTER TABLE availability SET (autovacuum_enabled = false)')
  return {
    ...{ store, url },
    forget: () => ask(url, "SELECT pg_stat_reset_single_table_counters('availability'::regclass)"),
    /** How many rows were made, removed and read since then, when the store has been closed. */
    async counted(column: 'n_tup_ins' | 'n_tup_del') {
      await store.close()
      return until('the server to tell what was read', async () => {
        const rows = await ask(
          url,
          `SELECT ${column}::int AS changed,
             (seq_tup_read + coalesce(idx_tup_fetch, 0))::int AS read
           FROM pg_stat_user_tables WHERE relname = 'availability'`,
        )
        const [row] = rows as readonly { changed: number; read: number }[]
        return row !== undefined && row.changed > 0 ? row : undefined
      })
    },
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  }
}

const fill = (url: string) =>
  ask(
    url,
    `INSERT INTO availability (size, started_at, group_id, model, counts)
     SELECT 'day', i, 1, 'x', '[]' FROM generate_series(1, 3000) i`,
  )

describe.skipIf(!hasPostgres)('minutes of a table that was another one a moment ago', () => {
  test('are looked up by their keys, and no others', async () => {
    await using opened = await openUnknown()
    const { store, url, forget, counted } = opened
    await fill(url)
    await ask(url, 'ANALYZE availability')
    await ask(url, 'DELETE FROM availability')
    await forget()
    await store.availability.add(added)
    const seen = await counted('n_tup_ins')
    expect(seen.changed).toBe(added.length + 2 * models)
    expect(seen.read).toBeLessThan(added.length)
  })

  test('are removed in the order of their keys, and no others are looked at', async () => {
    await using opened = await openUnknown()
    const { store, url, forget, counted } = opened
    await fill(url)
    await ask(url, 'DELETE FROM availability')
    await ask(url, 'VACUUM (TRUNCATE false, ANALYZE) availability')
    await store.availability.add(added)
    await forget()
    await store.availability.prune(now + 3 * dayMs)
    const seen = await counted('n_tup_del')
    expect(seen.changed).toBe(added.length)
    // Each as what the end of a step is found by, and as what is removed.
    expect(seen.read).toBeLessThan(3 * added.length)
  })
})
