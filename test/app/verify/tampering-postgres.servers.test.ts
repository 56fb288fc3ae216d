import { Database, type SQLQueryBindings } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { Client } from 'pg'
import { describeDifference } from '../../../src/app/verify/findings.ts'
import { openPostgresStore } from '../../../src/store/postgres/open.ts'
import { createMadeStore } from '../../store/lists/scene.ts'
import { now, temporaryDirectory } from '../../store/support.ts'
import { madeStart } from '../../support/made-ledger.ts'
import {
  administer,
  ask,
  createDatabase,
  hasPostgres,
  type TestDatabase,
} from '../../support/postgres.ts'
import { accounts, makeDatabase, type Outcome, reservation, tamper, verifyStore } from './scene.ts'
import { ledgerTamperings } from './tamper-ledger.ts'
import { requestTamperings } from './tamper-requests.ts'
import { findVictims, type Tampering, type Victims } from './victims.ts'

const count = 800

/** Every row has the same number in both engines, so what is done to the one can be done to the other. */
describe.skipIf(!hasPostgres)('on PostgreSQL', () => {
  const folder = temporaryDirectory()
  const clean = folder.file('clean.db')
  let made: Awaited<ReturnType<typeof createMadeStore>>
  let template: string
  let victims: Victims

  beforeAll(async () => {
    await makeDatabase(clean, count)
    using db = new Database(clean, { readonly: true })
    victims = findVictims(db)
    made = await createMadeStore(count, 'PostgreSQL')
    template = new URL(made.path).pathname.slice(1)
    // Nobody may be connected to what is copied.
    await made.store.close()
    await administer(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${template}'`,
    )
  })
  afterAll(async () => {
    await made[Symbol.asyncDispose]()
    folder[Symbol.dispose]()
  })

  async function verifyDatabase(
    { url }: TestDatabase,
    since?: number,
    isDeep = false,
  ): Promise<Outcome> {
    const store = await openPostgresStore({ url, clock: () => now })
    try {
      return await verifyStore(store.verification, since, isDeep)
    } finally {
      await store.close()
    }
  }

  test('a database with every kind of row agrees with itself', async () => {
    await using database = await createDatabase(template)
    const { verified, found } = await verifyDatabase(database)
    expect(found.map(describeDifference)).toEqual([])
    const sqlite = folder.file('copy.db')
    tamper(clean, sqlite, () => {})
    using db = new Database(sqlite)
    const sums = db
      .query(
        'SELECT (SELECT count(*) FROM ledger) AS entries, sum(amount_nano) AS nano FROM request',
      )
      .get() as { entries: number; nano: number }
    expect(verified).toMatchObject({
      isDamaged: false,
      requests: count + 3,
      accounts,
      reservations: 1,
      entries: sums.entries,
      chargedNano: BigInt(sums.nano),
    })
  })

  test('deep verification uses what the server offers, and says what it does not', async () => {
    await using database = await createDatabase(template)
    const deeply = () => verifyDatabase(database, undefined, true)
    const texts = async () => {
      const { verified, found } = await deeply()
      return { unchecked: verified.unchecked, found: found.map(describeDifference) }
    }
    const compared = expect.stringContaining(
      'not compared page by page: "CREATE EXTENSION amcheck"',
    )
    expect(await texts()).toEqual({ found: [], unchecked: expect.arrayContaining([compared]) })
    await ask(database.url, 'CREATE EXTENSION amcheck')
    const able = await texts()
    expect(able.found).toEqual([])
    expect(able.unchecked).not.toContainEqual(compared)
    await ask(
      database.url,
      `ALTER TABLE ledger ADD CONSTRAINT ledger_size CHECK (amount_nano <> 7) NOT VALID;
       UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'ledger_account'::regclass`,
    )
    expect((await texts()).found).toEqual([
      'table ledger: the constraint ledger_size was never validated',
      'table ledger_account: the index is not valid: REINDEX it',
    ])
  })

  test('verification of what came since a time finds what was changed since, and nothing before', async () => {
    const startOfDay = madeStart + 4 * 86_400_000
    await using database = await createDatabase(template)
    const spoil = (condition: string) =>
      ask(
        database.url,
        `UPDATE request SET tier_above = 7 WHERE id = (
          SELECT min(id) FROM request WHERE amount_nano > 0 AND ${condition})`,
      )
    await spoil(`created_at < ${startOfDay}`)
    const before = await verifyDatabase(database, startOfDay)
    expect(before.found.map(describeDifference)).toEqual([])
    expect(before.verified.requests).toBeWithin(100, count - 100)
    await spoil(`created_at >= ${startOfDay}`)
    const { found } = await verifyDatabase(database, startOfDay)
    expect(found.map(describeDifference)).toEqual([expect.stringContaining('tier_above is 7')])
  })

  test('verification finds rows that name none, which no constraint keeps out', async () => {
    await using database = await createDatabase(template)
    await ask(
      database.url,
      'UPDATE attempt SET channel_id = 77 WHERE request_row = (SELECT max(request_row) FROM attempt)',
    )
    await ask(database.url, "UPDATE reservation SET group_id = 78 WHERE request_id = 'req_open'")
    const { found } = await verifyDatabase(database)
    const dangling = found.map(describeDifference).filter((text) => text.includes('no such'))
    expect(dangling.length).toBeGreaterThan(1)
    expect(dangling[0]).toContain('channel_id is 77, but there is no such channel')
    expect(dangling.at(-1)).toContain('req_open: group_id is 78, but there is no such group')
  })

  test('verification finds what is kept of a budget and is not the sum, and how it is put right', async () => {
    await using database = await createDatabase(template)
    const { url } = database
    const ids = 'SELECT DISTINCT token_id FROM usage_day'
    await ask(url, `UPDATE token SET budget_total_nano = 9000000000000000 WHERE id IN (${ids})`)
    // Of the first token of each account: the 8th has token 36, the 9th 41.
    const setAside = async (...accountIds: readonly number[]) => {
      const store = await openPostgresStore({ url, clock: () => now })
      const asked = accountIds.map((id) => ({ ...reservation(`req_of_${id}`, id), createdAt: now }))
      await store.records.commit({ reserve: asked })
      await store.close()
    }
    await setAside(7, 8, 9)
    expect((await verifyDatabase(database)).found).toEqual([])
    await ask(url, 'UPDATE token_spending SET day_nano = 7, reserved_nano = 8 WHERE token_id = 36')
    await ask(url, 'UPDATE token_spending SET total_nano = -1 WHERE token_id = 41')
    const { found } = await verifyDatabase(database)
    const texts = found.map(describeDifference)
    expect(texts).toHaveLength(2)
    expect(texts[0]).toMatch(
      /^token_spending of token 36, 2026-11-21: day_nano is 7, should be 0; reserved_nano is 8, should be 1000000: /,
    )
    expect(texts[1]).toMatch(
      /^token_spending of token 41, .*: total_nano is -1, should be \d+: the sum/,
    )
    await ask(url, 'DELETE FROM token_spending WHERE token_id IN (36, 41)')
    await setAside(8, 9)
    expect((await verifyDatabase(database)).found).toEqual([])
  })

  test.each(Object.entries({ ...requestTamperings, ...ledgerTamperings }))(
    'verification finds: %s',
    async (_: string, { change, expected, text }: Tampering) => {
      const done: [string, unknown[]][] = []
      tamper(clean, folder.file('noted.db'), (db) => change(noting(db, done), victims))
      await using database = await createDatabase(template)
      await repeat(database, done)
      const { found } = await verifyDatabase(database)
      const rows = found.map(({ kind, row }) => `${kind}: ${row}`).sort()
      expect(rows).toEqual([...expected(victims)].sort())
      expect(found.map(describeDifference).join('\n')).toMatch(text(victims))
    },
  )
})

/** A database that notes what is done to it. */
function noting(db: Database, done: [string, unknown[]][]): Database {
  return new Proxy(db, {
    get(target, name) {
      if (name === 'run') {
        return (sql: string, values: SQLQueryBindings[] = []) => {
          done.push([sql, values])
          return target.run(sql, values)
        }
      }
      if (name === 'query') {
        return (sql: string) => ({
          get(...values: SQLQueryBindings[]) {
            done.push([sql, values])
            return target.query(sql).get(...values)
          },
        })
      }
      throw new Error(`A tampering uses "${String(name)}", which is not noted.`)
    },
  })
}

/** The sums of all tokens are a view of several rows each: who forges them has to forge the view. */
const forgeable = `CREATE TABLE forged AS SELECT * FROM usage_total; DROP VIEW usage_total;
  ALTER TABLE forged RENAME TO usage_total`

async function repeat({ url }: TestDatabase, done: readonly [string, unknown[]][]): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(forgeable)
    for (const [sql, values] of done) {
      let place = 0
      await client.query(
        sql.replace(/\?/g, () => `$${++place}`),
        values,
      )
    }
  } finally {
    await client.end()
  }
}
