import { expect, test } from 'bun:test'
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createWorkplace, type Workplace } from './cli.ts'

const yaml = (store: string) => `store: sqlite:${store}
channels:
  - { name: main, speaks: { chat: "https://upstream.example/v1" }, api_key: key-1, models: [small] }
groups:
  - { name: default, channels: [main] }
prices:
  small: { input: 1, output: 2 }
accounts:
  - email: ann@example.com
    balance: 100
    tokens: [{ name: laptop, key: sk-0123456789abcdefghij, group: default }]
`

async function createGateway(): Promise<Workplace> {
  const place = await createWorkplace()
  await place.write('tollgate.yaml', yaml('./gate.db'))
  await place.write('elsewhere.yaml', 'store: sqlite:./elsewhere/gate.db\n')
  mkdirSync(join(place.path, 'elsewhere'))
  expect((await place.run(['apply', '--yes'])).code).toBe(0)
  return place
}

test('backup and restore say what there is, what was checked, and what must be kept together', async () => {
  await using place = await createGateway()
  const file = join(place.path, 'b.db')
  const backup = await place.run(['backup', 'b.db'])
  expect(backup).toMatchObject({ code: 0, err: '' })
  expect(backup.out.replace(/\d+ kB, in .*$/m, 'N kB, in N ms')).toBe(`Backup   ${file}
Of       ${join(place.path, 'gate.db')}
Size     N kB, in N ms
Holds    1 account, 1 token, 0 requests, 1 ledger entry
Checked  undamaged; every balance is the sum of its ledger entries
Secret   ${file}.secret

Keep both files together: ${file}.secret opens the keys in the backup, so whoever has both has your upstream keys.
`)

  const restored = await place.run(['restore', 'b.db', '-c', 'elsewhere.yaml'])
  expect(restored).toMatchObject({ code: 0, err: '' })
  expect(restored.out.replace(/, in .*$/m, ', in N ms')).toBe(
    `Database     ${join(place.path, 'elsewhere/gate.db')}
From         ${file}, in N ms
Holds        1 account, 1 token, 0 requests, 1 ledger entry
Checked      undamaged; every balance is the sum of its ledger entries
Interrupted  none was under way at the time of the backup
Secret       copied from ${file}.secret; it opens the keys

It is ready: tollgate serve
`,
  )
  const shown = await place.run([
    'token',
    'show',
    '1',
    '--reveal',
    '--json',
    '-c',
    'elsewhere.yaml',
  ])
  expect(JSON.parse(shown.out)).toMatchObject({ key: 'sk-0123456789abcdefghij' })
})

test('for machines, and for nobody’s eyes the secret', async () => {
  await using place = await createGateway()
  const backup = await place.run(['backup', 'b.db', '--json', '--no-secret'])
  expect(backup).toMatchObject({ code: 0, err: '' })
  expect(JSON.parse(backup.out)).toMatchObject({
    file: join(place.path, 'b.db'),
    accounts: 1,
    ledger_entries: 1,
    open_reservations: 0,
    checked: ['quick_check', 'balances'],
    secret: { status: 'left_out', file: null, warning: null },
  })
  expect(existsSync(join(place.path, 'b.db.secret'))).toBeFalse()
  const secret = readFileSync(join(place.path, 'gate.db.secret'), 'utf8').trim()
  expect(backup.out).not.toContain(secret)

  const none = await place.run(['restore', 'b.db', '-c', 'elsewhere.yaml', '--json'])
  expect(none).toMatchObject({ code: 1, out: '' })
  expect(none.err).toContain('There is no secret for the keys in')
  expect(none.err).not.toMatch(/\n\s+at /)
  const env = { TOLLGATE_SECRET: secret }
  const restored = await place.run(['restore', 'b.db', '-c', 'elsewhere.yaml', '--json'], { env })
  expect(JSON.parse(restored.out)).toMatchObject({
    database: join(place.path, 'elsewhere/gate.db'),
    interrupted: 0,
    checked: ['integrity_check', 'balances'],
    secret: { status: 'environment', file: null, warning: null },
  })
})

test('where the secret is, if not beside the backup, is told', async () => {
  await using place = await createGateway()
  const without = await place.run(['backup', 'a.db', '--no-secret'])
  expect(without.out).toContain('Secret   left out (--no-secret)')
  expect(without.out).toContain(
    `Keep ${join(place.path, 'gate.db')}.secret, too: without it the keys`,
  )
  const env = { TOLLGATE_SECRET: 'another secret of good length' }
  const wrong = await place.run(['backup', 'b.db'], { env })
  expect(wrong.code).toBe(0)
  expect(wrong.err).toContain('tollgate: warning: TOLLGATE_SECRET does not open the keys of')
  expect(wrong.out).toContain('Keep the value of TOLLGATE_SECRET, too')
})

test('refusals end with 1 and one line, and change nothing', async () => {
  await using place = await createGateway()
  await place.write('b.db', 'mine')
  const before = readdirSync(place.path).sort()
  for (const [words, message] of [
    [['backup', 'b.db'], 'is there already and was left as it is'],
    [['backup', 'gate.db', '--force'], 'belongs to the live database'],
    [['backup', 'no/such/b.db'], 'There is no folder'],
    [['backup', 'c.db', '-c', 'elsewhere.yaml'], 'There is no database'],
    [['restore', 'b.db'], 'There is something in the place of the database'],
    [['restore', 'b.db', '-c', 'elsewhere.yaml'], 'is no SQLite database'],
  ] as const) {
    const { code, out, err } = await place.run(words)
    expect({ code, out, lines: err.trimEnd().split('\n').length }).toEqual({
      code: 1,
      out: '',
      lines: 1,
    })
    expect(err).toContain(message)
  }
  expect(readdirSync(place.path).sort()).toEqual(before)
})
