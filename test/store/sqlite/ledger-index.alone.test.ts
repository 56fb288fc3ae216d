import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { openSqliteStore } from '../../../src/store/sqlite/open.ts'
import { accountWrite, now, seed, temporaryDirectory } from '../support.ts'

test('the ledger of an account is found by an index, however large the table is', async () => {
  using directory = temporaryDirectory()
  const path = directory.file('a.db')
  const large = openSqliteStore({ path, clock: () => now })
  await seed(large)
  await large.admin.write({ accounts: [accountWrite({ email: 'bob@example.com' })] })
  const db = new Database(path)
  db.run(`WITH RECURSIVE series (value) AS
      (SELECT 1 UNION ALL SELECT value + 1 FROM series WHERE value < 300000)
    INSERT INTO ledger (created_at, account_id, kind, amount_nano, balance_after_nano)
    SELECT 0, 2, 'credit', 0, 0 FROM series`)
  db.close()
  // The quickest of many: reading all rows takes tens of milliseconds every time.
  let quickestMs = Number.POSITIVE_INFINITY
  for (let round = 0; round < 20; round++) {
    const started = performance.now()
    await large.admin.ledger('ann@example.com', 50)
    quickestMs = Math.min(quickestMs, performance.now() - started)
  }
  expect(quickestMs).toBeLessThan(3)
  await large.close()
})
