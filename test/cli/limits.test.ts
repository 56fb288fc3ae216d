import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { noLimits } from '../support/no-limits.ts'
import { openStoreOf } from '../support/store-beside.ts'
import { createBalances } from './balances.ts'
import type { RunOptions, Workplace } from './cli.ts'

let place: Workplace
beforeAll(async () => {
  place = await createBalances()
})
afterAll(() => place[Symbol.asyncDispose]())

const run = (line: string, options?: RunOptions) => place.run(line.split(' '), options)
const json = async (line: string, options?: RunOptions) =>
  JSON.parse((await run(`${line} --json`, options)).out)
const newestAudit = async () => (await json('audit list --limit 1'))[0]

test('a token: set changes what is named, show and list tell it, the audit says from what', async () => {
  expect(await json('token show 1')).toMatchObject({ limits: noLimits })
  const set = await run('token set 1 --rpm 600 --tpm 9000')
  expect(set.code).toBe(0)
  expect(set.out).toMatch(/^Limits +600 rpm, 9,000 tpm$/m)
  expect(set.err).toContain('the configuration file names this token')
  const limits = { rpm: 600, tpm: null, concurrency: 4 }
  expect(await json('token set 1 --tpm none --concurrency 4')).toMatchObject({ limits })
  expect(await newestAudit()).toMatchObject({
    action: 'token.set',
    subject: 'token 1',
    detail: { tpm: { from: 9_000, to: null }, concurrency: { from: null, to: 4 } },
  })
  expect(await json('token set 1 --budget 5')).toMatchObject({ limits })
  expect(await json('token list')).toMatchObject([{ limits }])
  expect((await run('token list')).out).toMatch(/ 600 rpm, 4 at once /)
})

test('an account: the same, and the file has the last word only where it names limits', async () => {
  expect((await run('account show kim@example.com')).out).toMatch(/^Limits +none$/m)
  const set = await run('account set kim@example.com --rpm 60 --concurrency 2')
  expect(set).toMatchObject({ code: 0, err: '' })
  expect(set.out).toMatch(/^Limits +60 rpm, 2 at once$/m)
  expect(await newestAudit()).toMatchObject({
    action: 'account.set',
    subject: 'kim@example.com',
    detail: { rpm: { from: null, to: 60 }, concurrency: { from: null, to: 2 } },
  })
  expect((await run('apply')).code).toBe(0)
  const limits = { rpm: 60, tpm: null, concurrency: 2 }
  expect(await json('account show kim@example.com')).toMatchObject({ limits })
  expect((await run('account list')).out).toMatch(/^kim@example.com .* 60 rpm, 2 at once$/m)

  const file = await Bun.file(join(place.path, 'tollgate.yaml')).text()
  await place.write('named.yaml', file.replace('balance: 3', 'balance: 3\n    limits: { tpm: 5 }'))
  const named = await run('account set kim@example.com --rpm none --config named.yaml')
  expect(named.err).toContain('the configuration file sets limits of kim@example.com')
})

test('add takes limits, of accounts, tokens, groups and channels', async () => {
  const account = await json('account add new@example.com --rpm 7')
  expect(account).toMatchObject({ limits: { ...noLimits, rpm: 7 } })
  const token = await json('token add --account new@example.com --group main --tpm 8')
  expect(token).toMatchObject({ limits: { ...noLimits, tpm: 8 } })
  const options = '--rpm 1 --tpm none --concurrency 3'
  const limits = { rpm: 1, tpm: null, concurrency: 3 }
  expect(await json(`group add trial --channel main ${options}`)).toMatchObject({ limits })
  expect((await run('group show trial')).out).toMatch(/^Limits +1 rpm, 3 at once$/m)
  expect((await run('group list')).out).toMatch(/^trial .* 1 rpm, 3 at once +1$/m)
  const add = `channel add other --speaks chat=http://x.example --model m ${options}`
  expect(await json(add, { stdin: 'a-key\n' })).toMatchObject({ limits, proxy: null })
  expect((await run('channel show other')).out).toMatch(/^Limits +1 rpm, 3 at once$/m)
  expect((await run('channel list')).out).toMatch(/^other .* 1 rpm, 3 at once /m)
})

test('a group in which everything is free is made with a warning', async () => {
  const made = await run('group add gift --channel main --multiplier 0')
  expect(made.code).toBe(0)
  expect(made.err).toContain(
    'warning: the multiplier is 0: every request in the group gift is free',
  )
  expect((await run('group add paid --channel main --multiplier 0.1')).err).not.toContain('free')
})

test('the proxy of a channel comes from a variable, is kept, and is never shown', async () => {
  const env = { PROXY: 'http://user:hunter2@proxy.example:3128', KEY: 'a-key' }
  const add =
    'channel add far --speaks chat=http://x.example --model m --key-env KEY --proxy-env PROXY'
  const added = await run(add, { env })
  expect(added).toMatchObject({ code: 0, err: '' })
  const sealed = async () => {
    const store = await openStoreOf(place.path)
    const { channels } = await store.catalog.load()
    await store.close()
    return channels.find(({ name }) => name === 'far')?.proxySealed
  }
  const before = await sealed()
  for (const line of ['disable far', 'enable far', 'drain far']) await run(`channel ${line}`)
  expect(before?.length).toBeGreaterThan(10)
  expect(await sealed()).toEqual(before ?? null)
  const shown = await run('channel show far')
  expect(shown.out).toMatch(/^Proxy +set$/m)
  expect(await json('channel show far')).toMatchObject({ proxy: 'set', status: 'draining' })
  expect(added.out + shown.out + (await run('channel list --json')).out).not.toContain('hunter2')
})

test('a probe of the file is shown', async () => {
  const file = await Bun.file(join(place.path, 'tollgate.yaml')).text()
  await place.write(
    'probed.yaml',
    file.replace('models: [m]', 'models: [m], probe: { every: 90s }'),
  )
  expect((await run('apply --config probed.yaml')).code).toBe(0)
  expect((await run('channel show main')).out).toMatch(/^Probe +m every 90 s$/m)
  expect(await json('channel show main')).toMatchObject({
    probe: { every_ms: 90_000, model: null },
  })
})

describe('refused', () => {
  const most = 'Write a whole number from 1 to 1000000000, or none.'
  const channel = 'channel add c --speaks chat=http://x.example --model m --key-env PATH'
  const cases: readonly (readonly [string, number, string])[] = [
    ...['0', '-1', '1.5', 'abc', '1000000001', 'null'].map(
      (value) => [`token set 1 --rpm ${value}`, 2, most] as const,
    ),
    ['token set 1 --tpm 0', 2, most],
    ['token set 1 --concurrency 1.5', 2, most],
    ...['account set kim@example.com', 'group add g --channel main', channel].map(
      (line) => [`${line} --rpm 0`, 2, most] as const,
    ),
    ['token set 1 --rpm', 2, "option '--rpm <number>' argument missing"],
    ['token set 99 --rpm 1', 1, 'There is no token 99.'],
    ['account set x@y.z --rpm 1', 1, 'There is no account "x@y.z".'],
    [
      'account set kim@example.com',
      2,
      'Name what is to change: --credit-limit, --low-balance, --rpm',
    ],
    [`${channel} --proxy-env NONE`, 2, '--proxy-env: the environment variable NONE is not set.'],
    [`${channel} --proxy-env SOCKS`, 2, '--proxy-env is a SOCKS proxy'],
    [`${channel} --proxy-env BARE`, 2, '--proxy-env is not a proxy: write http:// or https://'],
  ]
  const env = { SOCKS: 'socks5://u:hunter2@p.example:1', BARE: 'u:hunter2@p.example:1' }
  for (const [line, code, message] of cases) {
    test.concurrent(line, async () => {
      const ran = await run(line, { env })
      expect(ran.err).toContain(message)
      expect(ran.err).not.toMatch(/\n\s+at |hunter2/)
      expect(ran).toMatchObject({ code, out: '' })
    })
  }
})
