import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { openSqliteStore } from '../../../src/store/sqlite/open.ts'
import { now, seed, temporaryDirectory } from '../support.ts'

const row = {
  ...{ channelId: 1, key: '', model: '', cause: 'connect_failed', rounds: 1 },
  ...{ since: now, until: now + 1_000 },
}

test('saving what cools leaves the others free while another process is writing', async () => {
  using directory = temporaryDirectory()
  const store = openSqliteStore({ path: directory.file('gate.db'), clock: () => now })
  await seed(store)
  const other = new Database(directory.file('gate.db'))
  // A machine may stall, and not each time.
  let takenMs = Number.POSITIVE_INFINITY
  for (let round = 0; round < 5 && takenMs >= 100; round++) {
    other.run('BEGIN IMMEDIATE')
    const started = performance.now()
    const saving = store.health.save([row], [])
    takenMs = performance.now() - started
    other.run('ROLLBACK')
    await saving
  }
  other.close()
  expect(takenMs).toBeLessThan(100)
  expect(await store.health.load()).toEqual([row])
  await store.close()
})
