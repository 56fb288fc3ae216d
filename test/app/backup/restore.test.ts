import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, expect, test } from 'bun:test'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { backUp } from '../../../src/app/backup/backup.ts'
import { restore } from '../../../src/app/backup/restore.ts'
import { openInstance } from '../../../src/app/instance.ts'
import { newestVersion } from '../../../src/store/schema/versions.ts'
import { openSqliteStore } from '../../../src/store/sqlite/open.ts'
import { writeOldVersion } from '../../store/sqlite/old-version.ts'
import { collect, now } from '../../store/support.ts'
import { createPlace, type Place, placeOf } from './place.ts'

let place: Place
let file: string
let target: string
beforeEach(async () => {
  place = await createPlace(3, 2)
  file = place.join('b.db')
  mkdirSync(place.join('elsewhere'))
  target = place.join('elsewhere/gate.db')
  await backUp({ database: place.database, file, force: false, withSecret: true })
})
afterEach(() => {
  delete process.env.TOLLGATE_SECRET
  place.remove()
})

async function refusalOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => 'not refused',
    (error: Error) => `${error.name}: ${error.message}`,
  )
}

const otherSecret = 'another secret of good length'

test('all of it is there again, and keys open; what was under way is interrupted, uncharged', async () => {
  const restored = await restore({ file, database: target })
  expect(restored).toMatchObject({
    database: target,
    interrupted: 2,
    contents: { requests: 3, ledgerEntries: 4, reservations: 2 },
    secret: { status: 'brought', file: `${file}.secret`, warning: null },
  })
  expect(placeOf(target)).toEqual(['', '.secret'])
  expect(statSync(target).mode & 0o777).toBe(0o600)
  expect(statSync(`${target}.secret`).mode & 0o777).toBe(0o600)

  const instance = await openInstance({ store: { path: target, synchronous: 'normal' } })
  const { channels } = await instance.store.catalog.load()
  expect(channels.map(({ keysSealed }) => instance.secrets.open(keysSealed))).toEqual([
    '["upstream-key"]',
  ])
  expect(await instance.store.admin.account('ann@example.com')).toMatchObject({
    balanceNano: 999_999_700,
    reservedNano: 0,
  })
  const requests = await collect(instance.store.records.exportRequests({}))
  expect(
    requests.map(({ requestId, ending, amountNano }) => [requestId, ending, amountNano]),
  ).toEqual([
    ['req_0', 'complete', 100],
    ['req_1', 'complete', 100],
    ['req_2', 'complete', 100],
    ['open_0', 'interrupted', 0],
    ['open_1', 'interrupted', 0],
  ])
  await instance.store.close()
})

test('a backup of version 1 is restored, and is of the newest version when it is opened', async () => {
  const old = place.join('old.db')
  writeOldVersion(1, file, old)
  writeFileSync(`${old}.secret`, readFileSync(`${file}.secret`))
  const bytes = readFileSync(old)
  const { contents } = await restore({ file: old, database: target })
  expect(contents).toMatchObject({ version: 1, requests: 3, ledgerEntries: 4 })
  expect(readFileSync(old)).toEqual(bytes)
  const store = openSqliteStore({ path: target, clock: () => now })
  expect((await store.catalog.load()).channels).toMatchObject([{ name: 'main', quirks: [] }])
  expect(await store.admin.tokens({})).toMatchObject([{ name: 'laptop', isStrict: false }])
  expect(await collect(store.records.exportRequests({}))).toHaveLength(5)
  await store.close()
  const { contents: again } = await backUp({
    database: target,
    file: place.join('again.db'),
    force: false,
    withSecret: true,
  })
  expect(again.version).toBe(newestVersion)
})

test('nothing is ever written over', async () => {
  for (const ending of ['', '-wal', '-shm', '-journal']) {
    writeFileSync(target + ending, 'mine')
    const refusal = await refusalOf(restore({ file, database: target }))
    expect(refusal).toContain(
      `There is something in the place of the database, and nothing is overwritten: ${target}${ending}.`,
    )
    expect(refusal).toContain(`(mv ${target}${ending} ELSEWHERE/)`)
    expect(readFileSync(target + ending, 'utf8')).toBe('mine')
    rmSync(target + ending)
  }
  expect(placeOf(target)).toEqual([])
})

test('a gateway that runs there, though its file was moved away, is told of', async () => {
  const store = openSqliteStore({ path: target, clock: () => now })
  await store.claimServing()
  renameSync(target, `${target}.old`)
  for (const ending of ['-wal', '-shm']) rmSync(target + ending, { force: true })
  const refusal = await refusalOf(restore({ file, database: target }))
  expect(refusal).toContain(`A gateway is running with the database ${target}`)
  expect(placeOf(target)).toEqual([])
  await store.close()
  await restore({ file, database: target })
})

test('what is no whole backup of ours is refused, and nothing is left in the place', async () => {
  const cases: readonly (readonly [string, (copy: string) => void, string])[] = [
    ['missing', (copy) => rmSync(copy), 'There is no file'],
    ['text', (copy) => writeFileSync(copy, 'words '.repeat(100)), 'is no SQLite database'],
    ['foreign', (copy) => change(copy, 'PRAGMA application_id = 7'), 'of another program'],
    ['newer', (copy) => change(copy, 'PRAGMA user_version = 99'), 'by a newer version'],
    ['cut', (copy) => truncateSync(copy, statSync(copy).size - 4096), 'is damaged'],
    ['unbalanced', (copy) => change(copy, 'UPDATE account SET balance_nano = 1'), 'not sound'],
    ['in use', (copy) => writeFileSync(`${copy}-wal`, 'x'), 'has a journal beside it'],
  ]
  for (const [name, damage, message] of cases) {
    const copy = place.join(`${name}.db`)
    writeFileSync(copy, readFileSync(file))
    writeFileSync(`${copy}.secret`, readFileSync(`${file}.secret`))
    damage(copy)
    const refusal = await refusalOf(restore({ file: copy, database: target }))
    expect(refusal).toContain(message)
    expect(refusal).toContain(copy)
    expect(readdirSync(place.join('elsewhere')).filter((one) => !one.endsWith('.serving'))).toEqual(
      [],
    )
  }
})

function change(path: string, sql: string): void {
  const db = new Database(path)
  db.run(sql)
  db.close()
}

test('a folder that is not there is told of', async () => {
  const refusal = await refusalOf(restore({ file, database: place.join('no/gate.db') }))
  expect(refusal).toContain(`the directory ${place.join('no')} does not exist`)
  expect(await refusalOf(restore({ file, database: ':memory:' }))).toContain('in memory only')
})

test('without a secret that opens its keys a database is not restored', async () => {
  rmSync(`${file}.secret`)
  const none = await refusalOf(restore({ file, database: target }))
  expect(none).toContain(`There is no secret for the keys in ${file} (channel "main", token 1)`)
  expect(none).toContain(`Put its secret file at ${file}.secret, or set TOLLGATE_SECRET`)
  writeFileSync(`${file}.secret`, otherSecret)
  const wrong = await refusalOf(restore({ file, database: target }))
  expect(wrong).toContain(`${file}.secret does not open the keys in the backup`)
  expect(placeOf(target)).toEqual([])
})

test('a secret in the place counts before the one beside the backup', async () => {
  writeFileSync(`${target}.secret`, otherSecret)
  const wrong = await refusalOf(restore({ file, database: target }))
  expect(wrong).toContain(`${target}.secret does not open the keys in the backup`)
  expect(wrong).toContain(`Move it away: ${file}.secret opens them`)
  expect(placeOf(target)).toEqual(['.secret'])
  expect(readFileSync(`${target}.secret`, 'utf8')).toBe(otherSecret)

  writeFileSync(`${target}.secret`, readFileSync(`${file}.secret`))
  writeFileSync(`${file}.secret`, otherSecret)
  const { secret } = await restore({ file, database: target })
  expect(secret).toEqual({ status: 'there', file: `${target}.secret`, warning: null })
})

test('TOLLGATE_SECRET counts before both, and then no file is made', async () => {
  process.env.TOLLGATE_SECRET = otherSecret
  const wrong = await refusalOf(restore({ file, database: target }))
  expect(wrong).toContain('TOLLGATE_SECRET does not open the keys in the backup')
  expect(wrong).toContain(`Unset it: ${file}.secret opens them.`)
  process.env.TOLLGATE_SECRET = 'too short'
  expect(await refusalOf(restore({ file, database: target }))).toContain('TOLLGATE_SECRET has 9')
  process.env.TOLLGATE_SECRET = readFileSync(`${file}.secret`, 'utf8').trim()
  expect((await restore({ file, database: target })).secret.status).toBe('environment')
  expect(placeOf(target)).toEqual([''])
})

test('keys that were broken before the backup are named and do not stop a restore', async () => {
  change(file, "UPDATE token SET key_sealed = x'00'")
  const { secret } = await restore({ file, database: target })
  expect(secret.warning).toBe(`${file}.secret does not open the keys of token 1: set them again.`)
})

test('a database without keys needs no secret', async () => {
  rmSync(`${file}.secret`)
  change(file, 'UPDATE channel SET deleted_at = 1')
  change(file, 'UPDATE token SET deleted_at = 1')
  expect((await restore({ file, database: target })).secret.status).toBe('none')
  expect(placeOf(target)).toEqual([''])
})

test('the backup itself stays as it is', async () => {
  const before = readFileSync(file)
  const names = readdirSync(place.path).sort()
  await restore({ file, database: target })
  expect(readFileSync(file)).toEqual(before)
  expect(readdirSync(place.path).sort()).toEqual(names)
})

test('told to stop, it leaves no database', async () => {
  const controller = new AbortController()
  const work = restore({
    file,
    database: target,
    signal: controller.signal,
    onProgress: ({ step }) => step === 'structure' && controller.abort(),
  })
  await refusalOf(work)
  expect(existsSync(target)).toBeFalse()
  expect(readdirSync(place.join('elsewhere')).filter((one) => !one.endsWith('.serving'))).toEqual(
    [],
  )
})
