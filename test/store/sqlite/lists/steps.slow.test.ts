import { Database, type SQLQueryBindings } from 'bun:sqlite'
import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { ListStore } from '../../../../src/store/ports/lists.ts'
import { createLists } from '../../../../src/store/queries/lists/store.ts'
import { createSource } from '../../../../src/store/sqlite/engine.ts'
import { fillLedger } from '../../../bench/fill-ledger.ts'
import { madeStart } from '../../../support/made-ledger.ts'
import { readPages } from '../../lists/scene.ts'
import { now, temporaryDirectory } from '../../support.ts'
import { createNotingEngine } from './scene.ts'

// A search through far more rows of an index than one step looks at.

const directory = temporaryDirectory()
const path = directory.file('few-accounts.db')
let db: Database
let reader: ReturnType<typeof createNotingEngine>
let lists: ListStore

beforeAll(async () => {
  await fillLedger(path, 40_000, {
    ...{ start: madeStart, stepMs: 1_000, accounts: 3, tokensPerAccount: 3 },
    ...{ moreModels: 0, skew: 1 },
  })
  db = new Database(path, { readonly: true })
  reader = createNotingEngine(path)
  // Every statement counts as a quick one, and no page is ended by its time: how many steps there are
  // does not depend on the machine.
  const always = Number.POSITIVE_INFINITY
  const source = { ...createSource(reader), quickMs: always, searchMs: always }
  lists = createLists(source, () => now)
})
afterAll(async () => {
  reader[Symbol.dispose]()
  db.close()
  directory[Symbol.dispose]()
})

const idsOf = (text: string, ...values: SQLQueryBindings[]) =>
  db
    .query<{ id: string }, SQLQueryBindings[]>(text)
    .all(...values)
    .map(({ id }) => id)

test.each([
  ['of an account and a model', { accountId: 1, model: 'pro' }, "account_id = 1 AND model = 'pro'"],
  ['of a token', { tokenId: 1 }, 'token_id = 1'],
  [
    'that failed with a model',
    { outcome: 'failed', model: 'pro' },
    "cause IS NOT NULL AND model = 'pro'",
  ],
] as const)('requests %s: all come, newest first, and each once', async (_, filter, where) => {
  reader.asked.length = 0
  const rows = await readPages((page) => lists.requests(filter, { ...page, isCounted: false }), 500)
  const known = idsOf(
    `SELECT request_id AS id FROM request WHERE ${where} ORDER BY request.id DESC`,
  )
  expect(known.length).toBeGreaterThan(100)
  expect(rows.map(({ requestId }) => requestId)).toEqual(known)
  // More than once it was looked for where a step ends.
  expect(reader.asked.filter(({ sql }) => sql.includes('OFFSET')).length).toBeGreaterThan(1)
})

test('tries that failed, of a channel: all come, those of one request together', async () => {
  const rows = await readPages(
    (page) =>
      lists.attempts({ outcome: 'failed', channel: 'second' }, { ...page, isCounted: false }),
    500,
  )
  const known = idsOf(`SELECT request_id || ' ' || position AS id FROM attempt
    JOIN request ON request.id = request_row
    WHERE attempt.cause IS NOT NULL AND attempt.channel_id = (SELECT id FROM channel WHERE name = 'second')
    ORDER BY request_row DESC, position DESC`)
  expect(known.length).toBeGreaterThan(100)
  expect(rows.map(({ requestId, position }) => `${requestId} ${position}`)).toEqual(known)
})
