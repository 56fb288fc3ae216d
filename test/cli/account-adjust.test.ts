import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createBalances } from './balances.ts'
import type { Workplace } from './cli.ts'

let place: Workplace
beforeAll(async () => {
  place = await createBalances()
})
afterAll(() => place[Symbol.asyncDispose]())

const account = (line: string) => place.run(['account', ...line.split(' ')])
const json = async (line: string) => JSON.parse((await account(`${line} --json`)).out)
const balanceOf = async (email: string) => (await json(`show ${email}`)).balance_nano

test('credit and debit tell the ledger entry and the new balance, and keep the reason', async () => {
  const credited = await place.run([
    'account',
    'credit',
    'lee@example.com',
    '20',
    '--reason',
    'invoice 7, "gift"',
  ])
  expect(credited).toEqual({
    code: 0,
    err: '',
    out: 'Credited 20.00 USD to lee@example.com: ledger entry 2. The balance is 20.00 USD.\n',
  })
  expect(await account('debit lee@example.com 0.000000001 --reason correction')).toEqual({
    code: 0,
    err: '',
    out:
      'Debited 0.000000001 USD from lee@example.com: ledger entry 3. ' +
      'The balance is 19.999999999 USD.\n',
  })
  expect(await json('debit lee@example.com 1 --reason r --key k-1')).toEqual({
    account: 'lee@example.com',
    kind: 'debit',
    amount_nano: -1_000_000_000,
    idempotency_key: 'k-1',
    ledger_id: 4,
    balance_after_nano: 18_999_999_999,
    repeated: false,
  })
  const exported = (await place.run(['export', 'ledger'])).out.trim().split('\n')
  expect(exported.map((line) => JSON.parse(line)).slice(1)).toMatchObject([
    { kind: 'credit', amount_nano: 20_000_000_000, reason: 'invoice 7, "gift"', request_id: null },
    { kind: 'debit', amount_nano: -1, reason: 'correction' },
    { kind: 'debit', amount_nano: -1_000_000_000, reason: 'r' },
  ])
})

test('asked twice with one key it is done once, and says so; with another amount it is refused', async () => {
  const before = await balanceOf('kim@example.com')
  const line = 'credit kim@example.com 5 --reason invoice --key invoice-8'
  const first = await json(line)
  expect(first).toMatchObject({ repeated: false, balance_after_nano: before + 5_000_000_000 })
  expect(await json(line)).toEqual({ ...first, repeated: true })
  const again = await account(line)
  expect(again).toMatchObject({ code: 0, err: '' })
  expect(again.out).toBe(
    `Done before, and not again: the key "invoice-8" stands at ledger entry ${first.ledger_id}, ` +
      'after which the balance was 8.00 USD.\n',
  )
  const other = await account('credit kim@example.com 6 --reason invoice --key invoice-8')
  expect(other).toMatchObject({ code: 1, out: '' })
  expect(other.err).toContain(
    `the key "invoice-8" was used for another change (ledger entry ${first.ledger_id}); use a new key`,
  )
  expect(await balanceOf('kim@example.com')).toBe(before + 5_000_000_000)
  await account('debit kim@example.com 5 --reason back')
})

test('processes that credit with one key at once make one entry', async () => {
  const line = 'credit kim@example.com 2 --reason race --key race-1'
  const ran = await Promise.all(Array.from({ length: 6 }, () => json(line)))
  expect(ran.filter(({ repeated }) => !repeated)).toHaveLength(1)
  expect(new Set(ran.map(({ ledger_id }) => ledger_id)).size).toBe(1)
  const entries = await json('ledger kim@example.com')
  expect(entries.filter(({ reason }: { reason: string }) => reason === 'race')).toHaveLength(1)
  expect(await balanceOf('kim@example.com')).toBe(5_000_000_000)
  await account('debit kim@example.com 2 --reason back')
})

test('a debit below the credit limit asks; without a terminal it needs --yes', async () => {
  expect((await account('debit kim@example.com 4 --reason all')).out).toContain(
    'The balance is -1.00 USD.',
  )
  const asked = await account('debit kim@example.com 1 --reason more --key more-1')
  expect(asked).toMatchObject({ code: 2, out: '' })
  expect(asked.err).toContain(
    'The balance of kim@example.com is -1.00 USD and would be -2.00 USD, with a credit limit of ' +
      '1.00 USD. Debit it nevertheless? There is no terminal to ask on: add --yes to go ahead.',
  )
  expect(await balanceOf('kim@example.com')).toBe(-1_000_000_000)
  const forced = await account('debit kim@example.com 1 --reason more --key more-1 --yes')
  expect(forced.out).toContain('The balance is -2.00 USD.')
  // What was done before needs no answer.
  const repeated = await account('debit kim@example.com 1 --reason more --key more-1')
  expect(repeated).toMatchObject({ code: 0, err: '' })
  expect(await balanceOf('kim@example.com')).toBe(-2_000_000_000)
})

test('the ledger of one account: its own entries with their reasons, newest last', async () => {
  const entries = await json('ledger lee@example.com')
  expect(entries.map(({ reason }: { reason: string }) => reason)).toEqual([
    'invoice 7, "gift"',
    'correction',
    'r',
  ])
  expect(entries[0]).toEqual({
    id: 2,
    created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    account: 'lee@example.com',
    kind: 'credit',
    amount_nano: 20_000_000_000,
    request_id: null,
    reason: 'invoice 7, "gift"',
    balance_after_nano: 20_000_000_000,
  })
  const { out } = await account('ledger lee@example.com --limit 2')
  const [head = '', ...rows] = out.trimEnd().split('\n')
  expect(head).toMatch(/^TIME +ENTRY +KIND +AMOUNT +BALANCE +FOR$/)
  expect(rows).toHaveLength(2)
  expect(rows[1]).toMatch(/ UTC +4 +debit +-1\.00 USD +18\.999999999 USD +r$/)
})

test('audit list: who changed what by hand, newest last', async () => {
  const { out } = await place.run(['audit', 'list', '--json', '--limit', '3'])
  const rows = JSON.parse(out)
  expect(rows).toHaveLength(3)
  expect(rows.at(-1)).toEqual({
    id: expect.any(Number),
    created_at: expect.stringMatching(/Z$/),
    actor: 'command line',
    action: 'account.debit',
    subject: 'kim@example.com',
    detail: { ledger_id: expect.any(Number), amount_nano: -1_000_000_000, reason: 'more' },
  })
  const table = (await place.run(['audit', 'list'])).out.trimEnd().split('\n')
  expect(table[0]).toMatch(/^TIME +WHO +WHAT +WHOSE +DETAIL$/)
  expect(table.at(-1)).toMatch(/command line +account\.debit +kim@example\.com +\{"ledger_id":/)
})

describe('refused', () => {
  const cases: readonly (readonly [string, string, number, string])[] = [
    [
      'an unknown account',
      'credit kin@example.com 1 --reason r',
      1,
      'Did you mean "kim@example.com"?',
    ],
    ['no reason', 'credit kim@example.com 1', 2, "required option '--reason <text>' not specified"],
    [
      'an empty reason',
      'credit kim@example.com 1 --reason ',
      2,
      "'--reason <text>' argument '' is invalid. It is empty.",
    ],
    ['an empty key', 'credit kim@example.com 1 --reason r --key ', 2, 'It is empty.'],
    ['no amount', 'debit kim@example.com --reason r', 2, "missing required argument 'usd'"],
    [
      'nothing',
      'credit kim@example.com 0 --reason r',
      2,
      "'0' is invalid for argument 'usd'. It is nothing",
    ],
    [
      'less than nothing',
      'credit kim@example.com -5 --reason r',
      2,
      "'-5' is invalid for argument 'usd'. Write USD",
    ],
    [
      'too many decimals',
      'credit kim@example.com 0.0000000001 --reason r',
      2,
      'at most 9 decimals',
    ],
    [
      'an amount in words',
      'debit kim@example.com all --reason r',
      2,
      "'all' is invalid for argument 'usd'",
    ],
    [
      'more than can be counted',
      'credit kim@example.com 9007200 --reason r',
      2,
      'Write USD as a plain number',
    ],
    [
      'a balance that can not be counted',
      'credit lee@example.com 9007199 --reason r',
      1,
      'would leave the range that is counted exactly',
    ],
    ['no rows', 'ledger kim@example.com --limit 0', 2, 'Write a number from 1 to 10000.'],
    ['too many rows', 'ledger kim@example.com --limit 10001', 2, 'Write a number from 1 to 10000.'],
    ['the ledger of nobody', 'ledger nobody', 1, 'There is no account "nobody"'],
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
