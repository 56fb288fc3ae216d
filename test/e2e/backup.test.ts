import { expect } from 'bun:test'
import { existsSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runBinary, startBinary } from '../support/binary.ts'
import { mountTinyDisk, skipped } from '../support/disk-trouble.ts'
import { jsonAnswer, type SeenRequest, startFakeUpstream } from '../support/fake-upstream.ts'
import { ofSqlite } from '../support/of-sqlite.ts'
import { startOwnTime } from '../support/own-time.ts'
import { rounds } from '../support/rounds.ts'
import { createTempDir, type TempDir } from '../support/temp-dir.ts'
import { testKey, tollgateYaml } from '../support/tollgate-yaml.ts'
import {
  draftsIn,
  enlarge,
  leastMs,
  readAll,
  readOne,
  startBackup,
  startCommand,
  startLimited,
  stateOf,
} from './backup-scene.ts'
import { ask } from './caller.ts'
import { allDialects, costNano, type Dialect } from './dialects.ts'

const tokens = { input: 10, output: 20 }
const chat = allDialects[0] as Dialect

const slow = 'an answer that takes its time'

/** Answers at once, but for what is to be under way until `released`. */
const createAnswer = (released: Promise<void>) => async (seen: SeenRequest) => {
  if (seen.text().includes(slow)) await released
  const dialect = allDialects.find((one) => one.path(false) === seen.path) ?? chat
  return jsonAnswer(dialect.body(tokens))
}

const store = (path: string) => `store: sqlite:${path}\n`

/** A folder with a configuration whose database is made but not served, enlarged by some requests. */
async function createGateway(requests: number): Promise<TempDir> {
  const folder = createTempDir('tollgate-backup-e2e')
  const yaml = tollgateYaml({ upstream: 'http://127.0.0.1:9' })
  writeFileSync(folder.join('tollgate.yaml'), yaml, { mode: 0o600 })
  writeFileSync(folder.join('elsewhere.yaml'), store('./elsewhere/gate.db'))
  mkdirSync(folder.join('elsewhere'))
  const applied = await runBinary(['apply', '--yes'], { cwd: folder.path })
  expect(applied.exitCode).toBe(0)
  enlarge(folder.join('tollgate.db'), requests)
  return folder
}

const ledger =
  'SELECT id, account_id, kind, amount_nano, request_id, balance_after_nano FROM ledger'

ofSqlite(
  'a backup under load, restored elsewhere, is the gateway as it was at that moment',
  async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    await using upstream = startFakeUpstream(createAnswer(released))
    const config = (listen: string) => tollgateYaml({ listen, upstream: upstream.url })
    await using gateway = await startBinary({ config })
    const failures: unknown[] = []
    let isLoading = true
    let answered = 0
    const load = Array.from({ length: 8 }, async (_, at) => {
      const dialect = allDialects[at % allDialects.length] as Dialect
      while (isLoading) {
        const response = await ask(gateway.url, dialect, false)
        const body = await response.json()
        if (response.status !== 200) failures.push(body)
        answered++
      }
    })
    const underWay = ask(gateway.url, chat, false, { question: slow })
    while (answered < 50) await Bun.sleep(5)
    const before = answered
    const made = await runBinary(['backup', 'b.db', '--json'], { cwd: gateway.cwd })
    const after = answered
    await Bun.sleep(100)
    isLoading = false
    release()
    await Promise.all(load)
    expect((await underWay).status).toBe(200)
    expect(made).toMatchObject({ exitCode: 0, stderr: '' })
    expect(failures).toEqual([])
    expect(after).toBeGreaterThan(before)
    const report = JSON.parse(made.stdout)
    expect(report.requests).toBeWithin(before, after + 9)

    // Restored beside the live one, with a configuration of its own.
    await using folder = await moveTo(gateway.cwd)
    const restored = await runBinary(['restore', 'b.db', '--json'], { cwd: folder.path })
    expect(restored).toMatchObject({ exitCode: 0, stderr: '' })
    const { interrupted } = JSON.parse(restored.stdout)
    expect(interrupted).toBeGreaterThan(0)
    expect(interrupted).toBe(report.open_reservations)
    const [live, copy] = [`${gateway.cwd}/tollgate.db`, folder.join('tollgate.db')]
    const entries = readAll<object>(copy, ledger)
    expect(entries).toEqual(readAll<object>(live, ledger).slice(0, entries.length))
    expect(entries).toHaveLength(report.ledger_entries)
    const balance = readOne(copy, 'SELECT balance_nano FROM account') as number
    expect(balance).toBe(100e9 - (entries.length - 1) * costNano(tokens))
    expect(balance).toBe(readOne(copy, 'SELECT sum(amount_nano) FROM ledger') as number)
    expect(readOne(copy, 'SELECT reserved_nano FROM account')).toBe(0)
    const ended = `SELECT count(*) FROM request WHERE ending = 'interrupted' AND amount_nano = 0`
    expect(readOne(copy, ended)).toBe(interrupted)

    await using twin = await startBinary({ cwd: folder.path, config })
    for (const dialect of allDialects) {
      const response = await ask(twin.url, dialect, false)
      expect([response.status, await response.json()]).toEqual([200, dialect.body(tokens)])
    }
    const shown = await runBinary(['token', 'show', '1', '--reveal', '--json'], {
      cwd: folder.path,
    })
    expect(JSON.parse(shown.stdout).key).toBe(testKey)
    expect(readOne(copy, 'SELECT balance_nano FROM account')).toBe(
      balance - allDialects.length * costNano(tokens),
    )
    console.log(
      `backup beside ${after - before} answers, with ${report.open_reservations} requests under way`,
    )
  },
  120_000,
)

/** A folder with the backup of another one in it, and nothing else. */
async function moveTo(from: string) {
  const folder = createTempDir('tollgate-restored')
  for (const name of ['b.db', 'b.db.secret'])
    await Bun.write(folder.join(name), Bun.file(`${from}/${name}`))
  writeFileSync(folder.join('tollgate.yaml'), store('./tollgate.db'))
  return { ...folder, [Symbol.asyncDispose]: async () => folder.remove() }
}

ofSqlite(
  'killed at any moment, a backup is whole or not there, and the next one is made',
  async () => {
    using folder = await createGateway(10_000)
    const durationMs = await leastMs(folder.path, (turn) => ['backup', `whole-${turn}.db`])
    const states = new Map<string, number>()
    const kills = rounds(6, 40)
    const names: string[] = []
    const killOne = async (wait: (command: Bun.Subprocess) => Promise<unknown>) => {
      const name = `killed-${names.length}.db`
      names.push(name)
      const command = startCommand(folder.path, ['backup', name])
      await wait(command)
      command.kill('SIGKILL')
      await command.exited
      const state = stateOf(folder.path, name)
      expect(state).toBeOneOf(['absent', 'whole'])
      if (state === 'whole') expect(existsSync(folder.join(`${name}.secret`))).toBeTrue()
      states.set(state, (states.get(state) ?? 0) + 1)
    }
    for (let kill = 1; kill <= kills; kill++) {
      await killOne(() => Bun.sleep((durationMs * kill) / kills))
    }
    // On a busy machine all of these may have come before it wrote anything, or after it.
    for (let more = 0; more < 20 && draftsIn(folder.path).length === 0; more++) {
      await killOne(async (command) => {
        while (command.exitCode === null && draftsIn(folder.path).length === 0) await Bun.sleep(0)
      })
    }
    expect(states.get('absent')).toBeGreaterThan(2)
    const left = draftsIn(folder.path)
    expect(left.length).toBeGreaterThan(0)

    // What is left is in nobody's way, and goes when a backup of that name is made later.
    const past = new Date(Date.now() - 120_000)
    for (const name of left) utimesSync(folder.join(name), past, past)
    for (const name of names) {
      const again = await runBinary(['backup', name, '--force'], {
        cwd: folder.path,
      })
      expect(again.exitCode).toBe(0)
    }
    expect(draftsIn(folder.path)).toEqual([])
    console.log(
      `${names.length} kills within ${durationMs.toFixed(0)} ms:`,
      Object.fromEntries(states),
    )
  },
  120_000,
)

ofSqlite(
  'killed at any moment, a restore leaves a whole database or none',
  async () => {
    using folder = await createGateway(10_000)
    const backup = await runBinary(['backup', 'b.db'], { cwd: folder.path })
    expect(backup.exitCode).toBe(0)
    const restore = ['restore', 'b.db', '-c', 'elsewhere.yaml']
    const restoreTo = (place: string) => {
      mkdirSync(folder.join(place))
      writeFileSync(folder.join('elsewhere.yaml'), store(`./${place}/gate.db`))
      return restore
    }
    const durationMs = await leastMs(folder.path, (turn) => restoreTo(`whole-${turn}`))
    const kills = rounds(8, 40)
    let absent = 0
    for (let kill = 0; kill < kills; kill++) {
      const place = `place-${kill}`
      const command = startCommand(folder.path, restoreTo(place))
      await Bun.sleep((durationMs * (kill + 1)) / kills)
      command.kill('SIGKILL')
      await command.exited
      const state = stateOf(folder.join(place), 'gate.db')
      expect(state).toBeOneOf(['absent', 'whole'])
      if (state === 'whole') continue
      absent++
      const again = await runBinary(restore, { cwd: folder.path })
      expect(again).toMatchObject({ exitCode: 0, stderr: '' })
      expect(stateOf(folder.join(place), 'gate.db')).toBe('whole')
    }
    expect(absent).toBeGreaterThan(1)
  },
  120_000,
)

ofSqlite(
  'a signal ends a backup at once, with nothing left behind',
  async () => {
    using folder = await createGateway(20_000)
    const command = await startBackup(folder.path, folder.join('b.db'), 1_000_000)
    using ownTime = startOwnTime()
    command.kill('SIGTERM')
    expect(await command.exited).toBe(143)
    expect(ownTime.now()).toBeLessThan(1_000)
    expect(await command.stderr.text()).toContain('interrupted (SIGTERM): nothing was left behind')
    expect(stateOf(folder.path, 'b.db')).toBe('absent')
    expect(draftsIn(folder.path)).toEqual([])
  },
  120_000,
)

ofSqlite(
  'a disk without room: told before it begins, with how much is needed',
  async () => {
    using disk = mountTinyDisk('1m')
    if (disk === undefined) return skipped('no file system can be mounted here')
    using folder = await createGateway(500)
    const backup = await runBinary(['backup', join(disk.path, 'b.db')], { cwd: folder.path })
    expect(backup).toMatchObject({ exitCode: 1, stdout: '' })
    expect(backup.stderr).toMatch(
      /^tollgate: There is no room in \S+: \d\.\d MB are needed, and 1\.0 MB are free\. Nothing was left there\./,
    )
    expect(draftsIn(disk.path)).toEqual([])
    expect(stateOf(disk.path, 'b.db')).toBe('absent')

    expect((await runBinary(['backup', 'b.db'], { cwd: folder.path })).exitCode).toBe(0)
    writeFileSync(folder.join('elsewhere.yaml'), store(join(disk.path, 'gate.db')))
    const restore = ['restore', 'b.db', '-c', 'elsewhere.yaml']
    const restored = await runBinary(restore, { cwd: folder.path })
    expect(restored).toMatchObject({ exitCode: 1, stdout: '' })
    expect(restored.stderr).toContain(`There is no room in ${disk.path}: `)
    expect(draftsIn(disk.path)).toEqual([])
    expect(stateOf(disk.path, 'gate.db')).toBe('absent')
  },
  120_000,
)

ofSqlite(
  'a disk that fills up on the way: told with how much is needed, and nothing is left',
  async () => {
    using disk = mountTinyDisk('200m')
    if (disk === undefined) return skipped('no file system can be mounted here')
    using folder = await createGateway(20_000)
    const backup = await startBackup(folder.path, join(disk.path, 'b.db'), 100_000)
    disk.fill()
    expect(await backup.exited).toBe(1)
    expect(await backup.stderr.text()).toMatch(
      /^tollgate: There is no room in \S+: \d+ MB are needed\. Nothing was left there\. Make room/,
    )
    expect(draftsIn(disk.path)).toEqual([])
    expect(stateOf(disk.path, 'b.db')).toBe('absent')
    disk.empty()
    const again = await runBinary(['backup', join(disk.path, 'b.db')], { cwd: folder.path })
    expect(again.exitCode).toBe(0)
  },
  120_000,
)

ofSqlite(
  'a file that can not grow any more on the way: told with how much is needed, and nothing is left',
  async () => {
    using folder = await createGateway(2_000)
    const backup = startLimited(folder.path, ['backup', 'b.db'], 4_000)
    expect(await backup.exited).toBe(1)
    expect(await backup.stderr.text()).toMatch(
      /^tollgate: The copy in \S+ can't be written \(\w+\): [\d.]+ MB are needed\. Nothing was left/,
    )
    expect(draftsIn(folder.path)).toEqual([])
    expect(stateOf(folder.path, 'b.db')).toBe('absent')

    expect((await runBinary(['backup', 'b.db'], { cwd: folder.path })).exitCode).toBe(0)
    const restored = startLimited(folder.path, ['restore', 'b.db', '-c', 'elsewhere.yaml'], 4_000)
    expect(await restored.exited).toBe(1)
    expect(await restored.stderr.text()).toContain("can't be written (EFBIG): ")
    expect(draftsIn(folder.join('elsewhere'))).toEqual([])
    expect(stateOf(folder.join('elsewhere'), 'gate.db')).toBe('absent')
  },
  120_000,
)
