import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { copyFileSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { createLogger } from '../../src/lib/log.ts'
import { openSpool } from '../../src/store/spool/spool.ts'
import { makeDatabase, tamper } from '../app/verify/scene.ts'
import { settlement } from '../store/support.ts'
import { createWorkplace, type Workplace } from './cli.ts'

const count = 1_500

let place: Workplace
beforeAll(async () => {
  place = await createWorkplace()
  await makeDatabase(join(place.path, 'tollgate.db'), count)
})
afterAll(() => place[Symbol.asyncDispose]())

/** Verifies a copy that was changed. */
async function verifyChanged(change: (db: Database) => unknown, ...options: readonly string[]) {
  tamper(join(place.path, 'tollgate.db'), join(place.path, 'changed.db'), change)
  await place.write('changed.yaml', 'store: sqlite:./changed.db\n')
  return place.run(['verify', '--config', 'changed.yaml', ...options])
}

test('says in a paragraph what agrees, and succeeds', async () => {
  const { code, out, err } = await place.run(['verify'])
  expect({ code, err }).toEqual({ code: 0, err: '' })
  expect(out).toMatch(
    /^Verified 1,503 requests and 1,\d{3} ledger entries, 40 accounts, 1 open reservation, in \d+\.\d s \([\d,]+ requests\/s\)\. The requests were charged \d+\.\d+ USD\. Every charge follows from its receipt, every balance from the ledger\.\n$/,
  )
})

test('it, "status" and "backup" tell of what waits in the spool', async () => {
  const folder = join(place.path, 'tollgate.db.spool')
  const log = createLogger({ sink() {}, pretty: false, clock: Date.now, level: 'error' })
  const spool = await openSpool(folder, '5', log)
  await spool.add(['a', 'b'].map((requestId) => settlement({ requestId })))
  await spool.close()
  const commands = [['verify'], ['status'], ['backup', join(place.path, 'copy.db')]]
  for (const { code, err } of await Promise.all(commands.map((words) => place.run(words)))) {
    expect(code).toBe(0)
    expect(err).toStartWith(`tollgate: warning: 2 settlements wait in the spool ${folder}, and not`)
  }
  rmSync(folder, { recursive: true })
})

test('for machines, and since a time', async () => {
  const whole = JSON.parse((await place.run(['verify', '--json'])).out)
  expect(whole).toMatchObject({
    valid: true,
    damaged: false,
    since: null,
    requests: count + 3,
    accounts: 40,
    reservations: 1,
    differences_total: 0,
    kinds: {},
    differences: [],
  })
  using db = new Database(join(place.path, 'tollgate.db'), { readonly: true })
  const { nano } = db.query('SELECT sum(amount_nano) AS nano FROM request').get() as {
    nano: number
  }
  expect(Number(whole.charged_usd)).toBeCloseTo(nano / 1e9, 9)

  const args = ['verify', '--since', '2026-10-06T12:00:00Z']
  const part = JSON.parse((await place.run([...args, '--json'])).out)
  expect(part).toMatchObject({ valid: true, since: '2026-10-06T12:00:00.000Z' })
  expect(part.requests).toBeLessThan(whole.requests)
  expect((await place.run(args)).out).toContain('from 2026-10-06 12:00:00 UTC on')
})

test('names what differs on stdout, sums it up on stderr, and fails', async () => {
  const { code, out, err } = await verifyChanged((db) => {
    db.run('UPDATE account SET balance_nano = 7 WHERE id = 5')
    db.run("UPDATE reservation SET amount_nano = 1 WHERE request_id = 'req_open'")
  })
  expect(code).toBe(1)
  const [balance, reserved, summary, ...more] = out.trimEnd().split('\n')
  expect(more).toEqual([])
  expect(balance).toMatch(
    /^account 5 \(account-5@example.com\): balance_nano is 7, should be \d+: the sum of its ledger entries$/,
  )
  expect(reserved).toStartWith('account 7 (account-7@example.com): reserved_nano is 1000000')
  expect(summary).toEndWith('2 differences found.')
  expect(err).toBe(
    'tollgate: The records do not agree with one another: 2 differences (1 balance, 1 reserved).\n',
  )
})

test('with very many differences the first 1,000 are listed, and all are counted', async () => {
  const spoil = (db: Database) => db.run('UPDATE request SET multiplier_millionths = 1')
  const text = await verifyChanged(spoil)
  expect(text.code).toBe(1)
  const lines = text.out.trimEnd().split('\n')
  expect(lines).toHaveLength(1000 + 2)
  const [, more] = /^… and (\d+) differences more\.$/.exec(lines[1000] ?? '') ?? []
  expect(Number(more)).toBeGreaterThan(0)

  const json = JSON.parse((await verifyChanged(spoil, '--json')).out)
  expect(json).toMatchObject({ valid: false, differences_total: 1000 + Number(more) })
  expect(json.kinds).toEqual({ amount: 1000 + Number(more) })
  expect(json.differences).toHaveLength(1000)
  expect(json.differences[0]).toEqual({
    kind: 'amount',
    row: expect.stringMatching(/^request req_/),
    changes: [{ field: 'amount_nano', stored: expect.any(Number), expected: expect.any(Number) }],
    reason: expect.stringContaining('by its counts, its multiplier and price'),
  })
})

test('control characters that somebody has stored do not reach the terminal', async () => {
  const { out } = await verifyChanged((db) => {
    db.run("UPDATE account SET balance_nano = 7, email = 'x' || char(27) || '[2J' WHERE id = 5")
  })
  expect(out).toContain('account 5 (x\\u001b[2J)')
})

/** Overwrites a page in the middle of the requests. */
function damage(path: string): void {
  using db = new Database(path)
  const { offset } = db
    .query(
      'SELECT pgoffset AS offset FROM dbstat ' +
        "WHERE name = 'request' AND pagetype = 'leaf' LIMIT 1 OFFSET 9",
    )
    .get() as { offset: number }
  db.close()
  writeSync(openSync(path, 'r+'), Buffer.alloc(2_000, 0xa5), 0, 2_000, offset)
}

test('a damaged file is told, and nothing else is', async () => {
  const path = join(place.path, 'damaged.db')
  copyFileSync(join(place.path, 'tollgate.db'), path)
  damage(path)
  await place.write('damaged.yaml', 'store: sqlite:./damaged.db\n')
  const { code, out, err } = await place.run(['verify', '--config', 'damaged.yaml'])
  expect(code).toBe(1)
  expect(out).toMatch(/^table request: /m)
  expect(out).not.toContain('Verified')
  expect(err).toMatch(/The database file is damaged: \d+ differences? \(\d+ damage\)/)
  expect(err).toContain('restore a backup')
  const { out: json } = await place.run(['verify', '--json', '--config', 'damaged.yaml'])
  expect(JSON.parse(json)).toMatchObject({ valid: false, damaged: true, requests: 0 })
})

test('a rule of a table that a row breaks is told with the row that it is', async () => {
  const { out, code } = await verifyChanged((db) => {
    db.run('PRAGMA ignore_check_constraints = ON')
    db.run('UPDATE request SET amount_nano = -5 WHERE id = 8')
  })
  expect(code).toBe(1)
  expect(out).toContain('table request: CHECK constraint failed in request')
  expect(out).toMatch(/^request req_\w+: amount_nano is -5: not a count/m)
})

test('what it changes is nothing', async () => {
  const path = join(place.path, 'tollgate.db')
  const before = Bun.hash(readFileSync(path))
  await place.run(['verify'])
  expect(Bun.hash(readFileSync(path))).toBe(before)
})

test.each([
  [['verify', '--since', 'yesterday'], 2, 'Write a date (2026-11-21)'],
  [['verify', '--config', 'nowhere.yaml'], 1, 'There is no file nowhere.yaml'],
  [['verify', 'everything'], 2, 'too many arguments'],
])('%j is refused with the way out', async (args, code, text) => {
  const ran = await place.run(args)
  expect(ran.code).toBe(code)
  expect(ran.err).toContain(text)
})

test('help has examples', async () => {
  const { out, code } = await place.run(['verify', '--help'])
  expect(code).toBe(0)
  expect(out).toContain('tollgate verify --since 7d --json')
})
