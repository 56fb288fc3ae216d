import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { move } from '../../src/app/move/move.ts'
import { differingTables } from '../app/move/scene.ts'
import { ask, createDatabase, hasPostgres } from '../support/postgres.ts'
import { createWorkplace, type Workplace } from './cli.ts'

const key = 'sk-0123456789abcdefghij'
const yaml = `store: sqlite:./gate.db
channels:
  - { name: main, speaks: { chat: "https://upstream.example/v1" }, api_key: key-1, models: [small] }
groups:
  - { name: default, channels: [main] }
prices:
  small: { input: 1, output: 2 }
accounts:
  - email: ann@example.com
    balance: 100
    tokens: [{ name: laptop, key: ${key}, group: default }]
`

async function createGateway(): Promise<Workplace> {
  const place = await createWorkplace()
  await place.write('tollgate.yaml', yaml)
  expect((await place.run(['apply', '--yes'])).code).toBe(0)
  return place
}

/** Adds so many audit rows: enough that moving them takes a while. */
function addRows(file: string, count: number): void {
  const db = new Database(file)
  db.query(
    `INSERT INTO audit (created_at, actor, action, subject, detail)
     WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
     SELECT i, 'ann', 'noted', 'row ' || i, '{"text":"' || hex(randomblob(150)) || '"}' FROM n`,
  ).run(count)
  db.close()
}

const withoutPassword = (url: string) => {
  const { host, pathname } = new URL(url)
  return `postgres://${host}${pathname}`
}

test('what can not be understood is wrong use, and names no password', async () => {
  await using place = await createWorkplace()
  for (const words of [
    ['sqlite:a.db'],
    ['a.db', 'sqlite:b.db'],
    ['sqlite:a.db', 'postgres://x:word@h h'],
  ]) {
    const { code, out, err } = await place.run(['migrate', ...words])
    expect({ code, out }).toEqual({ code: 2, out: '' })
    expect(err).not.toContain('word')
  }
  const missing = await place.run(['migrate', 'sqlite:a.db', 'sqlite:b.db'])
  expect(missing).toMatchObject({ code: 1, out: '' })
  expect(missing.err).toContain('There is no database')
  expect(missing.err.trimEnd().split('\n')).toHaveLength(1)
})

describe.skipIf(!hasPostgres)('migrate', () => {
  test('says what was moved, compared and verified, and what is to be done', async () => {
    await using place = await createGateway()
    await using database = await createDatabase()
    const moved = await place.run(['migrate', 'sqlite:./gate.db', database.url])
    expect(moved).toMatchObject({ code: 0, err: '' })
    expect(moved.out).not.toContain(new URL(database.url).password)
    expect(moved.out).toContain(`To               ${withoutPassword(database.url)}\n`)
    expect(moved.out).toContain('  account        1 row, balance 100 USD, reserved 0 USD\n')
    expect(moved.out).toContain(
      `with the same TOLLGATE_SECRET. It is what is in ${place.path}/gate.db.secret.`,
    )

    const secret = (await Bun.file(join(place.path, 'gate.db.secret')).text()).trim()
    const back = await place.run(['migrate', database.url, 'sqlite:./back.db', '--json'], {
      env: { TOLLGATE_SECRET: secret },
    })
    expect(back).toMatchObject({ code: 0, err: '' })
    expect(JSON.parse(back.out)).toMatchObject({
      source: withoutPassword(database.url),
      target: join(place.path, 'back.db'),
      resumed_rows: 0,
      secret: { status: 'environment', warning: null },
      verified: { valid: true, ledger_entries: 1, accounts: 1 },
    })
    await place.write('back.yaml', 'store: sqlite:./back.db\n')
    const shown = await place.run(['token', 'show', '1', '--reveal', '--json', '-c', 'back.yaml'], {
      env: { TOLLGATE_SECRET: secret },
    })
    expect(JSON.parse(shown.out)).toMatchObject({ key })
  })

  test('takes the password from the environment', async () => {
    await using place = await createGateway()
    await using database = await createDatabase()
    const { username, password, host, pathname } = new URL(database.url)
    const words = ['migrate', 'sqlite:./gate.db', `postgres://${username}@${host}${pathname}`]
    const refused = await place.run(words, { env: { PGPASSWORD: 'wrong' } })
    expect(refused).toMatchObject({ code: 1, out: '' })
    expect(refused.err).toContain('refuses this user: check user and password')
    const env = { PGPASSWORD: decodeURIComponent(password) }
    expect(await place.run(words, { env })).toMatchObject({ code: 0, err: '' })
  })

  test('fails with 1 when the records that were moved are not sound', async () => {
    await using place = await createGateway()
    const db = new Database(join(place.path, 'gate.db'))
    db.run('UPDATE account SET balance_nano = balance_nano + 1')
    db.close()
    const moved = await place.run(['migrate', 'sqlite:./gate.db', 'sqlite:./new.db', '--json'])
    expect(moved.code).toBe(1)
    expect(JSON.parse(moved.out)).toMatchObject({
      verified: { valid: false, differences_total: 1 },
    })
    expect(moved.err).toContain('It is the same in the old place')
  })

  test.each(['SIGKILL', 'SIGTERM'] as const)(
    'ended by %s it goes on from there; nothing serves from what is half moved',
    async (signal) => {
      expect(await inTime((rows) => goesOnAfter(signal, rows))).toBeTrue()
    },
    120_000,
  )

  test('serve refuses a file that is half moved, with the way out', async () => {
    expect(await inTime(isRefusedHalfMoved)).toBeTrue()
  }, 120_000)
})

/** False is too late: a busy machine ends a move when it is over. It gets more to move then. */
async function inTime(attempt: (rows: number) => Promise<boolean>): Promise<boolean> {
  for (let rows = 30_000; rows < 1_000_000; rows *= 2) if (await attempt(rows)) return true
  return false
}

async function goesOnAfter(signal: 'SIGKILL' | 'SIGTERM', rows: number): Promise<boolean> {
  await using place = await createGateway()
  await using database = await createDatabase()
  const file = join(place.path, 'gate.db')
  addRows(file, rows)
  const words = ['migrate', 'sqlite:./gate.db', database.url]
  let reached = 0
  for (let times = 0; times < 3; times++) {
    const child = await place.start(words)
    await untilMoved(child, database.url, reached + 5_000)
    child.kill(signal)
    const err = await child.stderr.text()
    if ((await child.exited) === 0) return false
    expect(await child.exited).toBe(signal === 'SIGKILL' ? 137 : 143)
    if (signal === 'SIGTERM') expect(err).toContain('the same command goes on from there')
    reached = await movedRows(database.url)
  }
  const source = { engine: 'postgres', url: database.url } as const
  const back = { engine: 'sqlite', path: join(place.path, 'back.db') } as const
  await expect(move({ source, target: back, isRestarted: false })).rejects.toThrow(
    'is not whole: moving another one into it was begun and not finished',
  )
  const moved = await place.run([...words, '--json'])
  // A slow machine sees which step it waits for.
  expect(moved).toMatchObject({ code: 0, err: expect.stringMatching(/^(tollgate: .+ …\n)*$/) })
  expect(JSON.parse(moved.out).resumed_rows).toBeGreaterThanOrEqual(reached)
  process.env.TOLLGATE_SECRET = (await Bun.file(`${file}.secret`).text()).trim()
  try {
    await move({ source, target: back, isRestarted: false })
  } finally {
    delete process.env.TOLLGATE_SECRET
  }
  expect(differingTables(file, back.path)).toEqual([])
  return true
}

async function isRefusedHalfMoved(rows: number): Promise<boolean> {
  await using place = await createGateway()
  addRows(join(place.path, 'gate.db'), rows)
  await place.write('new.yaml', 'store: sqlite:./new.db\nserver: { listen: "127.0.0.1:0" }\n')
  const moving = ['migrate', 'sqlite:./gate.db', 'sqlite:./new.db']
  const child = await place.start(moving)
  await untilRows(child, join(place.path, 'new.db'))
  child.kill('SIGKILL')
  if ((await child.exited) === 0) return false
  const refused = await place.run(['serve', '-c', 'new.yaml'])
  expect(refused).toMatchObject({ code: 1, out: '' })
  expect(refused.err).toContain('is not whole')
  expect(refused.err).toContain('Run "tollgate migrate" again as before')
  expect(await place.run(moving)).toMatchObject({ code: 0, err: '' })
  expect(differingTables(join(place.path, 'gate.db'), join(place.path, 'new.db'))).toEqual([])
  const words = ['token', 'show', '1', '--reveal', '--json', '-c', 'new.yaml']
  expect(JSON.parse((await place.run(words)).out)).toMatchObject({ key })
  return true
}

type Moving = Pick<Bun.Subprocess, 'exitCode'>

/** How many rows a move has marked as moved, unless it is over. */
async function movedRows(url: string): Promise<number> {
  const text = 'SELECT so_far FROM unfinished_move'
  const [mark] = await ask<{ so_far: string | null }>(url, text).catch(() => [])
  return JSON.parse(mark?.so_far ?? 'null')?.rows ?? 0
}

/** Waits until so many rows were moved, or all. */
async function untilMoved(child: Moving, url: string, rows: number): Promise<void> {
  while (child.exitCode === null && (await movedRows(url)) < rows) await Bun.sleep(5)
}

/** Waits until the first rows were moved into a file, or all. */
async function untilRows(child: Moving, path: string): Promise<void> {
  while (child.exitCode === null) {
    try {
      using db = new Database(path, { readonly: true })
      const mark = db.query('SELECT so_far FROM unfinished_move').get() as { so_far: string | null }
      if (mark.so_far?.includes('audit')) return
    } catch {
      // It is not made yet.
    }
    await Bun.sleep(5)
  }
}
