import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { settlement } from '../store/support.ts'
import { noLimits } from '../support/no-limits.ts'
import { openStoreOf } from '../support/store-beside.ts'
import { createBalances } from './balances.ts'
import type { Workplace } from './cli.ts'

let place: Workplace
beforeAll(async () => {
  place = await createBalances('{ balance_low_threshold: 2.5 }')
})
afterAll(() => place[Symbol.asyncDispose]())

const account = (line: string) => place.run(['account', ...line.split(' ')])
const json = async (line: string) => JSON.parse((await account(`${line} --json`)).out)

test('show and list tell limit, reserve, and whether the balance is low by the settings', async () => {
  const kim = {
    email: 'kim@example.com',
    role: 'user',
    vouched: true,
    status: 'active',
    balance_nano: 3_000_000_000,
    reserved_nano: 0,
    credit_limit_nano: 1_000_000_000,
    balance_low: false,
    balance_low_threshold_nano: 2_500_000_000,
    overdrawn_nano: 0,
    limits: noLimits,
    regions: null,
    token_count: 1,
    created_at: expect.stringMatching(/Z$/),
  }
  expect(await json('show kim@example.com')).toEqual({ ...kim, tokens: [expect.anything()] })
  const [first, second] = await json('list')
  expect(first).toEqual(kim)
  expect(second).toMatchObject({ balance_nano: 0, balance_low: true, credit_limit_nano: 0 })
  const { out } = await account('list')
  expect(out).toMatch(
    /^EMAIL +ROLE +STATUS +BALANCE +LOW +RESERVED +CREDIT LIMIT +TOKENS +LIMITS$/m,
  )
  expect(out).toMatch(/^kim@example\.com +user +active +3\.00 USD +0\.00 USD +1\.00 USD +1 +none$/m)
  expect(out).toMatch(
    /^lee@example\.com +user +active +0\.00 USD +low +0\.00 USD +0\.00 USD +0 +none$/m,
  )
  expect((await account('show lee@example.com')).out).toMatch(
    /^Low balance +yes, low is below 2\.50 USD$/m,
  )
})

test('who is overdrawn is told in lists, by itself and in the status', async () => {
  await using owing = await createBalances()
  const run = async (line: string) => (await owing.run(line.split(' '))).out
  expect(await run('status')).not.toContain('overdrawn')
  const store = await openStoreOf(owing.path)
  const settle = [settlement({ requestId: 'req_1', amountNano: 4_500_000_000 })]
  await store.records.commit({ settle })
  await store.close()
  expect(await run('account list')).toMatch(/^kim@example\.com .* -1\.50 USD +overdrawn /m)
  expect(await run('account show kim@example.com')).toMatch(
    /^Overdrawn +by 0\.50 USD, since request req_1; it can spend again when that is paid$/m,
  )
  expect(JSON.parse(await run('account show kim@example.com --json'))).toMatchObject({
    ...{ overdrawn_nano: 500_000_000, overdrawn_by: 'req_1' },
  })
  expect(await run('status')).toEndWith(
    '1 account is overdrawn:\n  kim@example.com by 0.50 USD, since request req_1\n',
  )
  expect(JSON.parse(await run('status --json')).overdrawn).toEqual({
    count: 1,
    accounts: [
      {
        ...{ email: 'kim@example.com', balance_nano: -1_500_000_000 },
        ...{ credit_limit_nano: 1_000_000_000, overdrawn_nano: 500_000_000, request_id: 'req_1' },
      },
    ],
  })
})

test('what is set aside for requests under way is told beside the balance', async () => {
  const store = await openStoreOf(place.path)
  const reservation = {
    requestId: 'req_1',
    createdAt: Date.now(),
    accountId: 1,
    tokenId: 1,
    groupId: 1,
    model: 'm',
    clientProtocol: 'chat',
    operation: 'completions',
    stream: true,
    priceId: 1,
    multiplierMillionths: 1_000_000,
    amountNano: 500_000_000,
  }
  await store.records.commit({ reserve: [reservation] })
  await store.close()
  const reserved = { balance_nano: 3_000_000_000, reserved_nano: 500_000_000 }
  expect(await json('show kim@example.com')).toMatchObject(reserved)
  expect((await json('list'))[0]).toMatchObject(reserved)
  expect((await account('show kim@example.com')).out).toMatch(/^Reserved +0\.50 USD$/m)
})

test('what was set in the console counts where the file leaves it open, and only there', async () => {
  const name = 'settings.balance_low_threshold'
  const set = async (value: string | null) => {
    const store = await openStoreOf(place.path)
    await store.edits.setSettings(new Map([[name, value]]), { actor: 'admin@example.com' })
    await store.close()
  }
  await place.write('open.yaml', 'settings: { max_attempts: 3 }\n')
  await set('3.5')
  const threshold = async (file: string) =>
    (await json(`list --config ${file}`))[0].balance_low_threshold_nano
  expect(await threshold('open.yaml')).toBe(3_500_000_000)
  expect(await threshold('tollgate.yaml')).toBe(2_500_000_000)
  expect((await account('show kim@example.com --config open.yaml')).out).toMatch(
    /^Low balance +yes, low is below 3\.50 USD$/m,
  )
  await set('a lot')
  expect(await threshold('open.yaml')).toBe(5_000_000_000)
  await set(null)
})

test('where the setting can not be read, its default counts', async () => {
  await place.write('broken.yaml', `settings: { balance_low_threshold: "\${NOPE}" }\n`)
  const { code, out, err } = await account('list --json --config broken.yaml')
  expect({ code, err }).toEqual({ code: 0, err: '' })
  expect(JSON.parse(out)[0]).toMatchObject({
    balance_low: true,
    balance_low_threshold_nano: 5_000_000_000,
  })
})

test('O3: set changes what is named, and nothing else', async () => {
  await account('disable lee@example.com')
  const before = await json('show lee@example.com')
  const set = await account('set lee@example.com --credit-limit 50.5')
  expect(set).toMatchObject({ code: 0, err: '' })
  expect(set.out).toMatch(/^Credit limit +50\.50 USD$/m)
  expect(await json('show lee@example.com')).toEqual({
    ...before,
    credit_limit_nano: 50_500_000_000,
  })
  const { tokens: _, ...rest } = before
  expect(await json('set lee@example.com --low-balance 0 --role admin')).toEqual({
    ...rest,
    credit_limit_nano: 50_500_000_000,
    balance_low: false,
    balance_low_threshold_nano: 0,
    role: 'admin',
  })
  expect(await json('set lee@example.com --low-balance none --role user')).toMatchObject({
    balance_low: true,
    balance_low_threshold_nano: 2_500_000_000,
  })
  const audit = await place.run(['audit', 'list', '--json'])
  expect(JSON.parse(audit.out).at(-1)).toMatchObject({
    actor: 'command line',
    action: 'account.set',
    subject: 'lee@example.com',
    detail: {
      role: { from: 'admin', to: 'user' },
      balance_low_nano: { from: 0, to: null },
    },
  })
})

test('what the file names comes back with it, and set says so; what it does not name stays', async () => {
  const { err } = await account('set kim@example.com --credit-limit 9 --low-balance 4')
  expect(err).toBe(
    'tollgate: warning: the configuration file sets credit_limit of kim@example.com; the next ' +
      'start or "tollgate apply" puts back what it says: change it there\n',
  )
  const applied = await place.run(['apply'])
  expect(applied.out).toContain('~ account kim@example.com\n    credit_limit  9 → 1\n')
  expect(await json('show kim@example.com')).toMatchObject({
    credit_limit_nano: 1_000_000_000,
    balance_low_threshold_nano: 4_000_000_000,
  })
  expect((await place.run(['apply'])).out).toContain('Nothing to change')
})

test('an account can begin postpaid', async () => {
  expect(await json('add team@example.com --credit-limit 500')).toMatchObject({
    balance_nano: 0,
    credit_limit_nano: 500_000_000_000,
    tokens: [],
  })
})

describe('refused', () => {
  const cases: readonly (readonly [string, string, number, string])[] = [
    ['nothing named', 'set kim@example.com', 2, 'Name what is to change: --credit-limit'],
    [
      'an unknown account',
      'set kin@example.com --credit-limit 1',
      1,
      'Did you mean "kim@example.com"?',
    ],
    [
      'a limit in words',
      'set kim@example.com --credit-limit none',
      2,
      "'--credit-limit <usd>' argument 'none' is invalid. Write USD",
    ],
    ['a negative limit', 'set kim@example.com --credit-limit -1', 2, "argument '-1' is invalid"],
    [
      'a threshold in words',
      'set kim@example.com --low-balance often',
      2,
      "argument 'often' is invalid",
    ],
    ['another role', 'set kim@example.com --role root', 2, 'Allowed choices are user, admin.'],
    [
      'a negative limit of a new one',
      'add x@example.com --credit-limit -1',
      2,
      '--credit-limit: "-1" is not an amount',
    ],
  ]
  for (const [name, line, code, message] of cases) {
    test.concurrent(name, async () => {
      const ran = await account(line)
      expect(ran.err).toContain(message)
      expect(ran.err).not.toMatch(/\n\s+at /)
      expect(ran).toMatchObject({ code, out: '' })
    })
  }
})

test('every command of balances has help with an example', async () => {
  const commands = ['account', 'account set', 'account credit', 'account debit', 'account ledger']
  const all = [...commands, 'audit', 'audit list', 'token set', 'token.create']
  const helps = await Promise.all(all.map((words) => place.run([...words.split(' '), '--help'])))
  for (const { code, out } of helps) {
    expect(code).toBe(0)
    expect(out).toMatch(/Examples?:\n {2}tollgate \S/)
    for (const line of out.split('\n')) expect(line.length).toBeLessThan(120)
  }
})
