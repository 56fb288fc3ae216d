import type { Database } from 'bun:sqlite'
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { describeDifference } from '../../../src/app/verify/findings.ts'
import { temporaryDirectory } from '../../store/support.ts'
import { madeStart } from '../../support/made-ledger.ts'
import { makeDatabase, tamper, verifyFile } from './scene.ts'

const dayMs = 86_400_000
/** In the middle of a day, with requests of some days on either side. */
const since = madeStart + 4.5 * dayMs
const startOfDay = madeStart + 4 * dayMs

const folder = temporaryDirectory()
const clean = folder.file('clean.db')
// So many that some have requests before, and none since.
const accounts = 200
beforeAll(() => makeDatabase(clean, 1_200, accounts))
afterAll(() => folder[Symbol.dispose]())

async function foundAfter(change: (db: Database) => unknown): Promise<readonly string[]> {
  const path = folder.file('tampered.db')
  tamper(clean, path, change)
  const { found } = await verifyFile(path, since)
  return found.map(describeDifference)
}

const oneRequest = (condition: string) =>
  `(SELECT request.id FROM request JOIN ledger USING (request_id) WHERE ${condition} LIMIT 1)`

test('only requests and entries since then are looked at, and all is well', async () => {
  const { verified, found } = await verifyFile(clean, since)
  expect(found.map(describeDifference)).toEqual([])
  expect(verified.requests).toBeGreaterThan(400)
  expect(verified.requests).toBeLessThan(800)
  expect(verified.entries).toBeLessThan(verified.requests)
})

test('a request before is left alone, one after is found', async () => {
  const spoil = (condition: string) => (db: Database) =>
    db.run(`UPDATE request SET tier_above = 7 WHERE id = ${oneRequest(condition)}`)
  expect(await foundAfter(spoil(`request.created_at < ${startOfDay}`))).toEqual([])
  expect(await foundAfter(spoil(`request.created_at >= ${since}`))).toEqual([
    expect.stringContaining('tier_above is 7'),
  ])
})

test('a balance follows from the entry before; older ones are taken as they are', async () => {
  const spoil = (condition: string) => (db: Database) =>
    db.run(`UPDATE ledger SET balance_after_nano = 7 WHERE id = (
      SELECT ledger.id FROM ledger JOIN request USING (request_id) WHERE ${condition} AND EXISTS (
        SELECT 1 FROM ledger AS later JOIN request AS late USING (request_id)
        WHERE later.account_id = ledger.account_id AND later.id > ledger.id
        AND late.created_at < ${startOfDay}
      ) LIMIT 1)`)
  expect(await foundAfter(spoil(`request.created_at < ${startOfDay}`))).toEqual([])
  const newest = 'SELECT max(id) FROM ledger GROUP BY account_id'
  const found = await foundAfter((db) =>
    db.run(
      `UPDATE ledger SET balance_after_nano = 7 WHERE id = (SELECT id FROM ledger
       WHERE created_at >= ${since} AND id NOT IN (${newest}) LIMIT 1)`,
    ),
  )
  expect(found).toEqual([expect.stringContaining('balance_after_nano is 7')])
})

test('balances of accounts with entries since then, and of those without, are held to them', async () => {
  const spoil = (condition: string) => (db: Database) =>
    db.run(`UPDATE account SET balance_nano = 7 WHERE id = (SELECT id FROM account WHERE ${condition}
      (SELECT 1 FROM ledger WHERE account_id = account.id AND created_at >= ${since}) LIMIT 1)`)
  for (const [condition, reason] of [
    ['EXISTS', 'the sum of its ledger entries'],
    ['NOT EXISTS', 'what its newest ledger entry left'],
  ] as const) {
    const found = await foundAfter(spoil(condition))
    expect(found).toEqual([
      expect.stringMatching(new RegExp(`balance_nano is 7, should be \\d+: ${reason}`)),
    ])
  }
})

test('daily sums are checked from the beginning of that day on', async () => {
  const spoil = (day: string) => (db: Database) =>
    db.run(`UPDATE usage_day SET requests = 77 WHERE
      (token_id, day, model) = (SELECT token_id, day, model FROM usage_day WHERE day ${day} LIMIT 1)`)
  expect(await foundAfter(spoil("< '2026-10-05'"))).toEqual([])
  for (const day of ["= '2026-10-05'", "> '2026-10-05'"]) {
    expect(await foundAfter(spoil(day))).toEqual([
      expect.stringMatching(/requests is 77, should be \d+: the sum of its requests/),
    ])
  }
})

test('totals of all tokens are checked from the beginning of that day on', async () => {
  const spoil = (day: string) => (db: Database) =>
    db.run(`UPDATE usage_total SET requests = 77777 WHERE
      (day, model) = (SELECT day, model FROM usage_total WHERE day ${day} LIMIT 1)`)
  expect(await foundAfter(spoil("< '2026-10-05'"))).toEqual([])
  for (const day of ["= '2026-10-05'", "> '2026-10-05'"]) {
    expect(await foundAfter(spoil(day))).toEqual([
      expect.stringMatching(/^usage_total of .* requests is 77777, should be \d+: the sum of/),
    ])
  }
})

test('a time in the future leaves nothing but balances and reservations', async () => {
  const { verified, found } = await verifyFile(clean, madeStart + 1000 * dayMs)
  expect(found).toEqual([])
  expect(verified).toMatchObject({ requests: 0, entries: 0, accounts, reservations: 1 })
})
