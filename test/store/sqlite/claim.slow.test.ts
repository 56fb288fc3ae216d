import { afterEach, beforeEach, expect, test } from 'bun:test'
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { createClaim } from '../../../src/store/sqlite/file.ts'
import { openSqliteStore } from '../../../src/store/sqlite/open.ts'
import { collect, now, seed, settlement, temporaryDirectory } from '../support.ts'
import { rowsOf, writeOldVersion } from './old-version.ts'

const program = join(import.meta.dir, 'claimer.ts')

let directory: ReturnType<typeof temporaryDirectory>
let path: string

beforeEach(() => {
  directory = temporaryDirectory()
  path = directory.file('gate.db')
})
afterEach(() => directory[Symbol.dispose]())

const open = (at = path) => openSqliteStore({ path: at, clock: () => now })

/** Another process that claims the database: what it was told, and ways to end it. */
async function claimElsewhere() {
  const child = Bun.spawn([process.execPath, program, path], {
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'inherit',
  })
  const { value } = await child.stdout.getReader().read()
  return {
    told: new TextDecoder().decode(value).trim(),
    async leave() {
      child.stdin.end()
      await child.exited
    },
    async kill() {
      child.kill('SIGKILL')
      await child.exited
    },
  }
}

test('one of two processes has it, until it ends', async () => {
  const first = await claimElsewhere()
  const second = await claimElsewhere()
  expect([first.told, second.told]).toEqual(['claimed', 'refused'])
  const store = open()
  expect(await store.claimServing()).toBeFalse()
  await second.leave() // one that was refused takes nothing with it
  expect(await store.claimServing()).toBeFalse()
  await first.leave()
  expect(await store.claimServing()).toBeTrue()
  await store.close()
})

test('a killed process has it no more', async () => {
  const first = await claimElsewhere()
  await first.kill()
  const next = await claimElsewhere()
  expect(next.told).toBe('claimed')
  await next.kill()
})

test('of many that come at once, one gets it', async () => {
  await open().close()
  const all = await Promise.all(Array.from({ length: 6 }, claimElsewhere))
  expect(all.filter(({ told }) => told === 'claimed')).toHaveLength(1)
  await Promise.all(all.map((one) => one.leave()))
})

test('in one process too, and asking again is no second claim', async () => {
  const [first, second] = [open(), open()]
  expect(await first.claimServing()).toBeTrue()
  expect(await first.claimServing()).toBeTrue()
  expect(await second.claimServing()).toBeFalse()
  await first.close()
  expect(await second.claimServing()).toBeTrue()
  await second.close()
})

test('others read and write beside it, and need no claim', async () => {
  const serving = await claimElsewhere()
  const beside = open()
  await seed(beside)
  await beside.records.commit({ settle: [settlement({ requestId: 'a' })] })
  expect(await collect(beside.records.exportRequests({}))).toHaveLength(1)
  await beside.close()
  await serving.leave()
})

test('the lock is a file without content beside the database', async () => {
  const store = open()
  await store.claimServing()
  expect(statSync(`${path}.serving`).size).toBe(0)
  await store.close()
})

test("databases in memory are nobody else's: no claim, and no file", async () => {
  const [first, second] = [open(':memory:'), open(':memory:')]
  expect([await first.claimServing(), await second.claimServing()]).toEqual([true, true])
  await first.close()
  await second.close()
  expect(existsSync(':memory:.serving')).toBeFalse()
})

test('a database of an older version is left to the program that serves from it', async () => {
  const store = open()
  await seed(store)
  await store.close()
  const old = directory.file('old.db')
  writeOldVersion(3, path, old)
  const before = rowsOf(old)
  const server = createClaim(old)
  server.claim()
  expect(() => open(old)).toThrow('is at version 3, and an older program serves from it')
  expect(rowsOf(old)).toEqual(before)
  server.release()
  const opened = open(old)
  expect(await opened.admin.accounts()).toHaveLength(1)
  await opened.close()
})
