import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { checkAtStart } from '../../src/app/verify/check-sums.ts'
import { createLogger } from '../../src/lib/log.ts'
import { openSqliteStore } from '../../src/store/sqlite/open.ts'
import { temporaryDirectory } from '../store/support.ts'
import { makeDatabase } from './verify/scene.ts'

/** What is said of a database that begins to be served. */
async function said(path: string): Promise<readonly Record<string, unknown>[]> {
  const lines: string[] = []
  const sink = (line: string) => lines.push(line)
  const log = createLogger({ sink, pretty: false, clock: Date.now, level: 'info' })
  const store = openSqliteStore({ path, clock: Date.now })
  const check = checkAtStart(store.verification, log, 0)
  await check.done
  await check.stop()
  await store.close()
  return lines.map((line) => JSON.parse(line))
}

test('a database that is damaged is told of when it begins to be served, and a sound one is not', async () => {
  using folder = temporaryDirectory()
  const path = folder.file('made.db')
  await makeDatabase(path, 300)
  expect(await said(path)).toEqual([])
  const db = new Database(path)
  const index = 'SELECT pgoffset AS at FROM dbstat WHERE name = ? LIMIT 1'
  const { at } = db.query<{ at: number }, [string]>(index).get('ledger_account') ?? { at: 0 }
  db.run('PRAGMA wal_checkpoint(TRUNCATE)')
  db.close()
  const bytes = Buffer.from(await Bun.file(path).arrayBuffer())
  bytes.fill(0xa5, at + 8, at + 108)
  await Bun.write(path, bytes)
  const lines = await said(path)
  expect(lines.length).toBeGreaterThan(0)
  expect(lines[0]).toMatchObject({
    ...{ level: 'error', message: expect.stringContaining('tollgate verify --deep') },
    found: expect.stringMatching(/^table ledger: /),
  })
})

test('a gateway that ends does not wait for it, and nobody hears of a database in memory', async () => {
  expect(await said(':memory:')).toEqual([])
  const log = createLogger({ sink: () => {}, pretty: false, clock: Date.now, level: 'info' })
  let isAborted = false
  const checkSoon = (signal: AbortSignal) =>
    new Promise<never[]>((resolve) => {
      signal.addEventListener('abort', () => {
        isAborted = true
        resolve([])
      })
    })
  await checkAtStart({ checkSoon }, log, 0).stop()
  expect(isAborted).toBeTrue()
})
