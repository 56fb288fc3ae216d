import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import type { Store } from '../../../src/store/ports/store.ts'
import { openSqliteStore } from '../../../src/store/sqlite/open.ts'
import { now, seed, settlement, temporaryDirectory } from '../support.ts'

const clock = () => now

/** A table `series` that counts from 1. */
const series = (count: number | undefined) =>
  `(WITH RECURSIVE series (value) AS
     (SELECT 1 UNION ALL SELECT value + 1 FROM series WHERE value < ${count}) SELECT * FROM series)`

/** Fills a database far faster than the store's own careful writing would. */
function fill(path: string, { tokens, requests, prices }: Record<string, number>): void {
  const db = new Database(path)
  db.transaction(() => {
    db.run(
      `INSERT INTO token (account_id, group_id, name, key_hash, key_sealed, key_hint, status, models,
         ip_allow, created_at)
       SELECT 1, 1, 'many-' || value, 'many-' || value, x'00', '', 'active', '[]', '[]', ${now}
       FROM ${series(tokens)}`,
    )
    db.run(
      `INSERT INTO model_price (model, terms, source, note, valid_from)
       SELECT 'model-' || (value % 20), '{"unit":"call","perCallNano":' || value || '}', 'config', '', value
       FROM ${series(prices)}`,
    )
    const columns = db
      .query<{ name: string }, []>("SELECT name FROM pragma_table_info('request') WHERE cid > 1")
      .all()
      .map(({ name }) => name)
      .join(', ')
    db.run(
      `INSERT INTO request (request_id, ${columns})
       SELECT 'many-' || value, ${columns} FROM request, ${series(requests)}`,
    )
  })()
  db.close()
}

/** The middle one of many timings of `work`, in microseconds. */
async function timeOf(work: (round: number) => Promise<unknown>, rounds = 1500): Promise<number> {
  const times: number[] = []
  for (let round = 0; round < rounds; round++) {
    const start = Bun.nanoseconds()
    await work(round)
    times.push((Bun.nanoseconds() - start) / 1000)
  }
  times.sort((a, b) => a - b)
  return times[rounds >> 1] ?? 0
}

test('a request costs the same however large the tables are', async () => {
  using directory = temporaryDirectory()
  const open = async (name: string): Promise<Store> => {
    const store = openSqliteStore({ path: directory.file(name), clock })
    await seed(store)
    await store.records.commit({ settle: [settlement({ requestId: 'req_first' })] })
    return store
  }
  const small = await open('small.db')
  const large = await open('large.db')
  fill(directory.file('small.db'), { tokens: 100, requests: 100, prices: 20 })
  fill(directory.file('large.db'), { tokens: 100_000, requests: 100_000, prices: 20_000 })

  const measure = async (store: Store, tokens: number) => ({
    find: await timeOf((round) => store.tokens.findByHash(`many-${1 + ((round * 7919) % tokens)}`)),
    settle: await timeOf((round) =>
      store.records.commit({
        settle: [settlement({ requestId: `req_${round}`, tokenId: 1 + (round % tokens) })],
      }),
    ),
    usage: await timeOf(() => store.records.tokenUsage(1)),
    load: await timeOf(() => store.catalog.load(), 50),
    receipt: await timeOf((round) => store.records.receipt(`req_${round}`)),
  })
  expect(await large.tokens.findByHash('many-99999')).toMatchObject({ name: 'many-99999' })
  const [first] = (await large.catalog.load()).prices
  expect(first).toMatchObject({ model: 'model-0', terms: { perCallNano: 20_000 } })
  const little = await measure(small, 100)
  const much = await measure(large, 100_000)
  for (const [name, time] of Object.entries(much)) {
    const before = little[name as keyof typeof little]
    // A search through 100,000 rows would cost hundreds of times as much.
    expect({ name, slower: time > 4 * before + 20 }).toEqual({ name, slower: false })
  }
  await small.close()
  await large.close()
})
