import { afterAll, beforeAll, expect, test } from 'bun:test'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { createWorkplace, type Workplace } from './cli.ts'

let place: Workplace
beforeAll(async () => {
  place = await createWorkplace()
})
afterAll(() => place[Symbol.asyncDispose]())

const env = { OPENAI_API_KEY: 'sk-upstream-0123456789', ADMIN_PASSWORD: 'hunter2hunter2' }

test('init writes a file that only its owner can read, and never over another', async () => {
  const first = await place.run(['init', '--by-file'])
  expect(first).toMatchObject({ code: 0, err: '' })
  const file = join(place.path, 'tollgate.yaml')
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  const text = await Bun.file(file).text()

  const second = await place.run(['init', '--by-file'])
  expect(second).toMatchObject({ code: 1, out: '' })
  expect(second.err).toBe(
    'tollgate: tollgate.yaml exists and was left as it is. --force overwrites it.\n',
  )
  expect(await Bun.file(file).text()).toBe(text)

  expect((await place.run(['init', '--by-file', '--force'])).code).toBe(0)
  const key = /key: (sk-\w+)/
  expect(key.exec(await Bun.file(file).text())?.[1]).not.toBe(key.exec(text)?.[1])
})

test('a broken file is told with its lines, without a stack', async () => {
  const ran = await place.run(['plan'])
  expect(ran).toMatchObject({ code: 1, out: '' })
  expect(ran.err).toMatch(/tollgate\.yaml:\d+:\d+: .*OPENAI_API_KEY, which is not set\n/)
  expect(ran.err).not.toMatch(/\n\s+at /)
})

test('plan shows, apply does, and both then find nothing to do', async () => {
  const planned = await place.run(['plan'], { env })
  expect(planned).toMatchObject({ code: 0, err: '' })
  expect(planned.out).toContain('+ channel openai-main\n')
  expect(planned.out).toMatch(
    /\d+ to create, 0 to update, 0 to remove\. "tollgate apply" does it\.\n$/,
  )
  expect(planned.out + planned.err).not.toContain(env.OPENAI_API_KEY)
  expect(await Bun.file(join(place.path, 'tollgate.db')).exists()).toBe(false)

  const applied = await place.run(['apply', '--json'], { env })
  const report = JSON.parse(applied.out)
  expect(report).toMatchObject({ applied: true })
  expect(report.changes).toContainEqual(
    expect.objectContaining({ action: 'create', kind: 'account', name: 'admin@example.com' }),
  )

  const again = await place.run(['plan', '--json'], { env })
  expect(JSON.parse(again.out)).toEqual({ applied: false, changes: [], held_back: [] })
})

test('commands on data need only the store of the file', async () => {
  const listed = await place.run(['account', 'list', '--json'])
  expect(listed).toMatchObject({ code: 0, err: '' })
  expect(JSON.parse(listed.out)).toMatchObject([{ email: 'admin@example.com', role: 'admin' }])
})

test('pruning asks first, and without a terminal needs --yes', async () => {
  await place.run(['account', 'add', 'guest@example.com', '--balance', '1.5'])
  expect((await place.run(['plan'], { env })).out).toContain('Nothing to change')
  expect((await place.run(['plan', '--prune'], { env })).out).toContain(
    '- account guest@example.com\n',
  )

  const asked = await place.run(['apply', '--prune'], { env })
  expect(asked.code).toBe(2)
  expect(asked.err).toContain('Remove 1? Their records are kept. There is no terminal')
  expect(asked.err).toContain('--yes')
  expect((await place.run(['account', 'show', 'guest@example.com'])).code).toBe(0)

  const pruned = await place.run(['apply', '--prune', '--yes'], { env })
  expect(pruned.out).toEndWith('Done: 0 created, 0 updated, 1 removed.\n')
  expect((await place.run(['account', 'show', 'guest@example.com'])).code).toBe(1)
})

test('an update names what it changes', async () => {
  const file = join(place.path, 'tollgate.yaml')
  const text = await Bun.file(file).text()
  await place.write('tollgate.yaml', text.replace(/input: [\d.]+/, 'input: 7.25'))
  const { out } = await place.run(['plan'], { env })
  expect(out).toMatch(/^~ price \S+\n {4}input {2}[\d.]+ → 7\.25\n0 to create, 1 to update/)
})
