import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { spawnSync } from 'node:child_process'
import { closeSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { type RunningBinary, startBinary } from '../support/binary.ts'
import { jsonAnswer, sseAnswer, startFakeUpstream } from '../support/fake-upstream.ts'
import { createTempDir } from '../support/temp-dir.ts'
import { tollgateYaml } from '../support/tollgate-yaml.ts'
import { ask } from './caller.ts'
import { allDialects, costNano, type Dialect, wholeStream } from './dialects.ts'
import { openLedger } from './ledger.ts'
import { until } from './until.ts'

// Nothing is given away: while charges can't be stored no answer is completed, and when they can
// be again, all goes on by itself.

const tokens = { input: 10, output: 20 }

function startUpstream() {
  return startFakeUpstream((seen) => {
    const dialect = allDialects.find((one) => seen.path === upstreamPath(one, seen.path))
    if (dialect === undefined) return jsonAnswer({ error: `no such path: ${seen.path}` }, 404)
    const body = seen.json() as { stream?: boolean }
    return body.stream === true || seen.path.includes('streamGenerate')
      ? sseAnswer(wholeStream(dialect, tokens, ['Hello', ' there']))
      : jsonAnswer(dialect.body(tokens))
  })
}

const upstreamPath = (dialect: Dialect, path: string) =>
  dialect.path(path.includes('streamGenerate'))

/** Asks in all protocols, streamed and not, at once; every answer must be a failure. */
async function expectNothingCompleted(gateway: RunningBinary): Promise<void> {
  const asked = allDialects.flatMap((dialect) => [
    ask(gateway.url, dialect, false).then(async (answer) => {
      expect([dialect.name, answer.status]).toEqual([dialect.name, 500])
      expect(answer.headers.get('x-tollgate-reason')).toBe('internal')
      const body = (await answer.json()) as { type?: string; error?: { message?: string } }
      expect(body.error?.message).toContain('could not store')
      if (dialect.name === 'messages') expect(body.type).toBe('error')
    }),
    ask(gateway.url, dialect, true).then(async (answer) => {
      const text = await answer.text()
      expect([dialect.name, dialect.isWhole(text)]).toEqual([dialect.name, false])
      expect([dialect.name, dialect.isError(text)]).toEqual([dialect.name, true])
    }),
  ])
  await Promise.all(asked)
}

/** Asks in all protocols; every answer is whole, and charged. */
async function expectService(gateway: RunningBinary): Promise<void> {
  using ledger = openLedger(gateway.cwd)
  const before = ledger.balanceNano()
  for (const dialect of allDialects) {
    const answer = await ask(gateway.url, dialect, true)
    expect(dialect.isWhole(await answer.text())).toBeTrue()
    const body = await ask(gateway.url, dialect, false)
    expect((await body.json()) as object).toEqual(dialect.body(tokens))
  }
  expect(before - ledger.balanceNano()).toBe(2 * allDialects.length * costNano(tokens))
  expect(ledger.sumNano()).toBe(ledger.balanceNano())
}

test('a database locked for longer than the patience: nothing completed, then service', async () => {
  await using upstream = startUpstream()
  await using gateway = await startBinary({
    config: (listen) => tollgateYaml({ listen, upstream: upstream.url }),
  })
  await expectService(gateway)
  const other = new Database(join(gateway.cwd, 'tollgate.db'))
  other.run('BEGIN IMMEDIATE')
  const started = performance.now()
  const failing = expectNothingCompleted(gateway)
  // What needs no writing is answered meanwhile.
  let slowest = 0
  while (performance.now() - started < 2000) {
    const asked = performance.now()
    expect((await fetch(`${gateway.url}/api/hello`, { method: 'HEAD' })).status).toBe(200)
    slowest = Math.max(slowest, performance.now() - asked)
    await Bun.sleep(10)
  }
  expect(slowest).toBeLessThan(500)
  await failing
  const waited = performance.now() - started
  console.log(
    `locked: refused after ${(waited / 1000).toFixed(1)} s, ` +
      `other requests waited at most ${slowest.toFixed(0)} ms`,
  )
  expect(waited).toBeLessThan(12_000)
  other.run('COMMIT')
  other.close()
  // What had been delivered of streams is stored now, at the next retry.
  await Bun.sleep(1_500)
  await expectService(gateway)
}, 60_000)

test('a short lock is waited for', async () => {
  await using upstream = startUpstream()
  await using gateway = await startBinary({
    config: (listen) => tollgateYaml({ listen, upstream: upstream.url }),
  })
  const other = new Database(join(gateway.cwd, 'tollgate.db'))
  other.run('BEGIN IMMEDIATE')
  const served = expectService(gateway)
  await Bun.sleep(500)
  expect(Bun.peek.status(served)).toBe('pending')
  other.run('COMMIT')
  other.close()
  await served
})

/** A file system of 2 MB in memory; undefined where that is not allowed. */
function mountTinyDisk() {
  const folder = createTempDir('tollgate-tiny')
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', folder.path])
  if (mounted.status !== 0) {
    folder.remove()
    return undefined
  }
  return {
    path: folder.path,
    [Symbol.dispose]() {
      spawnSync('umount', [folder.path])
      folder.remove()
    },
  }
}

/** Writes until nothing fits any more; gives the file. */
function fill(folder: string): string {
  const path = join(folder, 'filler')
  const file = openSync(path, 'w')
  try {
    for (const size of [65_536, 4096]) {
      for (let room = true; room; ) room = tryWrite(file, size)
    }
  } finally {
    closeSync(file)
  }
  return path
}

function tryWrite(file: number, size: number): boolean {
  try {
    return writeSync(file, Buffer.alloc(size)) === size
  } catch {
    return false // full: what is asked for
  }
}

test('a full disk: nothing completed, then service', async () => {
  using disk = mountTinyDisk()
  if (disk === undefined) {
    console.warn('No file system can be mounted here: the test of a full disk is skipped.')
    return
  }
  await using upstream = startUpstream()
  await using gateway = await startBinary({
    cwd: disk.path,
    config: (listen) => tollgateYaml({ listen, upstream: upstream.url }),
  })
  await expectService(gateway)
  const filler = fill(disk.path)
  // The journal may have some pages left that it can use.
  await until('the disk to be full', async () => {
    const answer = await ask(gateway.url, allDialects[0] as Dialect, false)
    await answer.text()
    return answer.status === 500
  })
  await expectNothingCompleted(gateway)
  rmSync(filler)
  await Bun.sleep(1_500)
  await expectService(gateway)
}, 30_000)
