import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createWorkplace, program, type RunOptions, type Workplace } from './cli.ts'

let place: Workplace
beforeAll(async () => {
  place = await createWorkplace()
  // The smallest file that makes a database with a price in it.
  await place.write('tollgate.yaml', 'prices: { fast: { input: 1, output: 2 } }\n')
  await place.run(['apply'])
})
afterAll(() => place[Symbol.asyncDispose]())

const run = (line: string, options?: RunOptions) => place.run(line.split(' '), options)
const json = async (line: string) => JSON.parse((await run(`${line} --json`)).out)

const upstreamKey = 'sk-upstream-abcdefghijklmnopqrstuvwxyz'
const group = '默认【官转·稳定】'

test('a channel: add, list, show, disable', async () => {
  const line =
    'channel add main --speaks chat=http://127.0.0.1:9/v1 messages=http://127.0.0.1:9 ' +
    '--model fast=up-fast slow --priority -3 --weight 2 --allow-private --key-env UPSTREAM_KEY ' +
    '--quirk max_tokens --quirk thinking_budget'
  const added = await run(line, { env: { UPSTREAM_KEY: upstreamKey } })
  expect(added).toMatchObject({ code: 0, err: '' })
  const piped = 'channel add spare --speaks gemini=https://example.com --model g'
  expect(await run(piped, { stdin: `${upstreamKey}\nsecond-key\n` })).toMatchObject({ code: 0 })

  const shown = await json('channel show main')
  expect(shown).toMatchObject({
    name: 'main',
    status: 'active',
    speaks: { chat: 'http://127.0.0.1:9/v1', messages: 'http://127.0.0.1:9' },
    models: [
      { id: 'fast', upstream: 'up-fast' },
      { id: 'slow', upstream: 'slow' },
    ],
    priority: -3,
    weight: 2,
    allow_private: true,
    quirks: ['max_tokens', 'thinking_budget'],
    groups: [],
  })
  expect((await json('channel show spare')).key_hints).toHaveLength(2)

  await run('channel disable spare')
  const list = await run('channel list --json')
  expect(JSON.parse(list.out)).toMatchObject([
    { name: 'main', quirks: ['max_tokens', 'thinking_budget'] },
    { name: 'spare', status: 'disabled', quirks: [] },
  ])
  expect(list.out + JSON.stringify(shown)).not.toContain(upstreamKey)
  expect((await run('channel list')).out).toMatch(/ max_tokens, thinking_budget +none$/m)
  expect((await run('channel show main')).out).toMatch(/^Quirks +max_tokens, thinking_budget$/m)
  expect((await run('channel show spare')).out).toMatch(/^Quirks +none$/m)
})

test('a group with full-width characters: add, list in aligned columns, show', async () => {
  const added = await run(`group add ${group} --channel main --multiplier 0.8 --description \${A}`)
  expect(added).toMatchObject({ code: 0, err: '' })
  expect(added.out).toContain('can call: fast.\n')
  expect(added.out).toContain('Without a price, so not callable: slow.\n')
  expect(await json(`group show ${group}`)).toMatchObject({
    name: group,
    description: `\${A}`,
    rate_multiplier: 0.8,
    channels: ['main'],
    models: [],
    callable_models: ['fast'],
    models_without_price: ['slow'],
  })
  const lines = (await run('group list')).out.trimEnd().split('\n')
  const [head = '', row = ''] = lines
  expect(Bun.stringWidth(head.slice(0, head.indexOf('STATUS')))).toBe(
    Bun.stringWidth(row.slice(0, row.indexOf('active'))),
  )
})

test('an account and its tokens: add, list, show, disable, remove', async () => {
  await run('account add bob@example.com --balance 2.5 --role admin')
  const made = await run(
    `token add --account bob@example.com --group ${group} --ip 10.0.0.0/8 ::1 ` +
      '--model fast --expires 2030-01-31T12:00:00+01:00',
  )
  const key = made.out.trimEnd().split('\n').at(-1) ?? ''
  expect(key).toMatch(/^sk-\w{48}$/)
  const second = await json(
    `token add --account bob@example.com --group ${group} --name laptop --key sk-chosen-0123456789ab`,
  )
  expect(second).toMatchObject({ id: 2, name: 'laptop', key: 'sk-chosen-0123456789ab' })

  const account = await json('account show bob@example.com')
  expect(account).toMatchObject({
    email: 'bob@example.com',
    role: 'admin',
    status: 'active',
    balance_nano: 2_500_000_000,
    reserved_nano: 0,
    tokens: [
      {
        name: 'token-1',
        group,
        models: ['fast'],
        ip_allow: ['10.0.0.0/8', '::1'],
        expires_at: '2030-01-31T11:00:00.000Z',
      },
      { name: 'laptop', status: 'active', models: [], ip_allow: [], expires_at: null },
    ],
  })
  const table = (await run('token list')).out
  expect(table + JSON.stringify(account)).not.toContain(key)
  expect(table).toContain(`sk-${key.slice(3, 5)}…${key.slice(-4)}`)
  expect(await json('token show 1')).not.toHaveProperty('key')
  expect((await json('token show 1 --reveal')).key).toBe(key)

  await run('token disable 2')
  expect((await json('token show 2')).status).toBe('disabled')
  expect((await run('token enable 2')).out).toBe(
    'The token 2 "laptop" of bob@example.com is active.\n',
  )
  expect((await json('token show 2')).status).toBe('active')
  expect((await run('token remove 2 --yes')).code).toBe(0)
  expect((await json('token list')).map(({ id }: { id: number }) => id)).toEqual([1])
  await run('account disable bob@example.com')
  expect(await json('account show bob@example.com')).toMatchObject({
    status: 'disabled',
    role: 'admin',
    balance_nano: 2_500_000_000,
  })
})

describe('refused', () => {
  const cases: readonly (readonly [string, string, number, string])[] = [
    ['an account that exists', 'account add bob@example.com', 1, 'exists already'],
    ['one in other letters', 'account add Bob@Example.com --role admin', 1, '"bob@example.com"'],
    ['a group that exists', `group add ${group} --channel main`, 1, 'exists already'],
    [
      'a token name that exists',
      `token add --account bob@example.com --group ${group} --name token-1`,
      1,
      'exists already',
    ],
    ['an address that is none', 'account add bob', 2, 'EMAIL: "bob" is not an e-mail address'],
    [
      'too many decimals',
      'account add b@c.de --balance 0.0000000001',
      2,
      '--balance: "0.0000000001" is not an amount',
    ],
    ['an unknown channel', 'group add other --channel mian', 1, 'Did you mean "main"?'],
    [
      'an unknown group',
      'token add --account bob@example.com --group none',
      1,
      'There is no group "none"',
    ],
    ['an unknown account', 'account show rob@example.com', 1, 'Did you mean "bob@example.com"?'],
    ['an unknown token', 'token show 99', 1, 'There is no token 99'],
    [
      'an unset variable',
      'channel add c --speaks chat=http://x.de --model m --key-env NONE',
      2,
      'NONE is not set',
    ],
    [
      'an unknown protocol',
      'channel add c --speaks caht=http://x.de --model m --key-env PATH',
      2,
      'did you mean chat?',
    ],
    [
      'an unknown quirk',
      'channel add c --speaks chat=http://x.de --model m --key-env PATH --quirk max_token',
      2,
      '--quirk: "max_token" is not known: did you mean max_tokens (takes max_tokens,',
    ],
    [
      'a quirk twice',
      'channel add c --speaks chat=http://x.de --model m --key-env PATH --quirk text_only text_only',
      2,
      '--quirk repeats "text_only"',
    ],
    [
      'a block that is none',
      `token add --account bob@example.com --group ${group} --ip 10.0.0.0/99`,
      2,
      '--ip: "10.0.0.0/99" is not',
    ],
    ['removing without an answer', 'channel remove main', 2, 'add --yes'],
    ['removing a group in use', `group remove ${group} --yes`, 1, 'in use by 1 token'],
  ]
  for (const [name, line, code, message] of cases) {
    test.concurrent(name, async () => {
      const ran = await run(line)
      expect(ran.err).toContain(message)
      expect(ran.err).not.toMatch(/\n\s+at /)
      expect(ran).toMatchObject({ code, out: '' })
    })
  }
})

test('on a terminal it asks, and no answer is a no', async () => {
  const answer = async (text: string) => {
    let shown = ''
    let asked = false
    const args = ['channel', 'remove', 'spare']
    const env = await place.environment(args)
    const child = Bun.spawn([...program, ...args], {
      cwd: place.path,
      env,
      terminal: {
        data(terminal, bytes) {
          shown += new TextDecoder().decode(bytes)
          if (asked || !shown.includes('[y/N]')) return
          asked = true
          terminal.write(text)
        },
      },
    })
    return { code: await child.exited, shown }
  }
  const refused = await answer('\r')
  expect(refused.code).toBe(1)
  expect(refused.shown).toContain('Remove the channel "spare"?')
  expect(refused.shown).toContain('Nothing was changed.')
  expect((await run('channel show spare')).code).toBe(0)
  expect((await answer('y\r')).code).toBe(0)
  expect((await run('channel show spare')).code).toBe(1)
})
