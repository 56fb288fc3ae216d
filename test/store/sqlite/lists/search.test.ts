import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { readPage } from '../../../../src/store/queries/lists/page.ts'
import { searchRequests } from '../../../../src/store/queries/lists/requests.ts'
import { createSource } from '../../../../src/store/sqlite/lists/source.ts'
import { createMadeStore } from '../../lists/scene.ts'
import { collect } from '../../support.ts'
import { createNotingReader } from './scene.ts'

test('looking for what is rare is ended by its time, says how far it came, and goes on', async () => {
  await using made = await createMadeStore(600)
  const rows = await collect(made.store.records.exportRequests({}))
  const all = rows.sort((a, b) => b.id - a.id)
  const reader = createNotingReader(made.path, 160)
  using db = new Database(made.path)
  // So many that they are several steps.
  const columns = db
    .query<{ name: string }, []>("SELECT name FROM pragma_table_info('request') WHERE cid > 1")
    .all()
    .map(({ name }) => name)
    .join(', ')
  db.run(
    `WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 4500)
     INSERT INTO request (request_id, ${columns}) SELECT 'more-' || i, ${columns}
     FROM n JOIN request ON request.id = 1`,
  )
  const source = createSource(reader)
  const search = await searchRequests(source, { status: 502 })
  const ids = async (keys: readonly { readonly id: number }[]) => keys.map(({ id }) => ({ id }))
  const first = await readPage(source, search, { size: 5 }, ids)
  expect(first).toMatchObject({ rows: [], total: 0, totalIsExact: false })
  expect(reader.asked).toHaveLength(3)
  expect(first.searchedBackTo).toBe(all.at(-1)?.createdAt ?? 0)
  const found: number[] = []
  let cursor = first.next
  for (let turn = 0; cursor !== null && turn < 99; turn++) {
    const page = await readPage(source, search, { cursor, size: 500, isCounted: false }, ids)
    found.push(...page.rows.map(({ id }) => id))
    cursor = page.next
  }
  expect(found).toEqual(all.filter(({ status }) => status === 502).map(({ id }) => id))
  await reader.close()
})
