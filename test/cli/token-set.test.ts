import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { settlement } from '../store/support.ts'
import { openStoreOf } from '../support/store-beside.ts'
import { createBalances } from './balances.ts'
import type { Workplace } from './cli.ts'

let place: Workplace
beforeAll(async () => {
  place = await createBalances()
  // What was spent with token 1: 0.25 USD now, 0.5 USD long ago.
  const store = await openStoreOf(place.path)
  await store.records.commit({
    settle: [
      settlement({ requestId: 'req_1', createdAt: Date.now(), amountNano: 250_000_000 }),
      settlement({ requestId: 'req_2', createdAt: 0, amountNano: 500_000_000 }),
    ],
  })
  await store.close()
})
afterAll(() => place[Symbol.asyncDispose]())

const token = (line: string) => place.run(['token', ...line.split(' ')])
const json = async (line: string) => JSON.parse((await token(`${line} --json`)).out)
const none = { total_nano: null, day_nano: null, month_nano: null }

test('list and show tell the budget and what was spent of it', async () => {
  const [first] = await json('list')
  expect(first).toMatchObject({
    id: 1,
    budget: { ...none, day_nano: 5_000_000_000 },
    spent: {
      total_nano: 750_000_000,
      day_nano: 250_000_000,
      month_nano: 250_000_000,
      day: new Date().toISOString().slice(0, 10),
    },
  })
  expect((await token('list')).out).toMatch(/ 0\.25 of 5\.00 USD today$/m)
  expect((await token('show 1')).out).toMatch(/^Spent +0\.25 of 5\.00 USD today$/m)
  const account = await place.run(['account', 'show', 'kim@example.com', '--json'])
  expect(JSON.parse(account.out).tokens[0]).toEqual(first)
})

test('add takes budgets, 0 too; without one there is nothing to be spent of', async () => {
  const line = 'add --account lee@example.com --group main'
  const made = await json(`${line} --name poor --budget 0 --budget-month 2.5`)
  expect(made).toMatchObject({
    id: 2,
    budget: { total_nano: 0, day_nano: null, month_nano: 2_500_000_000 },
    spent: { total_nano: 0, day_nano: 0, month_nano: 0 },
  })
  expect(await json(`${line} --name free`)).toMatchObject({ id: 3, budget: none, spent: null })
  expect((await token('show 3')).out).toMatch(/^Spent +no budget$/m)
})

test('O3: set changes what is named, and nothing else', async () => {
  const before = await json('show 2')
  expect(await json('set 2 --budget-day 1')).toEqual({
    ...before,
    budget: { total_nano: 0, day_nano: 1_000_000_000, month_nano: 2_500_000_000 },
  })
  expect(await json('set 2 --budget none --expires 2030-01-31T12:00:00+01:00')).toEqual({
    ...before,
    budget: { total_nano: null, day_nano: 1_000_000_000, month_nano: 2_500_000_000 },
    expires_at: '2030-01-31T11:00:00.000Z',
  })
  const last = await token('set 2 --expires never --budget-day none --budget-month none')
  expect(last).toMatchObject({ code: 0, err: '' })
  expect(last.out).toMatch(/^Expires +never$/m)
  expect(await json('show 2')).toEqual({ ...before, budget: none, spent: null })
  const audit = await place.run(['audit', 'list', '--json', '--limit', '1'])
  expect(JSON.parse(audit.out)).toMatchObject([{ action: 'token.set', subject: 'token 2' }])
})

test('none takes the end of a token away as never does, in add and in set', async () => {
  const made = await json('add --account lee@example.com --group main --expires none')
  expect(made).toMatchObject({ expires_at: null })
  expect(await json(`set ${made.id} --expires none`)).toMatchObject({ expires_at: null })
})

test('add and set make a token strict, and list and show tell it', async () => {
  const line = 'add --account lee@example.com --group main'
  const made = await json(`${line} --name exact --strict`)
  expect(made).toMatchObject({ strict: true })
  const { key: _, ...before } = made
  const { id } = before
  expect(await json(`show ${id}`)).toEqual(before)
  expect((await token(`show ${id}`)).out).toMatch(/^Strict +yes: refuses what/m)
  expect((await token('list')).out).toMatch(/ exact .* strict /)
  expect(await json(`set ${id} --budget 3`)).toMatchObject({ strict: true })
  expect(await json(`set ${id} --budget none --no-strict`)).toEqual({ ...before, strict: false })
  expect((await token(`show ${id}`)).out).toMatch(/^Strict +no$/m)
  expect((await token('list')).out).not.toMatch(/ strict /)
  const { out } = await token(`set ${id} --strict`)
  expect(out).toMatch(/^Strict +yes/m)
  const audit = await place.run(['audit', 'list', '--json', '--limit', '1'])
  expect(JSON.parse(audit.out)).toMatchObject([
    { subject: `token ${id}`, detail: { strict: { from: false, to: true } } },
  ])
  expect((await json('list')).map(({ strict }: { strict: boolean }) => strict)).toEqual([
    ...Array.from({ length: id - 1 }, () => false),
    true,
  ])
})

test('add and set say what one request may cost, and list and show tell it', async () => {
  const line = 'add --account lee@example.com --group main'
  const made = await json(`${line} --name capped --max-cost-per-request 0.25`)
  expect(made).toMatchObject({ max_cost_per_request_nano: 250_000_000 })
  const { key: _, ...before } = made
  const { id } = before
  expect(await json(`show ${id}`)).toEqual(before)
  expect((await token('list')).out).toMatch(/ capped .* 0\.25 USD /)
  expect((await token(`show ${id}`)).out).toMatch(/^Max cost +0\.25 USD$/m)
  expect(await json(`set ${id} --max-cost-per-request none`)).toEqual({
    ...before,
    max_cost_per_request_nano: null,
  })
  expect((await token(`show ${id}`)).out).toMatch(/^Max cost +no limit$/m)
  const audit = await place.run(['audit', 'list', '--json', '--limit', '1'])
  expect(JSON.parse(audit.out)).toMatchObject([
    { subject: `token ${id}`, detail: { max_cost_nano: { from: 250_000_000, to: null } } },
  ])
  expect((await token(`set ${id} --max-cost-per-request much`)).code).toBe(2)
  const wrong = await token(`${line} --max-cost-per-request -1`)
  expect(wrong.err).toContain('--max-cost-per-request: "-1" is not an amount')
})

test('of a token that the file names, set says that the file has the last word', async () => {
  const set = await token('set 1 --budget 8')
  expect(set.err).toBe(
    'tollgate: warning: the configuration file names this token; the next start or ' +
      '"tollgate apply" puts back what it says: change it there\n',
  )
  expect((await place.run(['plan'])).out).toContain(
    '~ token kim@example.com/laptop\n    budget.total  8 → null\n',
  )
})

describe('refused', () => {
  const add = 'add --account lee@example.com --group main'
  const cases: readonly (readonly [string, string, number, string])[] = [
    ['nothing named', 'set 1', 2, 'Name what is to change: --budget, --budget-day'],
    ['an unknown token', 'set 99 --budget 1', 1, 'There is no token 99.'],
    ['an id that is no number', 'set x --budget 1', 2, 'Write a whole number.'],
    ['a budget in words', 'set 1 --budget lots', 2, "'--budget <usd>' argument 'lots' is invalid"],
    ['a negative budget', 'set 1 --budget-day -1', 2, "argument '-1' is invalid"],
    [
      'an end without offset',
      'set 1 --expires 2030-01-31',
      2,
      'such as 2027-01-31T12:00:00Z, or never',
    ],
    [
      'a new token with a negative budget',
      `${add} --budget -1`,
      2,
      '--budget: "-1" is not an amount',
    ],
    [
      'a new token with a budget in words',
      `${add} --budget-month x`,
      2,
      '--budget-month: "x" is not an amount',
    ],
  ]
  for (const [name, line, code, message] of cases) {
    test.concurrent(name, async () => {
      const ran = await token(line)
      expect(ran.err).toContain(message)
      expect(ran.err).not.toMatch(/\n\s+at /)
      expect(ran).toMatchObject({ code, out: '' })
    })
  }
})
