import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { ListStore, PageAsked } from '../../../src/store/ports/lists.ts'
import { createLists } from '../../../src/store/queries/lists/store.ts'
import { madeStart } from '../../support/made-ledger.ts'
import { ask, hasPostgres, type TestDatabase } from '../../support/postgres.ts'
import { rounds } from '../../support/rounds.ts'
import { readPages } from '../lists/scene.ts'
import { now } from '../support.ts'
import { createLarge } from './large.ts'
import { createNotingSource, type NotingSource, type PlanNode } from './noting.ts'

/** So many that each growing table has more rows than a statement may look through. */
const count = rounds(80_000, 100_000)

/** Tables that grow with the requests. */
const growing = ['request', 'attempt', 'ledger', 'usage_day']
const page = { size: 50 }
const upwards = { ...page, isAscending: true }
const byName = { ...page, isByName: true }
const since = madeStart + 86_400_000
const usage = { sinceDay: '2026-10-01', untilDay: '2026-10-03' }

type Ask = (lists: ListStore) => Promise<unknown>

/** What is asked, and which index leads to it; a list without one comes in order of its own keys. */
const questions: readonly (readonly [name: string, index: string, ask: Ask])[] = [
  ['requests', 'request_row', (from) => from.requests({}, page)],
  ['requests of an account', 'request_account', (from) => from.requests({ accountId: 7 }, page)],
  [
    'requests of an account and a model',
    'request_account',
    (from) => from.requests({ accountId: 7, model: 'pro' }, page),
  ],
  ['requests of a token', 'request_account', (from) => from.requests({ tokenId: 7 }, page)],
  ['failures', 'request_failed', (from) => from.requests({ outcome: 'failed' }, page)],
  [
    'failures of an account',
    'request_failed',
    (from) => from.requests({ outcome: 'failed', accountId: 7 }, page),
  ],
  [
    'requests with a cause',
    'request_failed',
    (from) => from.requests({ cause: 'interrupted' }, page),
  ],
  ['requests of a group', 'request_row', (from) => from.requests({ group: 'flat' }, page)],
  [
    'requests in a span',
    'request_created_at',
    (from) => from.requests({ since, until: since + 1e7 }, page),
  ],
  [
    'requests in a long span',
    'request_created_at',
    (from) => from.requests({ since, until: since * 2 }, page),
  ],
  [
    'a request',
    'request_request_id_key',
    (from) => from.requests({ requestId: `req_${since.toString(16).padStart(12, '0')}7` }, page),
  ],
  ['attempts', 'attempt_pkey', (from) => from.attempts({}, page)],
  [
    'failed attempts of a channel',
    'attempt_failed',
    (from) => from.attempts({ outcome: 'failed', channel: 'second', since }, page),
  ],
  ['ledger', 'ledger_pkey', (from) => from.ledger({}, page)],
  ['the ledger of an account', 'ledger_account', (from) => from.ledger({ accountId: 7 }, page)],
  [
    'credits of an account',
    'ledger_by_hand',
    (from) => from.ledger({ accountId: 7, kinds: ['credit'] }, page),
  ],
  [
    'the ledger in a span',
    'ledger_created_at',
    (from) => from.ledger({ since, until: since + 1e7 }, page),
  ],
  ['audit', '', (from) => from.audit({}, page)],
  ['accounts', '', (from) => from.accounts({ search: 'account-1' }, page)],
  ['tokens', 'usage_day_pkey', (from) => from.tokens({ search: 'token-1' }, page)],
  ['tokens of an account', 'usage_day_pkey', (from) => from.tokens({ accountId: 7 }, page)],
  ['requests, oldest first', 'request_row', (from) => from.requests({}, upwards)],
  [
    'requests of an account, oldest first',
    'request_account',
    (from) => from.requests({ accountId: 7 }, upwards),
  ],
  ['attempts, oldest first', 'attempt_pkey', (from) => from.attempts({}, upwards)],
  ['accounts by e-mail', 'account_email', (from) => from.accounts({}, byName)],
  // An account has few tokens: PostgreSQL sorts those that this one finds.
  ['tokens by name', 'token_owner', (from) => from.tokens({ accountId: 7 }, byName)],
  ['usage of an account', 'usage_day_pkey', (from) => from.usage({ ...usage, accountId: 7 })],
  ['usage of a token', 'usage_day_pkey', (from) => from.usage({ ...usage, tokenId: 7 })],
  ['usage', '', (from) => from.usage(usage)],
  ['totals', '', (from) => from.totals(usage.sinceDay, usage.untilDay)],
  ['new requests', 'request_row', (from) => from.newRequests(count - 20, undefined, 50)],
  [
    'new requests of an account',
    'request_account',
    (from) => from.newRequests(count - 20_000, 7, 50),
  ],
]

/** Of one statement: what a step of a search looks through, and what is counted. */
const mostRows = 16_000

const readBy = (node: PlanNode) =>
  (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops']

const isWhole = (node: PlanNode) =>
  growing.includes(node['Relation Name']?.replace(/_\d{4}_q\d$/, '') ?? '') &&
  readBy(node) > mostRows

/** What the server knows of the tables: how much there is, and which values. */
const knowledge: readonly (readonly [name: string, prepare: (url: string) => Promise<void>])[] = [
  ['as they are', async () => {}],
  ['when they were small', forgetGrowth],
  ['not at all', forgetAll],
]

/** Tables and their partitions. */
const withPartitions = `SELECT relid FROM unnest(ARRAY['${growing.join("', '")}']) AS name,
  pg_partition_tree(name::regclass)`

/** As after a restored dump, or where nobody looks at the tables any more. */
async function forgetAll(url: string): Promise<void> {
  const tables = withPartitions
  await ask(url, `DELETE FROM pg_statistic WHERE starelid IN (${tables})`)
  await ask(
    url,
    `UPDATE pg_class SET relpages = 0, reltuples = -1, relallvisible = 0 WHERE oid IN (${tables})
      OR oid IN (SELECT indexrelid FROM pg_index WHERE indrelid IN (${tables}))`,
  )
}

/** As when very many requests have come since the server last looked at the tables. */
async function forgetGrowth(url: string): Promise<void> {
  for (const table of growing) {
    const key =
      { attempt: 'request_row, position', usage_day: 'token_id, day, model' }[table] ?? 'id'
    const leaves = `SELECT relid::regclass AS name FROM pg_partition_tree('${table}') WHERE isleaf`
    for (const { name } of await ask<{ name: string }>(url, leaves))
      await ask(url, `ALTER TABLE ${name} SET (autovacuum_enabled = off)`)
    await ask(url, `CREATE TABLE rest AS SELECT * FROM ${table} ORDER BY ${key}`)
    await ask(url, `TRUNCATE ${table}`)
    await ask(url, `INSERT INTO ${table} SELECT * FROM rest ORDER BY ${key} LIMIT 1000`)
    await ask(url, `VACUUM (ANALYZE) ${table}`)
    await ask(url, `INSERT INTO ${table} SELECT * FROM rest ORDER BY ${key} OFFSET 1000`)
    await ask(url, 'DROP TABLE rest')
  }
}

describe.skipIf(!hasPostgres)('lists of PostgreSQL with very many requests', () => {
  let database: TestDatabase
  let noting: NotingSource
  /** The indexes of partitions, with those that they are part of. */
  let parents: ReadonlyMap<string | undefined, string>

  beforeAll(async () => {
    database = await createLarge(count)
    const { url } = database
    const inherited = await ask<{ part: string; whole: string }>(
      url,
      'SELECT inhrelid::regclass::text AS part, inhparent::regclass::text AS whole FROM pg_inherits',
    )
    parents = new Map(inherited.map(({ part, whole }) => [part, whole]))
    noting = createNotingSource(url)
    const counts = growing.map((name) => `SELECT '${name}' AS name, count(*) AS rows FROM ${name}`)
    const found = await ask<{ name: string; rows: number }>(url, counts.join(' UNION ALL '))
    expect(found.filter(({ rows }) => rows <= mostRows)).toEqual([])
  }, 120_000)
  afterAll(async () => {
    await noting[Symbol.asyncDispose]()
    await database[Symbol.asyncDispose]()
  })

  describe.each(knowledge)('whose tables it knows %s', (_, prepare) => {
    let lists: ListStore
    beforeAll(async () => {
      await prepare(database.url)
      lists = createLists(noting.source, () => now)
    }, 120_000)

    test.each(questions)(
      '%s: found by an index (%s), a page in memory',
      async (_, index, askFor) => {
        noting.asked.length = 0
        await askFor(lists)
        const { asked } = noting
        expect(asked.length).toBeWithin(1, 30)
        expect(Math.max(...asked.map(({ rows }) => rows))).toBeLessThanOrEqual(51)
        const plan = (await Promise.all(asked.map(noting.planOf))).flat()
        expect(plan.filter(isWhole)).toEqual([])
        const names = plan.map((node) => parents.get(node['Index Name']) ?? node['Index Name'])
        if (index !== '') expect(names).toContain(index)
      },
    )

    test('a rare request is looked for in steps, each of which reads a bounded part', async () => {
      noting.asked.length = 0
      const filter = { model: 'nobody-has-17' }
      // However slow the machine: what is cut short goes on.
      const list = (asked: PageAsked) => lists.requests(filter, { ...asked, isCounted: false })
      const rows = await readPages(list, 50)
      const known = `SELECT count(*) AS count FROM request WHERE model = '${filter.model}'`
      expect(await ask(database.url, known)).toEqual([{ count: rows.length }])
      const steps = noting.asked.filter(({ sql }) => sql.includes('model ='))
      expect(steps.length).toBeGreaterThan(2)
      for (const step of steps) expect((await noting.planOf(step)).filter(isWhole)).toEqual([])
    })

    test('an export holds a page at a time, and reads a bounded part for each', async () => {
      noting.asked.length = 0
      let seen = 0
      for await (const { id } of lists.exportRequests({ outcome: 'succeeded' })) {
        if (id > 0 && ++seen === 2_500) break
      }
      expect(seen).toBe(2_500)
      const { asked } = noting
      expect(asked.length).toBeLessThan(2 * Math.ceil(seen / 100) + 4)
      expect(Math.max(...asked.map(({ rows }) => rows))).toBe(100)
      for (const one of [...asked]) expect((await noting.planOf(one)).filter(isWhole)).toEqual([])
    })
  })
})
