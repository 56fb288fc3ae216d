import { expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { createBackupFolder } from '../../../src/app/console/maintenance.ts'
import type { JobProgress } from '../../../src/app/jobs/child.ts'
import { runChild } from '../../../src/app/jobs/child.ts'
import { createJobs, type Jobs } from '../../../src/app/jobs/jobs.ts'
import { ownProgram } from '../../../src/app/own-program.ts'
import { isoTime } from '../../../src/lib/format.ts'
import { openSqliteStore } from '../../../src/store/sqlite/open.ts'
import { createTempDir } from '../../support/temp-dir.ts'

const clock = () => Date.UTC(2026, 10, 21, 8, 30, 12)

async function makeDatabase(folder: string): Promise<string> {
  const path = join(folder, 'tollgate.db')
  const store = openSqliteStore({ path, clock })
  const account = { email: 'a@example.com', role: 'user', status: 'active' } as const
  await store.admin.write({ accounts: [{ ...account, openingNano: 5 }] })
  await store.close()
  return path
}

const ended = async (jobs: Jobs, id: string) => {
  for (;;) {
    const job = jobs.find(id)
    if (job && job.state !== 'running') return job
    await Bun.sleep(5)
  }
}

test('a verification in a process of its own finds what is wrong, in words', async () => {
  using folder = createTempDir()
  const database = await makeDatabase(folder.path)
  const seen: JobProgress[] = []
  const verify = () =>
    runChild({
      command: [...ownProgram(), 'job', 'verify', database],
      onProgress: (progress) => seen.push(progress),
      signal: new AbortController().signal,
    })
  expect(await verify()).toMatchObject({
    verify: { valid: true, differences_total: 0, accounts: 1, charged: '0' },
  })
  expect(seen.map(({ part }) => part)).toContain('ledger entries')
  const { Database } = await import('bun:sqlite')
  using db = new Database(database)
  db.run('UPDATE account SET balance_nano = 7')
  const result = await verify()
  expect(result).toMatchObject({ verify: { valid: false, differences_total: 1 } })
  const [found] = result.verify?.differences ?? []
  expect(found).toMatchObject({
    kind: 'balance',
    changes: [{ field: 'balance_nano', stored: '7', expected: '5' }],
  })
  expect(found?.text).toContain('a@example.com')
})

test('a backup in a process of its own is a file beside the database', async () => {
  using folder = createTempDir()
  const database = await makeDatabase(folder.path)
  const backups = createBackupFolder(database)
  const file = await backups.next(clock())
  expect(file).toEndWith('/backups/tollgate-20261121-083012.db')
  expect((await stat(join(folder.path, 'backups'))).mode & 0o777).toBe(0o700)
  const result = await runChild({
    command: [...ownProgram(), 'job', 'backup', database, file],
    onProgress: () => {},
    signal: new AbortController().signal,
  })
  expect(result).toMatchObject({ backup: { name: 'tollgate-20261121-083012.db', accounts: 1 } })
  expect(await backups.list()).toMatchObject([{ name: 'tollgate-20261121-083012.db' }])
  expect(existsSync(`${file}.secret`)).toBe(false)
  expect(await backups.next(clock())).toEndWith('/tollgate-20261121-083012-2.db')
  expect(await backups.remove('tollgate-20261121-083012.db')).toBe(true)
  expect(await backups.list()).toEqual([])
})

test('no name leads out of the folder of backups', async () => {
  using folder = createTempDir()
  const database = await makeDatabase(folder.path)
  const backups = createBackupFolder(database)
  await backups.next(clock())
  for (const name of ['../tollgate.db', '..', '', '/etc/passwd', 'tollgate.db', '.']) {
    expect(await backups.find(name)).toBeUndefined()
    expect(await backups.remove(name)).toBe(false)
  }
  expect(existsSync(database)).toBe(true)
})

test('what a job can not do is told in its own words', async () => {
  using folder = createTempDir()
  const missing = join(folder.path, 'missing.db')
  const target = join(folder.path, 'copy.db')
  const run = runChild({
    command: [...ownProgram(), 'job', 'backup', missing, target],
    onProgress: () => {},
    signal: new AbortController().signal,
  })
  expect(run).rejects.toThrow(/There is no database/)
})

test('one of a kind runs at a time, and can be ended', async () => {
  const jobs = createJobs(clock)
  const work = (_: unknown, signal: AbortSignal) =>
    new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(new Error('ended')))
    })
  const first = jobs.start('verify', 'a@example.com', work)
  expect(jobs.start('verify', 'a@example.com', work)).toBeUndefined()
  expect(jobs.start('backup', 'a@example.com', work)).toBeDefined()
  await jobs.cancel(first?.id ?? '')
  expect(jobs.find(first?.id ?? '')).toMatchObject({
    state: 'cancelled',
    ended_at: isoTime(clock()),
  })
  await jobs.stop()
  expect(jobs.list().map(({ state }) => state)).toEqual(['cancelled', 'cancelled'])
  const failing = jobs.start('verify', 'a@example.com', async () => {
    throw new Error('no room')
  })
  expect(await ended(jobs, failing?.id ?? '')).toMatchObject({
    state: 'failed',
    failure: 'no room',
  })
})

test('a process that is ended leaves no file behind', async () => {
  using folder = createTempDir()
  const database = await makeDatabase(folder.path)
  const controller = new AbortController()
  const run = runChild({
    command: [...ownProgram(), 'job', 'backup', database, join(folder.path, 'copy.db')],
    onProgress: () => controller.abort(),
    signal: controller.signal,
  })
  await run.catch(() => undefined)
  const left = (await readdir(folder.path)).filter((name) => name.includes('copy'))
  expect(left.filter((name) => name !== 'copy.db')).toEqual([])
})
