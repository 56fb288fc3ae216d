import { Database } from 'bun:sqlite'
import { afterEach, expect, test } from 'bun:test'
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { type BackupOptions, backUp } from '../../../src/app/backup/backup.ts'
import { createPlace } from './place.ts'

afterEach(() => {
  delete process.env.TOLLGATE_SECRET
})

const options = (database: string, file: string, more: Partial<BackupOptions> = {}) => ({
  database,
  file,
  force: false,
  withSecret: true,
  ...more,
})

/** The message of a refusal. */
async function refusalOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => 'not refused',
    (error: Error) => `${error.name}: ${error.message}`,
  )
}

test('a backup is one whole file with its secret beside it, for the owner only', async () => {
  using place = await createPlace(3, 2)
  const file = place.join('b.db')
  const backup = await backUp(options(place.database, file))
  expect(backup).toMatchObject({
    database: place.database,
    file,
    sizeBytes: statSync(file).size,
    contents: {
      accounts: 1,
      tokens: 1,
      channels: 1,
      requests: 3,
      ledgerEntries: 4,
      reservations: 2,
    },
    secret: { status: 'copied', file: `${file}.secret`, warning: null },
  })
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(statSync(`${file}.secret`).mode & 0o777).toBe(0o600)
  expect(readFileSync(`${file}.secret`)).toEqual(readFileSync(`${place.database}.secret`))
  const names = readdirSync(place.path).filter((name) => !/^tollgate\.db-(wal|shm)$/.test(name))
  expect(names.sort()).toEqual(['b.db', 'b.db.secret', 'tollgate.db', 'tollgate.db.secret'])
  const db = new Database(file, { readonly: true })
  expect(db.query('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' })
  db.close()
})

test('a file that is there stays; --force replaces it', async () => {
  using place = await createPlace()
  const file = place.join('b.db')
  writeFileSync(file, 'mine')
  const refusal = await refusalOf(backUp(options(place.database, file)))
  expect(refusal).toBe(
    `UserError: ${file} is there already and was left as it is. Give another path, or --force to replace it.`,
  )
  expect(readFileSync(file, 'utf8')).toBe('mine')
  expect(existsSync(`${file}.secret`)).toBeFalse()
  await backUp(options(place.database, file, { force: true }))
  expect(readFileSync(file).subarray(0, 15).toString()).toBe('SQLite format 3')
})

test('the live database is never written over, under whatever name, not even with --force', async () => {
  using place = await createPlace()
  const before = readFileSync(place.database)
  const symbolic = place.join('symbolic.db')
  symlinkSync(place.database, symbolic)
  const hard = place.join('hard.db')
  linkSync(place.database, hard)
  const folder = place.join('folder')
  mkdirSync(folder)
  const names = [
    place.database,
    `${folder}/../tollgate.db`,
    symbolic,
    hard,
    `${place.database}-wal`,
    `${place.database}-shm`,
    `${place.database}.secret`,
    `${place.database}.serving`,
  ]
  for (const file of names) {
    const refusal = await refusalOf(backUp(options(place.database, file, { force: true })))
    expect(refusal).toContain('belongs to the live database')
  }
  expect(readFileSync(place.database)).toEqual(before)
})

test('says what is wrong with the place of the backup', async () => {
  using place = await createPlace()
  const missing = await refusalOf(backUp(options(place.database, place.join('no/such/b.db'))))
  expect(missing).toBe(
    `UserError: There is no folder ${place.join('no/such')}. Make it first (mkdir -p), or give another path.`,
  )
  expect(await refusalOf(backUp(options(place.database, place.path)))).toContain('is not a file')
  const under = await refusalOf(backUp(options(place.database, `${place.database}/b.db`)))
  expect(under).toContain(`There is no folder ${place.database}`)
})

test.skipIf(process.getuid?.() === 0)('says which folder is not writable', async () => {
  using place = await createPlace()
  mkdirSync(place.join('closed'))
  chmodSync(place.join('closed'), 0o500)
  const refusal = await refusalOf(backUp(options(place.database, place.join('closed/b.db'))))
  expect(refusal).toContain(`The folder ${place.join('closed')} is not writable for this user`)
})

test('says that there is nothing to back up', async () => {
  using place = await createPlace()
  const none = await refusalOf(backUp(options(place.join('none.db'), place.join('b.db'))))
  expect(none).toContain(`There is no database ${place.join('none.db')}`)
  expect(await refusalOf(backUp(options(':memory:', place.join('b.db'))))).toContain(
    'in memory only',
  )
  expect(existsSync(place.join('none.db'))).toBeFalse()
})

test('a database whose balances are not its ledger gets no backup, and leaves nothing there', async () => {
  using place = await createPlace()
  const db = new Database(place.database)
  db.run('UPDATE account SET balance_nano = balance_nano - 5')
  db.close()
  const file = place.join('b.db')
  const refusal = await refusalOf(backUp(options(place.database, file)))
  expect(refusal).toContain(`StoreError: The database copied to ${file} is not sound`)
  expect(readdirSync(place.path).filter((name) => /^\.?b\.db/.test(name))).toEqual([])
})

test('the secret can be left out, or be in the environment; then what opens the keys is told', async () => {
  using place = await createPlace()
  const without = await backUp(options(place.database, place.join('a.db'), { withSecret: false }))
  expect(without.secret).toEqual({ status: 'left_out', file: null, warning: null })
  expect(existsSync(place.join('a.db.secret'))).toBeFalse()

  process.env.TOLLGATE_SECRET = readFileSync(`${place.database}.secret`, 'utf8').trim()
  const fromEnv = await backUp(options(place.database, place.join('b.db')))
  expect(fromEnv.secret).toEqual({ status: 'environment', file: null, warning: null })
  expect(existsSync(place.join('b.db.secret'))).toBeFalse()

  process.env.TOLLGATE_SECRET = 'another secret of good length'
  const wrong = await backUp(options(place.database, place.join('c.db')))
  expect(wrong.secret.warning).toStartWith(
    'TOLLGATE_SECRET does not open the keys of channel "main", token 1: find the secret',
  )
})

test('a secret that is nowhere to be found is a warning, and none is made up', async () => {
  using place = await createPlace()
  rmSync(`${place.database}.secret`)
  const { secret } = await backUp(options(place.database, place.join('b.db')))
  expect(secret.status).toBe('missing')
  expect(secret.warning).toContain(`There is no ${place.database}.secret`)
  expect(existsSync(`${place.database}.secret`)).toBeFalse()
})

test('the secret of an older backup is not written over, not even with --force', async () => {
  using place = await createPlace()
  const file = place.join('b.db')
  writeFileSync(`${file}.secret`, 'the secret of another database\n')
  for (const force of [false, true]) {
    const refusal = await refusalOf(backUp(options(place.database, file, { force })))
    expect(refusal).toContain(`${file}.secret is there already and holds another secret`)
  }
  expect(existsSync(file)).toBeFalse()
  expect(readFileSync(`${file}.secret`, 'utf8')).toBe('the secret of another database\n')
  // The same secret is no obstacle to the next backup.
  writeFileSync(`${file}.secret`, readFileSync(`${place.database}.secret`))
  expect((await backUp(options(place.database, file))).secret.status).toBe('copied')
})

test('an older or newer journal of the live database is in the backup, and it is not migrated', async () => {
  using place = await createPlace()
  const db = new Database(place.database)
  db.run('PRAGMA wal_autocheckpoint = 0')
  db.run("UPDATE account SET email = 'eve@example.com'")
  await backUp(options(place.database, place.join('b.db')))
  db.run('PRAGMA user_version = 77')
  const newer = await refusalOf(backUp(options(place.database, place.join('c.db'))))
  db.close()
  expect(newer).toContain('it is at version 77')
  const copy = new Database(place.join('b.db'), { readonly: true })
  expect(copy.query('SELECT email FROM account').get()).toEqual({ email: 'eve@example.com' })
  copy.close()
})

test('tells how far it is, with the size that it works towards', async () => {
  using place = await createPlace(2000)
  const steps: string[] = []
  let total = 0
  await backUp({
    ...options(place.database, place.join('b.db')),
    onProgress({ step, doneBytes, totalBytes }) {
      if (steps.at(-1) !== step) steps.push(step)
      expect(doneBytes).toBeGreaterThanOrEqual(0)
      total = totalBytes
    },
  })
  expect(steps).toEqual(['copy', 'structure', 'balances', 'contents'])
  expect(total).toBeGreaterThan(500_000)
})

test('told to stop, it removes what there is at once', async () => {
  using place = await createPlace(2000)
  const controller = new AbortController()
  let left: string[] = []
  const work = backUp({
    ...options(place.database, place.join('b.db')),
    signal: controller.signal,
    onProgress({ step }) {
      if (step !== 'structure') return
      controller.abort()
      left = readdirSync(place.path).filter((name) => /^\.?b\.db/.test(name))
    },
  })
  await refusalOf(work)
  expect(left).toEqual([])
})

test('what a kill left of a secret that was in place already goes with the next backup', async () => {
  using place = await createPlace()
  const file = place.join('b.db')
  await backUp(options(place.database, file))
  const left = place.join('.b.db.secret.0e1aa7a0c106.tmp')
  linkSync(`${file}.secret`, left)
  const past = new Date(Date.now() - 120_000)
  utimesSync(left, past, past)
  await backUp(options(place.database, file, { force: true }))
  expect(existsSync(left)).toBeFalse()
  expect(existsSync(`${file}.secret`)).toBeTrue()
})
