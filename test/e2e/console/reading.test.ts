import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createBrowser } from '../../app/console/sign-in-scene.ts'
import { fillLedger } from '../../bench/fill-ledger.ts'
import { startBinary } from '../../support/binary.ts'
import { createTempDir } from '../../support/temp-dir.ts'
import { tollgateYaml } from '../../support/tollgate-yaml.ts'
import { until } from '../until.ts'

const admin = { email: 'boss@example.com', password: 'a long password' }
const paths = ['requests', 'attempts', 'accounts', 'audit', 'overview', 'requests?outcome=failed']

async function makeDatabase(path: string): Promise<void> {
  await fillLedger(path, 20_000)
  // Its keys are sealed by no secret; the configuration has channels of its own.
  using db = new Database(path)
  db.run('UPDATE channel SET deleted_at = 0')
  db.run('DELETE FROM group_channel')
}

/** Milliseconds of a processor that the first thread of a process has had: the one its code runs on. */
function cpuMs(process: number): number {
  const [nanoseconds] = readFileSync(`/proc/${process}/schedstat`, 'utf8').split(' ')
  return Number(nanoseconds) / 1e6
}

/** The processes that one has started. */
const childrenOf = (process: number): readonly number[] =>
  readFileSync(`/proc/${process}/task/${process}/children`, 'utf8')
    .split(' ')
    .filter(Boolean)
    .map(Number)

const config = (listen: string) =>
  tollgateYaml({
    ...{ listen, upstream: 'http://127.0.0.1:9', store: './tollgate.db' },
    moreAccounts: [{ ...admin, role: 'admin' }],
  })

/** Reads what an administrator sees below a path. */
async function readerAt(url: string) {
  const browser = createBrowser(url)
  await browser.signIn(admin)
  const cookie = [...browser.jar].map(([name, value]) => `${name}=${value}`).join('; ')
  return async (path: string) => {
    const response = await fetch(`${url}/api/v1/admin/${path}`, {
      headers: { cookie },
      proxy: false,
    })
    return { status: response.status, bytes: (await response.bytes()).length }
  }
}

test.if(process.platform === 'linux')(
  'the compiled program: what is read is made in another process, which ends with the gateway',
  async () => {
    using folder = createTempDir()
    await makeDatabase(folder.join('tollgate.db'))
    await using gate = await startBinary({ cwd: folder.path, config })
    const read = await readerAt(gate.url)
    const readAll = async () => {
      for (const path of paths) expect((await read(path)).status).toBe(200)
      return read('requests/export?format=jsonl')
    }
    await readAll() // what is made once is made now

    const [reader = 0, ...others] = childrenOf(gate.pid)
    expect(others).toEqual([])
    const used = () => ({ gateway: cpuMs(gate.pid), reader: cpuMs(reader) })
    const before = used()
    for (let round = 0; round < 3; round++) {
      expect((await readAll()).bytes).toBeGreaterThan(10_000_000)
    }
    const after = used()
    expect((after.gateway - before.gateway) / (after.reader - before.reader)).toBeLessThan(0.25)

    process.kill(gate.pid, 'SIGKILL')
    await until('it to end as well', () => !existsSync(`/proc/${reader}`))
  },
)

test.if(process.platform === 'linux')(
  'the compiled program, when another one lies in its place by now: it reads by itself',
  async () => {
    using folder = createTempDir()
    const copying = 'cp "$0" ./tollgate && exec ./tollgate "$@"'
    const options = { cwd: folder.path, config, through: ['sh', '-c', copying] }
    await using gate = await startBinary(options)
    const read = await readerAt(gate.url)
    rmSync(folder.join('tollgate'))
    writeFileSync(folder.join('tollgate'), '#!/bin/sh\nexit 1\n', { mode: 0o755 })
    expect((await read('requests')).status).toBe(200)
  },
)
