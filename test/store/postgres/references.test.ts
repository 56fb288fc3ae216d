import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { references } from '../../../src/store/postgres/verification.ts'
import { openSqliteStore } from '../../../src/store/sqlite/open.ts'
import { now, temporaryDirectory } from '../support.ts'

test('what SQLite keeps by constraints in the tables of requests is looked for on PostgreSQL', async () => {
  using directory = temporaryDirectory()
  const path = directory.file('gate.db')
  await openSqliteStore({ path, clock: () => now }).close()
  using db = new Database(path, { readonly: true })
  for (const { table, keys, columns } of references) {
    const kept = db
      .query<{ from: string; table: string }, [string]>('SELECT * FROM pragma_foreign_key_list(?)')
      .all(table)
      .filter((one) => !(table === 'attempt' && one.table === 'request'))
    expect(columns).toEqual(Object.fromEntries(kept.map((one) => [one.from, one.table])))
    const own = db
      .query('SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk')
      .all(table)
    expect(own).toEqual(keys.map((name) => ({ name })))
  }
})
