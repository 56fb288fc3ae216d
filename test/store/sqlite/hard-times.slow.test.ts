import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { openSqliteStore } from '../../../src/store/sqlite/open.ts'
import { collect, now, seed, temporaryDirectory } from '../support.ts'

const clock = () => now
const writer = join(import.meta.dir, 'writer.ts')

/** What must be true of a database whatever happened to the process that wrote it. */
async function expectSound(path: string, acknowledged: readonly string[]): Promise<void> {
  const store = openSqliteStore({ path, clock })
  const requests = await collect(store.records.exportRequests({}))
  const ledger = await collect(store.records.exportLedger({}))
  const account = await store.admin.account('ann@example.com')
  const usage = await store.records.tokenUsage(1)
  await store.close()

  const stored = new Set(requests.map((request) => request.requestId))
  expect(stored.size).toBe(requests.length)
  expect(acknowledged.filter((id) => !stored.has(id))).toEqual([])
  const charged = ledger.flatMap((entry) => entry.requestId ?? [])
  expect(new Set(charged)).toEqual(stored)
  expect(charged).toHaveLength(stored.size)
  const sum = ledger.reduce((total, entry) => total + entry.amountNano, 0)
  expect(account?.balanceNano).toBe(sum)
  expect(usage.requests).toBe(stored.size)

  const db = new Database(path)
  expect(db.query('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' })
  expect(db.query('PRAGMA foreign_key_check').all()).toEqual([])
  db.close()
}

test('a killed process leaves every acknowledged settlement in the database, once', async () => {
  using directory = temporaryDirectory()
  const path = directory.file('gate.db')
  const store = openSqliteStore({ path, clock })
  await seed(store)
  await store.close()
  const acknowledged: string[] = []
  for (const least of [40, 300, 1100]) {
    const run = Bun.spawn([process.execPath, writer, path], { stdout: 'pipe', stderr: 'inherit' })
    let rest = ''
    let seen = 0
    for await (const chunk of run.stdout.pipeThrough(new TextDecoderStream())) {
      const lines = (rest + chunk).split('\n')
      rest = lines.pop() ?? ''
      acknowledged.push(...lines)
      seen += lines.length
      if (seen >= least) run.kill('SIGKILL')
    }
    await run.exited
    expect(run.signalCode).toBe('SIGKILL')
  }
  expect(acknowledged.length).toBeGreaterThan(1400)
  await expectSound(path, acknowledged)
})

test('a full disk is told, loses nothing that was acknowledged, and can be lived through', async () => {
  using directory = temporaryDirectory()
  const path = directory.file('gate.db')
  const store = openSqliteStore({ path, clock })
  await seed(store)
  await store.close()
  // A limit on the size of files stands for the end of the disk; its signal is ignored.
  const command = `trap '' XFSZ; ulimit -f 6000; exec "$0" "$1" "$2"`
  const run = Bun.spawn(['sh', '-c', command, process.execPath, writer, path], {
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [out, failure] = await Promise.all([
    new Response(run.stdout).text(),
    new Response(run.stderr).text(),
  ])
  expect(await run.exited).toBe(1)
  expect(failure).toContain(`The database ${path} can`)
  const acknowledged = out.trim().split('\n')
  expect(acknowledged.length).toBeGreaterThan(50)
  await expectSound(path, acknowledged)
})
