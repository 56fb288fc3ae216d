import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import type { Listed, PageAsked } from '../../../src/store/ports/lists.ts'
import { readPage } from '../../../src/store/queries/lists/reading.ts'
import { readRequests, searchRequests } from '../../../src/store/queries/lists/requests.ts'
import type { ListSource } from '../../../src/store/queries/lists/search.ts'
import { createLists } from '../../../src/store/queries/lists/store.ts'
import { createSource } from '../../../src/store/sqlite/engine.ts'
import { until } from '../../e2e/until.ts'
import { ask, hasPostgres } from '../../support/postgres.ts'
import type { EngineName } from '../each-engine.ts'
import { createNotingSource } from '../postgres/noting.ts'
import { createNotingEngine } from '../sqlite/lists/scene.ts'
import { collect, now } from '../support.ts'
import { createMadeStore } from './scene.ts'

/** Lists each of whose answers comes late, and what they ask. */
interface LateLists extends AsyncDisposable {
  readonly source: ListSource
  readonly asked: readonly unknown[]
}

interface Place {
  readonly lateLists: (path: string, lateMs: number) => LateLists
  readonly change: (path: string, sql: string) => Promise<unknown>
}

const places: Readonly<Record<EngineName, Place>> = {
  SQLite: {
    lateLists(path, lateMs) {
      const reader = createNotingEngine(path, lateMs)
      const source = createSource(reader)
      return {
        source,
        asked: reader.asked,
        [Symbol.asyncDispose]: async () => reader[Symbol.dispose](),
      }
    },
    async change(path, sql) {
      using db = new Database(path)
      db.run(sql)
    },
  },
  PostgreSQL: { lateLists: createNotingSource, change: ask },
}

async function rareIsFound(engine: EngineName): Promise<void> {
  const { lateLists, change } = places[engine]
  await using made = await createMadeStore(600, engine)
  const rows = await collect(made.store.records.exportRequests({}))
  const all = rows.sort((a, b) => b.id - a.id)
  // So many that they are several steps.
  const columns = `created_at, account_id, token_id, group_id, model, client_protocol, operation,
    stream, status, ending, input_tokens, output_tokens, reasoning_tokens, cache_read_tokens,
    cache_write_tokens, cache_write_1h_tokens, calls, estimated, clamped, long_context_pricing,
    multiplier_millionths, amount_nano, duration_ms`
  await change(
    made.path,
    `WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 4500)
     INSERT INTO request (request_id, ${columns}) SELECT 'more-' || i, ${columns}
     FROM n JOIN request ON request.id = 1`,
  )
  await using late = lateLists(made.path, 160)
  const { source, asked } = late
  const search = await searchRequests({ status: 502 }, source)
  const ids = (keys: readonly { readonly id: number }[]) => readRequests(keys)
  const first = await readPage(source, search, { size: 5 }, ids)
  expect(first).toMatchObject({ rows: [], total: 0, totalIsExact: false })
  expect(asked).toHaveLength(3)
  expect(first.searchedBackTo).toBe(all.at(-1)?.createdAt ?? 0)
  const found: number[] = []
  let cursor = first.next
  for (let turn = 0; cursor !== null && turn < 99; turn++) {
    const page = await readPage(source, search, { cursor, size: 500, isCounted: false }, ids)
    found.push(...page.rows.map(({ id }) => id))
    cursor = page.next
  }
  const wanted = all.filter(({ status }) => status === 502).map(({ id }) => id)
  expect(found).toEqual(wanted)
  const upwards: number[] = []
  let onwards: string | undefined
  do {
    const asked: PageAsked = { cursor: onwards, size: 500, isAscending: true, isCounted: false }
    const page: Listed<{ readonly id: number }> = await readPage(source, search, asked, ids)
    upwards.push(...page.rows.map(({ id }) => id))
    onwards = page.next ?? undefined
  } while (onwards !== undefined)
  expect(upwards).toEqual(wanted.toReversed())
}

async function abandonedEnds(engine: EngineName): Promise<void> {
  const { lateLists, change } = places[engine]
  await using made = await createMadeStore(20, engine)
  // Far from the others: what lies between is searched in many steps.
  await change(made.path, 'UPDATE request SET id = 5000000 WHERE id = 20')
  await using late = lateLists(made.path, 20)
  const lists = createLists(late.source, () => now)
  const leaving = new AbortController()
  const reading = collect(lists.exportRequests({ model: 'unheard-of' }, leaving.signal))
  const ended = reading.catch((error: unknown) => error)
  await until('a first search', () => late.asked.length > 3)
  leaving.abort('left')
  expect(await ended).toBe('left')
  expect(late.asked.length).toBeLessThan(20)
}

describe.each([
  ['looking for what is rare is ended by its time, says how far it came, and goes on', rareIsFound],
  ['an export whose reader has left ends, also where it finds nothing', abandonedEnds],
])('%s', (_, isKept) => {
  test('SQLite', () => isKept('SQLite'))
  test.skipIf(!hasPostgres)('PostgreSQL', () => isKept('PostgreSQL'))
})
