import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { ofSqlite } from '../support/of-sqlite.ts'
import { createWorkplace, type Workplace } from './cli.ts'

const tokenKey = 'sk-0123456789abcdefghij'
const groups = 'groups: [{ name: main, channels: [] }]'
const account = (key: string) =>
  `accounts: [{ email: kim@example.com, tokens: [{ name: t, key: ${key}, group: main }] }]`
const channel =
  'channels: [{ name: c, speaks: { chat: "https://e.example/v1" }, api_key: k, models: [m] }]'
const listen = 'server: { listen: "127.0.0.1:0" }'
const complaint = 'it was sealed with another secret. Use the secret that this database'

const changesOf = (place: Workplace, env: Record<string, string>) => {
  const run = (line: string) => place.run(line.split(' '), { env })
  const speaks = '--speaks chat=https://e.example/v1'
  return {
    channel: () =>
      place.run(`channel add second ${speaks} --model m`.split(' '), {
        env,
        stdin: 'another-key',
      }),
    token: () => run('token add --account kim@example.com --group main --name second'),
    configuration: () => run('apply'),
    serving: () => run('serve'),
  }
}

describe.each([
  ['a channel', [listen, channel, groups, account(tokenKey)]],
  ['a token alone', [listen, groups, account(tokenKey)]],
])('what needs the secret of a database with %s', (_, lines) => {
  let place: Workplace
  beforeAll(async () => {
    place = await createWorkplace()
    await place.write('tollgate.yaml', lines.join('\n'))
    expect(await place.run(['apply'])).toMatchObject({ code: 0 })
  })
  afterAll(() => place[Symbol.asyncDispose]())

  const wrong = { TOLLGATE_SECRET: 'the secret of somebody else' }

  test('is refused with another one, and nothing is changed', async () => {
    for (const [what, change] of Object.entries(changesOf(place, wrong))) {
      const { code, err } = await change()
      expect([what, code, err]).toEqual([what, 1, expect.stringContaining(complaint)])
    }
    const tokens = await place.run(['token', 'list', '--json'])
    expect(JSON.parse(tokens.out)).toHaveLength(1)
    const channels = await place.run(['channel', 'list', '--json'])
    expect(JSON.parse(channels.out)).toHaveLength(lines.includes(channel) ? 1 : 0)
  })

  test('what needs none works all the same', async () => {
    const env = wrong
    const credit = ['account', 'credit', 'kim@example.com', '5', '--reason', 'paid']
    expect(await place.run(credit, { env })).toMatchObject({ code: 0, err: '' })
    expect(await place.run(['status'], { env })).toMatchObject({ code: 0 })
    expect(await place.run(['verify'], { env })).toMatchObject({ code: 0 })
  })

  ofSqlite('a file that is missing is not made anew', async () => {
    const file = join(place.path, 'tollgate.db.secret')
    renameSync(file, `${file}.away`)
    const { code, err } = await place.run(['serve'])
    expect(code).toBe(1)
    expect(err).toContain('or the secret file beside it')
    expect(existsSync(file)).toBe(false)
    renameSync(`${file}.away`, file)
    expect(await place.run(['apply'])).toMatchObject({ code: 0 })
  })
})
