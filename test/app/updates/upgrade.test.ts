import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs'
import { seenBeside } from '../../../src/app/updates/seen.ts'
import { prepareBack, prepareNewer, type UpgradeParts } from '../../../src/app/updates/upgrade.ts'
import { newestVersion } from '../../../src/store/schema/versions.ts'
import { openSqliteStore } from '../../../src/store/sqlite/open.ts'
import { createTempDir, type TempDir } from '../../support/temp-dir.ts'
import {
  fakeProgram,
  type Offer,
  type ReleaseServer,
  releaseKey,
  startReleaseServer,
  target,
} from './release-server.ts'

let folder: TempDir
let server: ReleaseServer
let program: string
let database: string

beforeEach(async () => {
  folder = createTempDir('tollgate-upgrade')
  program = folder.join('tollgate')
  database = folder.join('gate.db')
  writeFileSync(program, fakeProgram('1.2.0', undefined, newestVersion), { mode: 0o755 })
  chmodSync(program, 0o751)
  await openSqliteStore({ path: database, clock: Date.now }).close()
  writeFileSync(
    folder.join('tollgate.yaml'),
    `site: { front_page: ./front.md }\nstore: sqlite:./gate.db\n`,
  )
  server = await startReleaseServer()
})
afterEach(async () => {
  await server.stop()
  folder.remove()
})

const parts = (): UpgradeParts => ({
  ...{ program, installed: '1.2.0', configFile: folder.join('tollgate.yaml') },
  ...{
    isReplaced: () => false,
    store: { path: database, synchronous: 'normal' },
    onProgress() {},
    onCopy() {},
  },
})

async function upgrade(more: { target?: string; signal?: AbortSignal; silenceMs?: number } = {}) {
  const seen = seenBeside(parts().store)
  const own = { address: server.address, key: releaseKey, target, seen, onFound() {} }
  const prepared = await prepareNewer({ ...parts(), ...own, ...more })
  if (prepared === undefined) throw new Error('It is the newest.')
  return prepared
}

const versionOf = (file: string) => /"version": "([^"]+)"/.exec(readFileSync(file, 'utf8'))?.[1]
const filesLeft = () => readdirSync(folder.path).sort()
const before = ['gate.db', 'gate.db.updates', 'tollgate', 'tollgate.yaml']

test('a newer program is fetched and tried, takes the place, and the two are exchanged again', async () => {
  await server.offer({ version: '1.3.0', program: fakeProgram('1.3.0', 'cat "$4"', newestVersion) })
  const prepared = await upgrade()
  expect(prepared.version).toBe('1.3.0')
  // What it was given to check: the configuration, for a copy of the database, with paths that still fit.
  expect(prepared.findings).toContain(`front_page: ${folder.join('front.md')}`)
  expect(prepared.findings).toContain(`store: sqlite:${database}`)
  expect(versionOf(program)).toBe('1.2.0')
  prepared.replace()
  prepared.discard()
  expect([versionOf(program), versionOf(`${program}.previous`)]).toEqual(['1.3.0', '1.2.0'])
  expect(filesLeft()).toEqual([...before, 'tollgate.previous'].sort())
  expect(Bun.spawnSync([program, 'version']).stdout.toString()).toContain('1.3.0')
  expect(Bun.spawnSync(['stat', '-c', '%a', program]).stdout.toString()).toBe('751\n')

  const back = await prepareBack(parts())
  back.replace()
  back.discard()
  expect([versionOf(program), versionOf(`${program}.previous`)]).toEqual(['1.2.0', '1.3.0'])
  expect(filesLeft()).toEqual([...before, 'tollgate.previous'].sort())
})

describe('the program stays as it is, and nothing is left,', () => {
  const refused: readonly (readonly [string, Offer, string])[] = [
    [
      'where the new one would not start',
      { version: '1.3.0', program: fakeProgram('1.3.0', 'echo "no: $4" >&2; exit 1') },
      'It would not start here, so nothing was changed: the program stays as it is. It said:\nno: ',
    ],
    [
      'where the new one is killed before it says anything',
      { version: '1.3.0', program: fakeProgram('1.3.0', 'kill -9 $$') },
      'the program stays as it is. It said nothing (it was ended by SIGKILL, as where memory runs out).',
    ],
    [
      'where the new one does not run',
      { version: '1.3.0', program: '\x7fELF of another machine' },
      'does not run here, or is no Tollgate',
    ],
    [
      'where the new one is another version',
      { version: '1.3.0', program: fakeProgram('1.2.9') },
      'says that it is 1.2.9, not 1.3.0',
    ],
    [
      'where the archive is for other machines',
      { version: '1.3.0', change: (text) => text.replace(target, 'plan9-mips') },
      `has no archive for ${target}: it has them for plan9-mips`,
    ],
    [
      'where the archive is at an address without TLS',
      {
        version: '1.3.0',
        change: (text) => text.replace('"url":"', '"url":"http://192.0.2.1/'),
      },
      'The release names "http://192.0.2.1/tollgate-1.3.0-',
    ],
  ]
  afterEach(() => {
    expect(versionOf(program)).toBe('1.2.0')
    expect(filesLeft()).toEqual(before)
  })

  test.each(refused)('%s', async (_, offer, message) => {
    await server.offer(offer)
    await expect(upgrade()).rejects.toThrow(message)
  })

  test('where the archive is another one, is cut off, or its server falls silent', async () => {
    const path = await server.offer({ version: '1.3.0' })
    const archive = server.files.get(path) ?? new Uint8Array()
    server.files.set(
      path,
      archive.map((byte, at) => (at === 20 ? byte ^ 1 : byte)),
    )
    await expect(upgrade()).rejects.toThrow(
      /tar\.gz is not what was signed: its SHA-256 is [0-9a-f]{64}/,
    )
    server.files.set(path, archive.slice(0, 100))
    await expect(upgrade()).rejects.toThrow(
      /ended after 100 bytes of .* Nothing was changed: run this again/,
    )
    server.files.set(path, new Uint8Array([...archive, 0]))
    await expect(upgrade()).rejects.toThrow(`it is longer than ${archive.length} bytes`)
    const silent = () =>
      new ReadableStream({
        start: (to) => to.enqueue(archive.slice(0, 50)),
        pull: () => new Promise(() => {}),
      })
    server.answerBy((asked) => (asked === path ? new Response(silent()) : undefined))
    await expect(upgrade({ silenceMs: 100 })).rejects.toThrow('it was silent for 0.1 s')
  })

  test('while another upgrade has its place, or when this one is interrupted', async () => {
    await server.offer({ version: '1.3.0' })
    const first = await upgrade()
    await expect(upgrade()).rejects.toThrow('Another upgrade of a program in')
    first.discard()
    const aborting = new AbortController()
    const interrupted = upgrade({ signal: aborting.signal })
    aborting.abort()
    await expect(interrupted).rejects.toThrow()
  })
})

test('what a killed upgrade left behind is removed by the next one', async () => {
  await server.offer({ version: '1.3.0' })
  await Bun.write(folder.join('.tollgate.upgrade', 'archive.tar.gz'), 'half of it')
  await Bun.write(folder.join('.tollgate.upgrade', 'tollgate.db'), 'half of it')
  const prepared = await upgrade()
  prepared.discard()
  expect(filesLeft()).toEqual(before)
})

describe('going back', () => {
  test('needs the former program', async () => {
    await expect(prepareBack(parts())).rejects.toThrow('There is no program before this one')
  })

  test('from a newer database is refused with what it would lose, and the way', async () => {
    writeFileSync(`${program}.previous`, fakeProgram('1.1.0', undefined, newestVersion - 1), {
      mode: 0o755,
    })
    await expect(prepareBack(parts())).rejects.toThrow(
      `The database ${database} is at version ${newestVersion}, and Tollgate 1.1.0 knows ${newestVersion - 1}: ` +
        'it would not start, so nothing was changed. To go back, stop the gateway, restore a backup',
    )
    const copy = `${database}.before-v${newestVersion}`
    copyFileSync(database, copy)
    {
      using db = new Database(copy)
      db.run(`PRAGMA user_version = ${newestVersion - 1}`)
    }
    {
      using db = new Database(database)
      db.run(
        `INSERT INTO account (id, email, role, status, created_at) VALUES (7, 'a@b.c', 'user', 'active', 1)`,
      )
      for (const kind of ['credit', 'charge', 'charge'])
        db.run(
          'INSERT INTO ledger (created_at, account_id, kind, amount_nano, balance_after_nano) VALUES (1, 7, ?, 0, 0)',
          [kind],
        )
    }
    await expect(prepareBack(parts())).rejects.toThrow(
      `2 requests were charged since the upgrade: ${copy} is the database as it was before. To go back ` +
        `without them, stop the gateway, move ${database}, ${database}-wal and ${database}-shm away, then: ` +
        `${program}.previous restore ${copy} --config ${folder.join('tollgate.yaml')} && ${program} upgrade ` +
        `--back --config ${folder.join('tollgate.yaml')}`,
    )
    expect(versionOf(program)).toBe('1.2.0')
    expect(existsSync(folder.join('.tollgate.upgrade'))).toBe(false)
  })
})
