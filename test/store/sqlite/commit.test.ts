import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { openSqliteStore } from '../../../src/store/sqlite/open.ts'
import { now, seed, settlement, temporaryDirectory } from '../support.ts'

test('throws and keeps nothing while another process holds the write lock, then goes on', async () => {
  using directory = temporaryDirectory()
  const path = directory.file('gate.db')
  const locked = openSqliteStore({ path, clock: () => now, busyTimeoutMs: 30 })
  await seed(locked)
  const other = new Database(path)
  other.run('BEGIN IMMEDIATE')
  const batch = [settlement({ requestId: 'req_1' })]
  await expect(locked.records.commit({ settle: batch })).rejects.toThrow(
    `The database ${path} is locked by another process`,
  )
  expect((await locked.tokens.findByHash('hash-1'))?.account.balanceNano).toBe(1_000_000_000)
  other.run('ROLLBACK')
  other.close()
  expect((await locked.records.commit({ settle: batch })).accounts).toEqual([
    { accountId: 1, balanceNano: 999_999_900 },
  ])
  await locked.close()
})
